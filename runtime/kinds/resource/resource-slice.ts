import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { numeric } from '../../schema/raw-number.ts';
import { invalidAs } from '../core/findings.ts';
import { validateNodeSelector } from '../core/node-selector.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';
import { unchanged } from '../immutable.ts';
import type { Struct } from '../struct.ts';
import { validateDistinct } from './collections.ts';
import { validateDevice } from './device.ts';
import { validatePoolName } from './names.ts';

const DEVICES_LIMIT = 128;
const ONE_OF = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required';

/** @param old spec of the stored slice */
function validateSpec(spec: Struct, path: string, old?: Struct): FieldError[] {
  return [
    ...validateCsiDriverName(spec.driver, `${path}.driver`),
    ...validatePool(spec.pool, `${path}.pool`),
    ...(old === undefined
      ? []
      : [
          ...unchanged(spec.pool.name, old.pool.name, `${path}.pool.name`),
          ...unchanged(spec.driver, old.driver, `${path}.driver`),
          ...unchanged(spec.nodeName ?? '', old.nodeName ?? '', `${path}.nodeName`),
        ]),
    ...validateNodes(spec, path),
    ...validateDistinct(spec.devices, `${path}.devices`, DEVICES_LIMIT, validateDevice, 'name'),
  ];
}

function validatePool({ name = '', generation = 0, resourceSliceCount: count = 0 }: Struct, path: string): FieldError[] {
  return [
    ...validatePoolName(name, `${path}.name`),
    ...(numeric(count) > 0 ? [] : [invalid(`${path}.resourceSliceCount`, count, 'must be greater than zero')]),
    ...(numeric(generation) < 0 ? [invalid(`${path}.generation`, generation, 'must be greater than or equal to zero')] : []),
  ];
}

/** The nodes that can reach the devices are said in exactly one way. */
function validateNodes({ nodeName, nodeSelector, allNodes }: Struct, path: string): FieldError[] {
  const given = Object.entries({ nodeName, nodeSelector, allNodes }).filter(([, value]) => value);
  const errors = [
    ...(nodeName ? invalidAs(dnsSubdomain(nodeName), `${path}.nodeName`, nodeName) : []),
    ...(nodeSelector === undefined ? [] : validateSelector(nodeSelector, `${path}.nodeSelector`)),
  ];
  if (given.length === 0) return [...errors, required(path, ONE_OF)];
  if (given.length === 1) return errors;
  const names = given.map(([name]) => `\`${name}\``).join(', ');
  return [...errors, invalid(path, `{${names}}`, `${ONE_OF}, but multiple fields are set`)];
}

/** Selectors of several slices can be merged because each has one term. */
function validateSelector(selector: Struct, path: string): FieldError[] {
  const terms: readonly Struct[] = selector.nodeSelectorTerms ?? [];
  return [
    ...validateNodeSelector(selector, path),
    ...(terms.length === 1 ? [] : [invalid(`${path}.nodeSelectorTerms`, terms, 'must have exactly one node selector term')]),
  ];
}

export const rules: KindRules = {
  validateCreate: ({ spec }) => validateSpec(spec, 'spec'),
  validateUpdate: ({ spec }, old) => validateSpec(spec, 'spec', old.spec),
};

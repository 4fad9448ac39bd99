import type { ResourceSliceSpec } from '../../../generated/resource/v1beta1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { unchanged } from '../immutable.ts';

export function staysInPlace(spec: ResourceSliceSpec, old: ResourceSliceSpec | undefined): readonly FieldError[] {
  if (old === undefined) return NONE;
  return joined(
    unchanged(spec.pool.name, old.pool.name, '.pool.name'),
    unchanged(spec.driver, old.driver, '.driver'),
    unchanged(spec.nodeName ?? '', old.nodeName ?? '', '.nodeName'),
  );
}

/** The nodes that can reach the devices are not said in several ways. */
export function oneWay({ nodeName, nodeSelector, allNodes }: ResourceSliceSpec): readonly FieldError[] {
  const given = Object.entries({ nodeName, nodeSelector, allNodes }).filter(([, value]) => value);
  if (given.length <= 1) return NONE;
  const names = given.map(([name]) => `\`${name}\``).join(', ');
  const detail = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required, but multiple fields are set';
  return [invalid('', `{${names}}`, detail)];
}

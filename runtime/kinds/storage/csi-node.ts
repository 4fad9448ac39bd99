import { duplicate, type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { eachItem, invalidAs, needed } from '../core/findings.ts';
import { notNegative } from '../core/numbers.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';
import { unchanged } from '../immutable.ts';
import type { Struct } from '../struct.ts';

const MAX_NODE_ID = 256;

function driversOf({ spec }: ApiObject): readonly Struct[] {
  return spec.drivers ?? [];
}

function validate(object: ApiObject): readonly FieldError[] {
  const names = new Set<string>();
  return eachItem(driversOf(object), 'spec.drivers', ({ name = '', nodeID = '', allocatable, topologyKeys }, at) => {
    const errors = [
      ...validateCsiDriverName(name, `${at}.name`),
      ...needed(nodeID, `${at}.nodeID`),
      ...(isLongerThan(nodeID, MAX_NODE_ID) ? [invalid(`${at}.nodeID`, nodeID, `must be ${MAX_NODE_ID} characters or less`)] : []),
      ...(allocatable?.count === undefined ? [] : notNegative(allocatable.count, `${at}.allocatable.count`)),
      ...(names.has(name) ? [duplicate(`${at}.name`, name)] : []),
      ...validateTopologyKeys(topologyKeys ?? [], at),
    ];
    names.add(name);
    return errors;
  });
}

/** All errors stand at the path of the driver. */
function validateTopologyKeys(keys: readonly string[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return keys.flatMap((key) => {
    const errors = [
      ...(key === '' ? [required(path)] : []),
      ...(seen.has(key) ? [duplicate(path, key)] : []),
      ...invalidAs(qualifiedName(key), path, key),
    ];
    seen.add(key);
    return errors;
  });
}

/** Drivers come and go; one that stays does not change. 1.32 validates an updated object twice, and has a path of its own for it. */
function validateUpdate(object: ApiObject, old: ApiObject): readonly FieldError[] {
  const byName = Map.groupBy(driversOf(object), ({ name }) => name);
  return [
    ...validate(object),
    ...driversOf(old).flatMap((before) => (byName.get(before.name) ?? []).flatMap((driver) => unchanged(driver, before, 'CSINodeDriver'))),
  ];
}

export const rules: KindRules = {
  validate,
  validateUpdate,
};

import type { PriorityClass } from '../../../generated/scheduling/v1/types.ts';
import { type FieldError, forbidden } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { NONE } from '../../validation/joined.ts';
import { SYSTEM_PRIORITIES } from './system-classes.ts';

/** Above it are the priorities of the system's own classes. */
const HIGHEST_OF_USERS = 1_000_000_000;
const SYSTEM_PREFIX = 'system-';

/** Names and high priorities of the system are its own. Said of new classes alone: once a class is there, 1.32 holds only changes against it. */
export function ofOwner(object: PriorityClass): readonly FieldError[] {
  const { name = '' } = object.metadata;
  if (!name.startsWith(SYSTEM_PREFIX)) {
    if ((object.value ?? 0) <= HIGHEST_OF_USERS) return NONE;
    return [forbidden('.value', `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`)];
  }
  const error = systemClassError(object, name);
  if (error === undefined) return NONE;
  return [
    forbidden('.metadata.name', `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${error}`),
  ];
}

/** What makes a class with a reserved name other than the one that the system has; undefined when nothing does. */
function systemClassError({ value = 0, globalDefault }: PriorityClass, name: string): string | undefined {
  const expected = SYSTEM_PRIORITIES.get(name);
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export const rules: KindRules = {
  refusesDeletion: (name) => (SYSTEM_PRIORITIES.has(name) ? 'this is a system priority class and cannot be deleted' : undefined),
};

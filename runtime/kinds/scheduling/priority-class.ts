import { type FieldError, forbidden, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { unchanged } from '../immutable.ts';
import { SYSTEM_PRIORITIES } from './system-classes.ts';

/** Above it are the priorities of the system's own classes. */
const HIGHEST_OF_USERS = 1_000_000_000;
const SYSTEM_PREFIX = 'system-';
const POLICIES = ['PreemptLowerPriority', 'Never'];

function validate(object: ApiObject): FieldError[] {
  const { name = '' } = object.metadata;
  const { value = 0, preemptionPolicy } = object;
  const errors: FieldError[] = [];
  if (name.startsWith(SYSTEM_PREFIX)) {
    const error = systemClassError(object, name);
    if (error !== undefined)
      errors.push(
        forbidden('metadata.name', `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${error}`),
      );
  } else if (value > HIGHEST_OF_USERS) {
    errors.push(forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`));
  }
  if (preemptionPolicy === '') errors.push(required('preemptionPolicy'));
  else if (preemptionPolicy !== undefined && !POLICIES.includes(preemptionPolicy))
    errors.push(notSupported('preemptionPolicy', preemptionPolicy, POLICIES));
  return errors;
}

/** What makes a class with a reserved name other than the one that the system has; undefined when nothing does. */
function systemClassError({ value = 0, globalDefault }: ApiObject, name: string): string | undefined {
  const expected = SYSTEM_PRIORITIES.get(name);
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export const rules: KindRules = {
  /** Once a class is there, 1.32 holds only changes against it. */
  validateCreate: validate,
  validateUpdate: (object, old) => [
    ...((object.value ?? 0) === (old.value ?? 0) ? [] : [forbidden('value', 'may not be changed in an update.')]),
    ...unchanged(object.preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy'),
  ],
  refusesDeletion: (name) => (SYSTEM_PRIORITIES.has(name) ? 'this is a system priority class and cannot be deleted' : undefined),
};

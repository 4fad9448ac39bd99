/** Calls that 1.32 makes while it plans an expression, so that they cost nothing during evaluation. */
import type { CallReference } from '../check/checked-expression.ts';
import { ErrorValue, entryKey, ListValue, Uint, UnhashableKey, type Value } from '../values/value.ts';
import { dispatch } from './dispatch.ts';
import { constantPlan, InstantiationError, type Plan } from './plan.ts';

const CONVERSIONS: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn google.protobuf.Duration google.protobuf.Timestamp int null_type string timestamp type uint'.split(' '),
);

/** A conversion of a constant becomes a constant. @throws InstantiationError if it fails */
export function planConstantCall({ function: declared, overloads }: CallReference, plans: readonly Plan[]): Plan | undefined {
  const [{ constant } = { constant: undefined }] = plans;
  if (!CONVERSIONS.has(declared.name) || plans.length !== 1 || constant === undefined) return undefined;
  const converted = dispatch(declared, overloads)(constant);
  if (converted instanceof ErrorValue) throw new InstantiationError(converted.message);
  return constantPlan(converted);
}

/** Plans `value in [constants]` as a lookup in a set. */
export function planMembership({ function: { name }, overloads }: CallReference, plans: readonly Plan[]): Plan | undefined {
  const [value, list] = plans;
  if (name !== '@in' || overloads.length !== 1 || value === undefined || !(list?.constant instanceof ListValue)) return undefined;
  if (list.constant.size === 0) return constantPlan(false);
  const members = new Set<Value>();
  for (const item of list.constant) {
    const member = memberOf(item);
    if (member === undefined) return undefined;
    members.add(member);
  }
  const { step } = value;
  return {
    step: (frame) => {
      const found = step(frame);
      if (found instanceof Uint8Array) throw new UnhashableKey();
      return found instanceof ErrorValue ? found : members.has(memberOf(found) as Value);
    },
  };
}

/**
 * The member of the set that represents a value: equal numbers have the same.
 * @returns undefined for values that cannot be members, such as null
 */
function memberOf(value: Value): Value | undefined {
  if (typeof value === 'number' || value instanceof Uint) return entryKey(value) ?? value;
  return typeof value === 'object' ? undefined : value;
}

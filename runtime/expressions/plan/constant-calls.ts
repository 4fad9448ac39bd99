/** Calls that are made while an expression is planned, as 1.32 does it, which is why they cost nothing later. */
import type { CallReference } from '../check/checked-expression.ts';
import { ErrorValue, entryKey, ListValue, Uint, UnhashableKey, type Value } from '../values/value.ts';
import { dispatch } from './dispatch.ts';
import { constantPlan, InstantiationError, type Plan } from './plan.ts';

const CONVERSIONS: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn google.protobuf.Duration google.protobuf.Timestamp int null_type string timestamp type uint'.split(' '),
);

/** A conversion of a constant is a constant, of whatever type it is. @throws InstantiationError for one that fails */
export function planConstantCall({ function: declared, overloads }: CallReference, plans: readonly Plan[]): Plan | undefined {
  const [{ constant } = { constant: undefined }] = plans;
  if (!CONVERSIONS.has(declared.name) || plans.length !== 1 || constant === undefined) return undefined;
  const converted = dispatch(declared, overloads)(constant);
  if (converted instanceof ErrorValue) throw new InstantiationError(converted.message);
  return constantPlan(converted);
}

/** `value in [constants]` looks into a set. */
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

/** What stands for a value in a set: equal numbers are one member. @returns undefined for values that have no place there, such as null */
function memberOf(value: Value): Value | undefined {
  if (typeof value === 'number' || value instanceof Uint) return entryKey(value) ?? value;
  return typeof value === 'object' ? undefined : value;
}

/** Objects that share what they have in common: who compares them later is done where both are the same object. */
import { deepEqual } from './equal.ts';
import { isObject, type JsonObject, setMember } from './member.ts';

/** Below so many levels nothing is shared unless all of it is equal: nothing here recurses deeper. */
const MAX_LEVELS = 100;

/**
 * Puts what equals a part of `stored` out of that, in the same place. Equality is that of `deepEqual`.
 * @param value a JSON value whose containers nobody else has; changed
 * @returns `stored` itself where both are equal, else `value`
 */
export function shareEqual(value: unknown, stored: unknown): unknown {
  return share(value, stored, MAX_LEVELS);
}

function share(value: unknown, stored: unknown, levels: number): unknown {
  if (value === stored) return stored;
  if (levels > 0 && isObject(value) && isObject(stored)) return shareMembers(value, stored, levels - 1);
  if (levels > 0 && Array.isArray(value) && Array.isArray(stored)) return shareElements(value, stored, levels - 1);
  return deepEqual(value, stored) ? stored : value;
}

function shareMembers(value: JsonObject, stored: JsonObject, levels: number): JsonObject {
  let isEqual = true;
  let more = 0;
  for (const name in value) {
    const own = value[name];
    if (own === undefined) continue;
    more++;
    const other = Object.hasOwn(stored, name) ? stored[name] : undefined;
    const shared = other === undefined ? own : share(own, other, levels);
    if (shared !== other) isEqual = false;
    else if (shared !== own) setMember(value, name, shared);
  }
  for (const name in stored) if (stored[name] !== undefined) more--;
  return isEqual && more === 0 ? stored : value;
}

function shareElements(value: unknown[], stored: readonly unknown[], levels: number): readonly unknown[] {
  let isEqual = value.length === stored.length;
  const both = Math.min(value.length, stored.length);
  for (let i = 0; i < both; i++) {
    const shared = share(value[i], stored[i], levels);
    if (shared !== stored[i]) isEqual = false;
    else value[i] = shared;
  }
  return isEqual ? stored : value;
}

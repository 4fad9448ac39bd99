/** Makes equal objects share memory, so that later comparisons end as soon as both sides are the same object. */
import { deepEqual } from './equal.ts';
import { isObject, type JsonObject, setMember } from './json/member.ts';

/** Deeper values are shared only if they are equal as a whole, which limits the recursion. */
const MAX_LEVELS = 100;

/**
 * Replaces parts of `value` by equal parts at the same place of `stored`. Equality is that of `deepEqual`.
 * @param value a JSON value whose containers nobody else has; it is changed
 * @returns `stored` if both are equal, else `value`
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

/** Questions about single values that generated validators and the interpreter ask alike. */
import type { Shape } from '../contract/constraint.ts';
import { deepEqual } from '../schema/equal.ts';
import { parseDuration } from '../schema/scalar/duration.ts';
import { numberText } from '../schema/scalar/raw-number.ts';

/** A number of any width for comparing it with limits; what a double cannot tell apart does not matter there. Absent: 0. */
export function numeric(value: unknown): number {
  return typeof value === 'number' ? value : Number(numberText(value) ?? 0);
}

/** Whether a duration is as long as this, and no longer than that; in nanoseconds. */
export function isSpan(text: string, shortest: bigint, longest: bigint | undefined): boolean {
  const length = parseDuration(text) ?? 0n;
  return length >= shortest && (longest === undefined || length <= longest);
}

/** Lengths count bytes of UTF-8; a code unit is at most three. */
export function isLongerThan(value: string, limit: number): boolean {
  return value.length > limit || (value.length * 3 > limit && Buffer.byteLength(value) > limit);
}

/** UTF-8 bytes of a UTF-16 code unit at most. */
const BYTES_PER_UNIT = 3;

/** Of all keys and values of a map together. */
export function hasMoreBytes(map: Readonly<Record<string, string>> | null | undefined, limit: number): boolean {
  let units = 0;
  for (const key in map) units += key.length + (map[key] as string).length;
  if (units * BYTES_PER_UNIT <= limit) return false;
  let bytes = 0;
  for (const key in map) bytes += Buffer.byteLength(key) + Buffer.byteLength(map[key] as string);
  return bytes > limit;
}

const ELLIPSIS = '...';

/** A text that is no longer than this; a longer one loses its middle. @param limit in bytes */
export function shortened(text: string, limit: number): string {
  if (!isLongerThan(text, limit)) return text;
  const bytes = Buffer.from(text);
  const kept = limit - ELLIPSIS.length;
  return `${bytes.subarray(0, (kept + 1) >> 1)}${ELLIPSIS}${bytes.subarray(bytes.length - (kept >> 1))}`;
}

export function sizeOf(value: object | null | undefined): number {
  if (value === null || value === undefined) return 0;
  if (Array.isArray(value)) return value.length;
  let size = 0;
  for (const _ in value) size++;
  return size;
}

/** Whether a value is there; zero counts as absent where it cannot be told from it. */
export function isSet(value: unknown, { kind, pointer }: Shape): boolean {
  if (value === undefined || value === null) return false;
  if (pointer) return true;
  switch (kind) {
    case 'text':
      return value !== '';
    case 'number':
      return numeric(value) !== 0;
    case 'boolean':
      return value === true;
    case 'list':
    case 'map':
      return sizeOf(value as object) > 0;
    default:
      return true;
  }
}

/** Null and absent are the same value. */
export function isSame(value: unknown, old: unknown): boolean {
  return value === old || deepEqual(value ?? undefined, old ?? undefined);
}

/** Beyond this length elements are kept by their keys; before that, looking at each is cheaper. */
export const SHORT_LIST = 16;

/** The element of the stored list that has the same keys, mostly that at the same index; undefined: it is new. */
export function counterpart<T extends object>(
  item: T,
  index: number,
  old: readonly T[] | null | undefined,
  keys: readonly string[],
): T | undefined {
  if (old === undefined || old === null) return undefined;
  const same = old[index];
  if (same !== undefined && haveSameKeys(same, item, keys)) return same;
  const other = old.length > SHORT_LIST ? keyedItems(old, keys).get(keyOf(item, keys)) : old.find((each) => haveSameKeys(each, item, keys));
  return other !== undefined && haveSameKeys(other as T, item, keys) ? (other as T) : undefined;
}

function haveSameKeys(a: object, b: object, keys: readonly string[]): boolean {
  for (const key of keys) if ((a as Record<string, unknown>)[key] !== (b as Record<string, unknown>)[key]) return false;
  return true;
}

/** Long stored lists by the keys of their elements. */
const keyed = new WeakMap<readonly object[], ReadonlyMap<string, object>>();

function keyedItems(list: readonly object[], keys: readonly string[]): ReadonlyMap<string, object> {
  const known = keyed.get(list);
  if (known !== undefined) return known;
  const items = new Map<string, object>();
  for (const item of list) {
    const key = keyOf(item, keys);
    if (!items.has(key)) items.set(key, item);
  }
  keyed.set(list, items);
  return items;
}

/** What `unique` compares: the value, or its members' values. */
export function keyOf(item: unknown, keys: readonly string[]): string {
  if (keys.length === 0) return typeof item === 'string' ? item : (JSON.stringify(item) ?? '');
  const members = item as Record<string, unknown>;
  if (keys.length === 1) return String(members[keys[0] as string] ?? '');
  return JSON.stringify(keys.map((key) => members[key] ?? ''));
}

/** Whether an element before this one has the same key. @param keys as of `keyOf`; absent members: the key of an element is the element */
export function isAmong(list: readonly unknown[], end: number, key: string, keys: readonly string[]): boolean {
  for (let i = 0; i < end; i++) if (keyOf(list[i], keys) === key) return true;
  return false;
}

/** What a duplicate is printed as: the value, the one member by which it is one, or the members. */
export function shownKey(item: unknown, keys: readonly string[]): unknown {
  if (keys.length === 0) return item;
  const members = item as Record<string, unknown>;
  if (keys.length === 1) return members[keys[0] as string] ?? '';
  return Object.fromEntries(keys.map((key) => [key, members[key]]));
}

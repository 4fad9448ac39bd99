/** What field selectors compare of an object. */
import type { ApiObject } from '../../contract/object.ts';
import { isRawNumber } from '../../schema/scalar/raw-number.ts';
import type { Kind } from './kind.ts';

/** The text that a field selector compares: the kind's own, or the member at the path as text. What is no scalar, as another version may have it, has none. */
export function selectableField(hub: Kind, object: ApiObject, path: string): string {
  const own = hub.rules.selectableField?.(object, path);
  if (own !== undefined) return own;
  let value: unknown = object;
  for (const key of membersOn(path))
    value = typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
  return textOf(value);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isRawNumber(value)) return value.rawJSON;
  return value === undefined || typeof value === 'object' ? '' : String(value);
}

/** Bounded, for definitions come and go. */
const MAX_PATHS = 4_096;
const splitPaths = new Map<string, readonly string[]>();

function membersOn(path: string): readonly string[] {
  let members = splitPaths.get(path);
  if (members === undefined) {
    members = path.split('.');
    if (splitPaths.size >= MAX_PATHS) splitPaths.clear();
    splitPaths.set(path, members);
  }
  return members;
}

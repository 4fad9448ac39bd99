/** Equality of JSON values. */
import { isRawNumber, numberText } from './raw-number.ts';

/**
 * Whether two JSON values are the same, whatever the order of their members. Numbers are the same when their digits are; a member that is
 * `undefined` counts as absent. Values deeper than the stack are not compared: RangeError.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return sameNumber(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  if (Array.isArray(b)) return false;
  if (isRawNumber(a) || isRawNumber(b)) return sameNumber(a, b);
  return equalObjects(a as Record<string, unknown>, b as Record<string, unknown>);
}

function sameNumber(a: unknown, b: unknown): boolean {
  if (!isRawNumber(a) && !isRawNumber(b)) return false;
  const text = numberText(a);
  return text !== undefined && text === numberText(b);
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
  return true;
}

function equalObjects(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  let members = 0;
  for (const name in a) {
    if (a[name] === undefined) continue;
    if (!Object.hasOwn(b, name) || !deepEqual(a[name], b[name])) return false;
    members++;
  }
  for (const name in b) if (b[name] !== undefined) members--;
  return members === 0;
}

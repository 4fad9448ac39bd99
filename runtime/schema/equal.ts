import { isRawNumber, numberText } from './scalar/raw-number.ts';

/**
 * Whether two JSON values are the same, whatever the order of their members. Numbers are compared by their digits; a member that is
 * `undefined` counts as absent. The function does not recurse, so values may have any depth.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  const pending: object[] = [];
  if (!sameSoFar(a, b, pending)) return false;
  while (pending.length > 0) {
    const right = pending.pop() as object;
    const left = pending.pop() as object;
    if (!(Array.isArray(left) ? equalLists(left, right as unknown[], pending) : equalObjects(left, right, pending))) return false;
  }
  return true;
}

/** Compares two values. Two containers of the same kind are only noted for later. */
function sameSoFar(a: unknown, b: unknown, pending: object[]): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return sameNumber(a, b);
  if (isRawNumber(a) || isRawNumber(b)) return sameNumber(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  pending.push(a, b);
  return true;
}

function sameNumber(a: unknown, b: unknown): boolean {
  if (!isRawNumber(a) && !isRawNumber(b)) return false;
  const text = numberText(a);
  return text !== undefined && text === numberText(b);
}

function equalLists(a: readonly unknown[], b: readonly unknown[], pending: object[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!sameSoFar(a[i], b[i], pending)) return false;
  return true;
}

function equalObjects(a: object, b: object, pending: object[]): boolean {
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  let members = 0;
  for (const name in left) {
    if (left[name] === undefined) continue;
    if (!Object.hasOwn(right, name) || !sameSoFar(left[name], right[name], pending)) return false;
    members++;
  }
  for (const name in right) if (right[name] !== undefined) members--;
  return members === 0;
}

/** Members of plain objects with names from outside: `__proto__` is a name like any other. */
import { isRawNumber } from '../scalar/raw-number.ts';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

export function setMember(object: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}

/** The object's own member, never an inherited one. */
export function getMember(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Compares texts by their UTF-8 bytes. That differs from the order of UTF-16 code units for characters beyond the basic plane. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000;
}

/** Fewer names are sorted by insertion, because V8 copies what its sort gets. */
const FEW_NAMES = 16;

/** Sorts names in place by their UTF-8 bytes. Most are sorted already, which is checked first. */
export function sortedNames(names: string[]): string[] {
  return areSorted(names) ? names : sortNames(names);
}

/** Like `sortedNames`, for names that are known to be unsorted. */
export function sortNames(names: string[]): string[] {
  if (names.length > FEW_NAMES) return names.sort(compareUtf8);
  for (let i = 1; i < names.length; i++) {
    const name = names[i] as string;
    let place = i;
    for (; place > 0 && compareUtf8(names[place - 1] as string, name) > 0; place--) names[place] = names[place - 1] as string;
    names[place] = name;
  }
  return names;
}

export function areSorted(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) if (compareUtf8(names[i - 1] as string, names[i] as string) > 0) return false;
  return true;
}

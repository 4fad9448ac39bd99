/** Ways to collect field errors that all core kinds use. */
import { type FieldError, invalid, notSupported, required } from '../contract/field-error.ts';
import type { PartFinding } from '../formats/joined-names.ts';
import { foundInEach, NONE } from '../validation/joined.ts';

/** Checks every item of a list, which may be absent or null, at its own path. */
export function eachItem<T>(
  list: readonly T[] | null | undefined,
  path: string,
  check: (item: T, path: string, index: number) => readonly FieldError[],
): readonly FieldError[] {
  return foundInEach(list, (item, index) => check(item, `${path}[${index}]`, index));
}

/** Checks every value of a map, which may be absent or null, at the path of its key. */
export function eachEntry<T>(
  map: Readonly<Record<string, T>> | null | undefined,
  path: string,
  check: (key: string, value: T, path: string) => readonly FieldError[],
): readonly FieldError[] {
  if (map === undefined || map === null) return NONE;
  return foundInEach(Object.keys(map), (key) => check(key, map[key] as T, `${path}[${key}]`));
}

/** What a rule has found in a value, whose paths begin there. @param path of the value */
export function atPath(errors: readonly FieldError[], path: string): readonly FieldError[] {
  return errors.length === 0 ? NONE : errors.map((error) => ({ ...error, field: `${path}${error.field}` }));
}

/** One error for each sentence that a check of syntax had to say about the value. */
export function invalidAs(messages: readonly string[], path: string, value: unknown): readonly FieldError[] {
  return messages.length === 0 ? NONE : messages.map((message) => invalid(path, value, message));
}

/** As `invalidAs`, of a value of several parts: each error shows the part that is wrong. */
export function invalidParts(findings: readonly PartFinding[], path: string): readonly FieldError[] {
  return findings.length === 0 ? NONE : findings.map(({ part, message }) => invalid(path, part, message));
}

/** An error where a text is empty or absent. */
export function needed(value: string | null | undefined, path: string, detail = ''): readonly FieldError[] {
  return value ? NONE : [required(path, detail)];
}

/** As `needed`; a text that is there goes through a check of syntax. */
export function neededAs(
  value: string | null | undefined,
  path: string,
  syntax: (value: string) => readonly string[],
): readonly FieldError[] {
  return value ? invalidAs(syntax(value), path, value) : needed(value, path);
}

/** An error where a text is there, but is none of the values that have a meaning. */
export function oneOf(value: string | null | undefined, path: string, supported: readonly string[]): readonly FieldError[] {
  return value === undefined || value === null || supported.includes(value) ? NONE : [notSupported(path, value, supported)];
}

/** As `oneOf`; an empty or absent text is a missing value. */
export function neededOneOf(value: string | null | undefined, path: string, supported: readonly string[]): readonly FieldError[] {
  return value ? oneOf(value, path, supported) : needed(value, path);
}

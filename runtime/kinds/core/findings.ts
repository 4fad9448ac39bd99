/** Ways to collect field errors that all core kinds use. */
import { duplicate, type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';

/** Checks every item of a list, which may be absent or null, at its own path. */
export function eachItem<T>(
  list: readonly T[] | null | undefined,
  path: string,
  check: (item: T, path: string, index: number) => readonly FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (list === undefined || list === null) return errors;
  for (let index = 0; index < list.length; index++)
    for (const error of check(list[index] as T, `${path}[${index}]`, index)) errors.push(error);
  return errors;
}

/** An error for each item that stands further up in the list as well. */
export function eachRepeated(list: readonly string[], path: string): FieldError[] {
  const seen = new Set<string>();
  return eachItem(list, path, (item, at) => {
    if (seen.has(item)) return [duplicate(at, item)];
    seen.add(item);
    return [];
  });
}

/** Checks every value of a map, which may be absent or null, at the path of its key. */
export function eachEntry<T>(
  map: Readonly<Record<string, T>> | null | undefined,
  path: string,
  check: (key: string, value: T, path: string) => readonly FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (map === undefined || map === null) return errors;
  for (const key of Object.keys(map)) for (const error of check(key, map[key] as T, `${path}[${key}]`)) errors.push(error);
  return errors;
}

/** One error for each sentence that a check of syntax had to say about the value. */
export function invalidAs(messages: readonly string[], path: string, value: unknown): FieldError[] {
  return messages.map((message) => invalid(path, value, message));
}

/** An error where a text is empty or absent. */
export function needed(value: string | null | undefined, path: string, detail = ''): FieldError[] {
  return value ? [] : [required(path, detail)];
}

/** As `needed`; a text that is there goes through a check of syntax. */
export function neededAs(value: string | null | undefined, path: string, syntax: (value: string) => readonly string[]): FieldError[] {
  return value ? invalidAs(syntax(value), path, value) : [required(path)];
}

/** An error where a text is there, but is none of the values that have a meaning. */
export function oneOf(value: string | null | undefined, path: string, supported: readonly string[]): FieldError[] {
  return value === undefined || value === null || supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

/** As `oneOf`; an empty or absent text is a missing value. */
export function neededOneOf(value: string | null | undefined, path: string, supported: readonly string[]): FieldError[] {
  return value ? oneOf(value, path, supported) : [required(path)];
}

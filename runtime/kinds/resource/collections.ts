/** Lists of bounded length. */
import { duplicate, type FieldError, tooMany } from '../../contract/field-error.ts';
import { eachItem } from '../core/findings.ts';
import type { Struct } from '../struct.ts';

/** Absent and null lists are empty. */
export type List<T> = readonly T[] | null | undefined;
export type ItemCheck<T> = (item: T, path: string) => readonly FieldError[];

/** Checks the items, then how many there are. */
export function validateList<T>(list: List<T>, path: string, limit: number, check: ItemCheck<T>): FieldError[] {
  const count = (list ?? []).length;
  return [...eachItem(list, path, check), ...(count > limit ? [tooMany(path, count, limit)] : [])];
}

/**
 * As `validateList`, of structs that one member tells apart: one error for each that repeats an earlier one.
 * @param member the error stands at its path
 */
export function validateDistinct(list: List<Struct>, path: string, limit: number, check: ItemCheck<Struct>, member: string): FieldError[] {
  const seen = new Set<string>();
  return [
    ...validateList(list, path, limit, check),
    ...eachItem(list, path, (item, at) => repeated(seen, item[member] ?? '', `${at}.${member}`)),
  ];
}

/** As `validateList`, of texts that all differ. */
export function validateTexts(list: List<string>, path: string, limit: number, check: ItemCheck<string>): FieldError[] {
  const seen = new Set<string>();
  return [...validateList(list, path, limit, check), ...eachItem(list, path, (item, at) => repeated(seen, item, at))];
}

function repeated(seen: Set<string>, key: string, path: string): FieldError[] {
  if (seen.has(key)) return [duplicate(path, key)];
  seen.add(key);
  return [];
}

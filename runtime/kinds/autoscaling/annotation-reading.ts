/**
 * Reads JSON that stands in an annotation. Nobody has checked it: any client may write any text there. A value of the wrong type makes
 * the whole annotation unreadable, and an unreadable annotation counts as absent.
 */
import type { LabelSelector, LabelSelectorRequirement } from '../../../generated/meta/v1/types.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import { canonicalQuantity } from '../../schema/scalar/quantity.ts';
import { ScalarError } from '../../schema/scalar/scalar-error.ts';
import { canonicalTime } from '../../schema/scalar/time.ts';

/** A struct whose members nobody has checked. */
export type Unread = Readonly<Record<string, unknown>>;

class Unreadable extends Error {}

/** @param read throws what the functions below throw */
export function readAnnotation<T>(text: string | undefined, read: (value: unknown) => T): T | undefined {
  if (text === undefined) return undefined;
  try {
    return read(parseNativeJson(text));
  } catch (error) {
    if (error instanceof Unreadable || error instanceof SyntaxError || error instanceof ScalarError) return undefined;
    throw error;
  }
}

/** null and absent are the empty list, as in Go. */
export function list<T>(value: unknown, read: (element: Unread) => T): T[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw new Unreadable();
  return value.map((element) => read(struct(element)));
}

/** null and absent are the empty struct. */
export function struct(value: unknown): Unread {
  if (isAbsent(value)) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new Unreadable();
  return value as Unread;
}

export function text(value: unknown): string {
  return optionalText(value) ?? '';
}

export function optionalText(value: unknown): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'string') throw new Unreadable();
  return value;
}

export function optionalInt32(value: unknown): number | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'number' || (value | 0) !== value) throw new Unreadable();
  return value;
}

/** @returns canonical text */
export function optionalQuantity(value: unknown): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') throw new Unreadable();
  return canonicalQuantity(String(value));
}

/** @returns canonical RFC 3339; null where there is no time */
export function time(value: unknown): string | null {
  const timestamp = optionalText(value);
  return timestamp === undefined ? null : canonicalTime(timestamp);
}

export function optionalSelector(value: unknown): LabelSelector | undefined {
  if (isAbsent(value)) return undefined;
  const { matchLabels, matchExpressions } = struct(value);
  return defined({
    matchLabels: isAbsent(matchLabels)
      ? undefined
      : Object.fromEntries(Object.entries(struct(matchLabels)).map(([key, label]) => [key, text(label)])),
    matchExpressions: isAbsent(matchExpressions) ? undefined : list(matchExpressions, readRequirement),
  });
}

function readRequirement({ key, operator, values }: Unread): LabelSelectorRequirement {
  if (!isAbsent(values) && !Array.isArray(values)) throw new Unreadable();
  return defined({ key: text(key), operator: text(operator), values: values?.map(text) });
}

/** The members that are not undefined, in their order. */
export function defined<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

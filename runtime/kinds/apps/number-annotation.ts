/** Numbers of the removed versions that stand in an annotation of apps/v1. */
import type { ApiObject } from '../../contract/object.ts';
import { int64Of, integerOf, type RawNumber } from '../../schema/scalar/raw-number.ts';

export function annotate(object: ApiObject, key: string, value: string): ApiObject {
  const entries = Object.entries({ ...object.metadata?.annotations, [key]: value });
  object.metadata = { ...object.metadata, annotations: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) };
  return object;
}

/** The integer of 64 bits in an annotation, which is removed; a text that is none stays where it is. */
export function takeNumber(object: ApiObject, key: string): number | RawNumber | undefined {
  const integer = int64Of(object.metadata?.annotations?.[key]?.replace(/^\+/, '') ?? '');
  if (integer === undefined) return undefined;
  const { [key]: _taken, ...annotations } = object.metadata.annotations as Record<string, string>;
  const { annotations: _all, ...metadata } = object.metadata;
  object.metadata = Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata;
  return integerOf(integer);
}

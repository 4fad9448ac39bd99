/** Differences of the structs of the wire, shown as those of the server's own. */
import type { StructType } from '../contract/descriptor.ts';
import { difference } from './difference.ts';
import type { GoField } from './go-type.ts';
import { goStruct } from './wire-types.ts';

/** @returns '' for equal values; undefined for values that are too large to be compared here */
export function memberDifference(type: StructType, old: unknown, now: unknown): string | undefined {
  return difference(goStruct(type), old, now);
}

/** Kind and version, which 1.32 takes out of an object that it has read. */
const TYPE_META: GoField = { name: 'TypeMeta', type: { kind: 'struct', name: 'v1.TypeMeta', fields: [] }, of: () => ({}) };
const OF_TYPE: ReadonlySet<string> = new Set(['Kind', 'APIVersion']);

/** As `memberDifference`, of whole objects. */
export function objectDifference(type: StructType, old: unknown, now: unknown): string | undefined {
  const object = goStruct(type);
  const fields = [TYPE_META, ...object.fields.filter(({ name }) => !OF_TYPE.has(name))];
  return difference({ kind: 'pointer', element: { kind: 'struct', name: object.name, fields } }, old, now);
}

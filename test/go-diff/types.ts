/** Go types for tests, of values whose members are named as the fields. */
import type { GoMap, GoPointer, GoScalar, GoSlice, GoStruct, GoType } from '../../runtime/go-diff/go-type.ts';

export const text: GoScalar = { kind: 'string', name: 'string' };
export const mode: GoScalar = { kind: 'string', name: 'toy.Mode' };
export const flag: GoScalar = { kind: 'bool', name: 'bool' };
export const number: GoScalar = { kind: 'number', name: 'int64' };
export const pointer = (element: GoType): GoPointer => ({ kind: 'pointer', element });
export const slice = (element: GoType): GoSlice => ({ kind: 'slice', element });
export const map = (value: GoType): GoMap => ({ kind: 'map', value });

export function struct(name: string, fields: Readonly<Record<string, GoType>>): GoStruct {
  const of = (field: string) => (value: unknown) => (value as Readonly<Record<string, unknown>> | undefined)?.[field];
  return { kind: 'struct', name, fields: Object.entries(fields).map(([field, type]) => ({ name: field, type, of: of(field) })) };
}

/** Types of expressions. Values of type int are bigints, of uint `Uint`, of double numbers, of list arrays, of maps and structs `Map`. */
export type Type =
  | { readonly kind: 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'dyn' }
  | { readonly kind: 'list'; readonly element: Type }
  | { readonly kind: 'map'; readonly key: Type; readonly value: Type }
  | { readonly kind: 'struct'; readonly name: string; readonly fields: Readonly<Record<string, Type>> };

export const BOOL: Type = { kind: 'bool' };
export const INT: Type = { kind: 'int' };
export const UINT: Type = { kind: 'uint' };
export const DOUBLE: Type = { kind: 'double' };
export const STRING: Type = { kind: 'string' };
export const BYTES: Type = { kind: 'bytes' };
export const NULL: Type = { kind: 'null' };
export const DYN: Type = { kind: 'dyn' };
export const listOf = (element: Type): Type => ({ kind: 'list', element });
export const mapOf = (key: Type, value: Type): Type => ({ kind: 'map', key, value });

/** An unsigned integer, which is no int. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export type Value = boolean | bigint | Uint | number | string | Uint8Array | null | readonly Value[] | ReadonlyMap<Value, Value>;

/** Whether a value of type `actual` can stand where one of type `wanted` is expected. */
export function fits(wanted: Type, actual: Type): boolean {
  if (wanted.kind === 'dyn' || actual.kind === 'dyn') return true;
  if (wanted.kind === 'list') return actual.kind === 'list' && fits(wanted.element, actual.element);
  if (wanted.kind === 'map') return actual.kind === 'map' && fits(wanted.key, actual.key) && fits(wanted.value, actual.value);
  if (wanted.kind === 'struct') return actual.kind === 'struct' ? wanted.name === actual.name : actual.kind === 'null';
  return wanted.kind === actual.kind;
}

export function typeText(type: Type): string {
  if (type.kind === 'list') return `list(${typeText(type.element)})`;
  if (type.kind === 'map') return `map(${typeText(type.key)}, ${typeText(type.value)})`;
  return type.kind === 'struct' ? type.name : type.kind;
}

/** Undoes what decoding changes without changing the meaning: whether empty lists and maps are absent, and how quantities are spelled. */
import type { Field, StructType, Type } from '../contract/descriptor.ts';
import { isObject, type JsonObject } from './json/member.ts';
import { canonicalQuantity, canonicalResourceQuantity } from './scalar/quantity.ts';
import { quantityText } from './scalar-values.ts';

/**
 * Restores the written form of a value wherever the value still means the same.
 * @param value an object or a part of one; never changed
 * @param written the same value before it was decoded, or decoded with `asWritten`
 */
export function asWritten(type: Type, value: unknown, written: unknown): unknown {
  switch (type.kind) {
    case 'struct':
      return isObject(value) && isObject(written) ? structAsWritten(type, value, written) : value;
    case 'list':
      return listAsWritten(type.element, value ?? undefined, written);
    case 'map':
      return mapAsWritten(type.value, value ?? undefined, written);
    case 'any':
      return value;
    default:
      return type.scalar === 'quantity' ? quantityAsWritten(value, written) : value;
  }
}

function structAsWritten(struct: StructType, value: JsonObject, written: JsonObject): JsonObject {
  const object = { ...value };
  for (const { name, type } of membersOf(struct)) {
    const member = asWritten(type, value[name], written[name]);
    if (member === undefined) delete object[name];
    else object[name] = member;
  }
  return object;
}

/** The fields of a struct, with those of inline structs in their place. */
function membersOf({ fields }: StructType): Field[] {
  return fields.flatMap((field) => (field.go?.inline === true ? membersOf(field.type as StructType) : [field]));
}

function listAsWritten(element: Type, value: unknown, written: unknown): unknown {
  if (!Array.isArray(written)) return value;
  if (value === undefined && written.length === 0) return [];
  if (!Array.isArray(value) || value.length !== written.length) return value;
  return value.map((item, i) => asWritten(element, item, written[i]));
}

function mapAsWritten(type: Type, value: unknown, written: unknown): unknown {
  if (!isObject(written)) return value;
  if (value === undefined && Object.keys(written).length === 0) return {};
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, asWritten(type, item, written[name])]));
}

/** An entry of a map may be null or '' in place of a quantity, which decoding reads as 0. */
function quantityAsWritten(value: unknown, written: unknown): unknown {
  if (written === undefined || written === null || written === '') return value === '0' ? undefined : value;
  const text = quantityText(written).trim();
  return value === canonicalQuantity(text) || value === canonicalResourceQuantity(text) ? text : value;
}

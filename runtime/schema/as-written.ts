/** What decoding takes from a value because it is the same to readers: whether lists and maps are empty or absent, how quantities are spelled. */
import type { Field, StructType, Type } from '../contract/descriptor.ts';
import { isObject, type JsonObject } from './member.ts';
import { canonicalQuantity, canonicalResourceQuantity } from './scalar/quantity.ts';
import { quantityText } from './scalar-values.ts';

/**
 * A value as it was written, where it still is what was written.
 * @param value an object's or a part of it; never changed
 * @param written the same before it was decoded, or decoded as it was written
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

/** Those of inline structs included. */
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

/** null and '' are what an entry of a map may be instead. */
function quantityAsWritten(value: unknown, written: unknown): unknown {
  if (written === undefined || written === null || written === '') return value === '0' ? undefined : value;
  const text = quantityText(written).trim();
  return value === canonicalQuantity(text) || value === canonicalResourceQuantity(text) ? text : value;
}

/** Selects fields of objects, entries of maps and items of lists. */
import { typeNameOf, valueText } from '../values/describe.ts';
import { ErrorValue, ListValue, MapValue, StructValue, Uint, type Value } from '../values/value.ts';

/** @returns an error if the value has no such part */
export function select(value: Value, key: Value): Value {
  if (value instanceof MapValue) return present(value.find(key), () => noSuchKey(key));
  if (value instanceof StructValue && typeof key === 'string') return value.get(key);
  if (value instanceof ListValue) return present(itemOf(value, key), () => new ErrorValue(`index out of bounds: ${valueText(key)}`));
  return noSuchKey(key);
}

/** @returns undefined if the value has no such part, or is of a type without parts; an error for an invalid index of a list */
export function find(value: Value, key: Value): Value | undefined {
  if (value instanceof MapValue) return value.find(key);
  if (value instanceof StructValue && typeof key === 'string') return value.has(key) ? value.get(key) : fieldError(value, key);
  return value instanceof ListValue ? itemOf(value, key) : undefined;
}

/** Null counts as present. */
const present = (value: Value | undefined, error: () => ErrorValue): Value => (value === undefined ? error() : value);

const noSuchKey = (key: Value): ErrorValue => new ErrorValue(`no such key: ${valueText(key)}`);

/** A field that the type does not have is an error even for a presence test. */
function fieldError(value: StructValue, field: string): Value | undefined {
  return value.type.field(field) === undefined ? value.get(field) : undefined;
}

function itemOf(list: ListValue, key: Value): Value | undefined {
  const index = indexOf(key);
  if (index instanceof ErrorValue) return index;
  return index >= 0 && index < list.size ? list.at(index) : undefined;
}

function indexOf(key: Value): number | ErrorValue {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof Uint) return Number(key.value);
  if (typeof key !== 'number') return new ErrorValue(`unsupported index type '${typeNameOf(key)}' in list`);
  return Number.isInteger(key) ? key : new ErrorValue(`unsupported index value ${valueText(key)} in list`);
}

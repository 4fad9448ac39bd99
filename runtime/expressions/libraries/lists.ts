/** The list functions that Kubernetes adds to CEL. */
import type { FunctionDeclaration, Library } from '../environment/declarations.ts';
import { BOOL, BYTES, DOUBLE, DURATION, INT, listOf, parameter, STRING, TIMESTAMP, type Type, UINT } from '../types/type.ts';
import { compareValues, equalValues } from '../values/equality.ts';
import { Duration, ErrorValue, type ListValue, NO_SUCH_OVERLOAD, Uint, type Value } from '../values/value.ts';
import { declared, member } from './overloads.ts';
import { duration, int, uint } from './standard/ranges.ts';
import { traversedItems } from './traversal.ts';

const COMPARED: readonly (readonly [name: string, type: Type])[] = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['duration', DURATION],
  ['timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
];
const SUMMED: readonly (readonly [name: string, type: Type, zero: Value])[] = [
  ['int', INT, 0n],
  ['uint', UINT, new Uint(0n)],
  ['double', DOUBLE, 0],
  ['duration', DURATION, new Duration(0n)],
];

function isSorted(list: ListValue): Value {
  let previous: Value | undefined;
  for (const item of list) {
    if (item instanceof ErrorValue) return item;
    if (previous !== undefined && (compareValues(previous, item) ?? 0) > 0) return false;
    previous = item;
  }
  return true;
}

/** @param prefers whether an item replaces the result, by how it compares with it */
const extreme =
  (name: string, prefers: (order: number) => boolean) =>
  (list: ListValue): Value => {
    let result: Value | undefined;
    for (const item of list) {
      if (item instanceof ErrorValue) return item;
      if (result === undefined || prefers(compareValues(item, result) ?? 0)) result = item;
    }
    return result ?? new ErrorValue(`${name} called on empty list`);
  };

const sumFrom =
  (zero: Value) =>
  (list: ListValue): Value => {
    let total = zero;
    for (const item of list) {
      if (item instanceof ErrorValue) return item;
      total = plus(total, item);
      if (total instanceof ErrorValue) return total;
    }
    return total;
  };

function plus(a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return int(a + b);
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (a instanceof Uint && b instanceof Uint) return uint(a.value + b.value);
  return a instanceof Duration && b instanceof Duration ? duration(a.nanoseconds + b.nanoseconds) : NO_SUCH_OVERLOAD;
}

function indexOf(list: ListValue, item: Value): Value {
  for (let index = 0; index < list.size; index++) if (equalValues(list.at(index), item)) return BigInt(index);
  return -1n;
}

function lastIndexOf(list: ListValue, item: Value): Value {
  for (let index = list.size - 1; index >= 0; index--) if (equalValues(list.at(index), item)) return BigInt(index);
  return -1n;
}

const A = parameter('A');

const functions: readonly FunctionDeclaration[] = [
  declared(
    'isSorted',
    COMPARED.map(([name, type]) => member(`list_${name}_is_sorted_bool`, [listOf(type)], BOOL, isSorted)),
    traversedItems,
  ),
  declared(
    'sum',
    SUMMED.map(([name, type, zero]) => member(`list_${name}_sum_${name}`, [listOf(type)], type, sumFrom(zero))),
    traversedItems,
  ),
  declared(
    'max',
    COMPARED.map(([name, type]) =>
      member(
        `list_${name}_max_${name}`,
        [listOf(type)],
        type,
        extreme('max', (order) => order > 0),
      ),
    ),
    traversedItems,
  ),
  declared(
    'min',
    COMPARED.map(([name, type]) =>
      member(
        `list_${name}_min_${name}`,
        [listOf(type)],
        type,
        extreme('min', (order) => order < 0),
      ),
    ),
    traversedItems,
  ),
  declared('indexOf', [member('list_a_index_of_int', [listOf(A), A], INT, indexOf)], traversedItems),
  declared('lastIndexOf', [member('list_a_last_index_of_int', [listOf(A), A], INT, lastIndexOf)], traversedItems),
];

export const listsLibrary: Library = { name: 'kubernetes.lists', since: 0, functions };

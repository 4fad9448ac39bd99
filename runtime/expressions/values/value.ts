/**
 * Values of expressions. An int is a bigint of 64 bits, a double a number, a text a string. Errors are values, because `&&`, `||` and macros may decide without
 * what failed.
 */
import { Uint } from '../syntax/literal.ts';
import type { StructType, Type } from '../types/type.ts';

export { Uint };

/** Items in their order. Nobody changes one. */
export abstract class ListValue {
  abstract readonly size: number;
  /** @param index from 0 to below `size` */
  abstract at(index: number): Value;

  *[Symbol.iterator](): Generator<Value> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }

  /** whether it is read through a schema; such a list is not compared with values of other kinds */
  get isOfSchema(): boolean {
    return false;
  }

  /** Equality and concatenation of lists that are more than items in their order, such as sets; undefined for what is usual. */
  equals?(other: ListValue): Value;
  plus?(other: ListValue): Value;
}

/** Entries in the order in which they are told. Nobody changes one. */
export abstract class MapValue {
  abstract readonly size: number;
  /** @returns undefined where there is no such key; a number finds the key that is equal to it, whatever its type */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;

  /** as of `ListValue` */
  get isOfSchema(): boolean {
    return false;
  }

  /** Equality of maps that have more than their entries; undefined for what is usual. */
  equals?(other: MapValue): boolean;
}

/** An object of a declared type. */
export abstract class StructValue {
  abstract readonly type: StructType;
  /** @returns what an absent field is read as; an error for a field that the type does not have */
  abstract get(field: string): Value;
  abstract has(field: string): boolean;
  /** the fields that are there */
  abstract fields(): Iterable<string>;
}

/** A value of a library's type. */
export abstract class OpaqueValue {
  abstract readonly type: Type;
  abstract equals(other: OpaqueValue): boolean;
  /** Whether it may stand on the right of an equality whose left side this is; what else does is an error. */
  isComparable(other: Value): boolean {
    return other instanceof OpaqueValue && other.constructor === this.constructor;
  }
  /** by which costs are counted */
  get size(): number {
    return 1;
  }
}

/** A point in time, between the years 1 and 9999. */
export class Timestamp {
  /** since 1970, UTC */
  readonly nanoseconds: bigint;
  /** seconds by which the clock that it was told by is ahead of UTC; two points in time are the same whatever these are */
  readonly offset: number;
  constructor(nanoseconds: bigint, offset = 0) {
    this.nanoseconds = nanoseconds;
    this.offset = offset;
  }
}

export class Duration {
  readonly nanoseconds: bigint;
  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

/** A type as a value. */
export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export class Optional {
  static readonly NONE = new Optional(undefined);
  readonly value: Value | undefined;
  private constructor(value: Value | undefined) {
    this.value = value;
  }
  static of(value: Value): Optional {
    return new Optional(value);
  }
}

/** What went wrong while an expression was evaluated. */
export class ErrorValue {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export type Value =
  | null
  | boolean
  | bigint
  | Uint
  | number
  | string
  | Uint8Array
  | ListValue
  | MapValue
  | StructValue
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | OpaqueValue
  | ErrorValue;

export const NO_SUCH_OVERLOAD = new ErrorValue('no such overload');

/** Items that an array holds. */
export class ArrayList extends ListValue {
  readonly #items: readonly Value[];
  constructor(items: readonly Value[]) {
    super();
    this.#items = items;
  }
  get size(): number {
    return this.#items.length;
  }
  at(index: number): Value {
    return this.#items[index] as Value;
  }
  override [Symbol.iterator](): Generator<Value> {
    return this.#items[Symbol.iterator]() as Generator<Value>;
  }
}

/** Lists are joined without being copied up to this depth; deeper ones would fill the stack when they are read. */
const MAX_JOINS = 32;

/** One list behind another. */
export class JoinedList extends ListValue {
  readonly size: number;
  readonly #first: ListValue;
  readonly #second: ListValue;
  readonly #depth: number;
  private constructor(first: ListValue, second: ListValue, depth: number) {
    super();
    this.#first = first;
    this.#second = second;
    this.#depth = depth;
    this.size = first.size + second.size;
  }

  static of(first: ListValue, second: ListValue): ListValue {
    const depth = 1 + Math.max(JoinedList.#depthOf(first), JoinedList.#depthOf(second));
    return depth > MAX_JOINS ? new ArrayList([...first, ...second]) : new JoinedList(first, second, depth);
  }

  static #depthOf(list: ListValue): number {
    return list instanceof JoinedList ? list.#depth : 0;
  }

  at(index: number): Value {
    return index < this.#first.size ? this.#first.at(index) : this.#second.at(index - this.#first.size);
  }
}

type EntryKey = boolean | bigint | string | number;

/** Numbers of all types are one key where they are equal. @returns undefined for what can be no key */
export function entryKey(key: Value): EntryKey | undefined {
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean') return key;
  if (key instanceof Uint) return key.value;
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : key;
  return undefined;
}

/** The error with which evaluation ends when a key cannot be looked for, as in 1.32. No expression catches it. */
export class UnhashableKey extends Error {
  constructor() {
    super('internal error: runtime error: hash of unhashable type types.Bytes');
  }
}

/** Behind all ints, so that the key of a uint is that of no int; durations and times are behind these. */
const UINTS = 2n ** 64n;
const DURATIONS = 2n ** 80n;
const TIMESTAMPS = 2n ** 90n;

/**
 * What an entry is found by whose key is neither a scalar nor a text: any value but bytes is a key in 1.32. Lists and maps are found by themselves alone.
 * @throws UnhashableKey
 */
export function unusualKey(key: Value): unknown {
  if (key instanceof Uint8Array) throw new UnhashableKey();
  if (key instanceof Duration) return DURATIONS + key.nanoseconds;
  return key instanceof Timestamp ? TIMESTAMPS + key.nanoseconds : key;
}

/** Keys of all types, told apart by their types as well. */
const typedKey = (key: EntryKey | Uint): EntryKey => (key instanceof Uint ? UINTS + key.value : key);

/** Entries that were put together. */
export class EntryMap extends MapValue {
  readonly #entries: ReadonlyMap<unknown, readonly [key: Value, value: Value]>;
  private constructor(entries: ReadonlyMap<unknown, readonly [key: Value, value: Value]>) {
    super();
    this.#entries = entries;
  }

  /**
   * Of entries with one key the last one counts. Equal numbers of two types are two keys.
   * @param strict whether a key that is there twice, be it of another type, or is no whole number, is an error
   * @returns an error for keys that can be none
   * @throws UnhashableKey
   */
  static of(entries: Iterable<readonly [key: Value, value: Value]>, strict = false): EntryMap | ErrorValue {
    const map = new Map<unknown, readonly [Value, Value]>();
    const seen = new Set<EntryKey>();
    for (const entry of entries) {
      const key = entryKey(entry[0]);
      if (strict) {
        if (key === undefined || typeof entry[0] === 'number') return new ErrorValue('unsupported key type');
        if (seen.has(key)) return new ErrorValue(`Failed with repeated key`);
        seen.add(key);
      }
      map.set(key === undefined ? unusualKey(entry[0]) : typedKey(entry[0] as EntryKey | Uint), entry);
    }
    return new EntryMap(map);
  }

  get size(): number {
    return this.#entries.size;
  }
  /** A key of the same type is found first, then an equal int, then an equal uint; a double that is a key is found by doubles alone. */
  find(key: Value): Value | undefined {
    const known = entryKey(key);
    if (known === undefined) return this.size === 0 ? undefined : this.#entries.get(unusualKey(key))?.[1];
    const entry = this.#entries.get(typedKey(key as EntryKey | Uint));
    if (entry !== undefined || typeof known !== 'bigint') return entry?.[1];
    return (this.#entries.get(known) ?? (known < 0n ? undefined : this.#entries.get(UINTS + known)))?.[1];
  }
  *keys(): Generator<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }
}

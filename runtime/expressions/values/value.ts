/**
 * Values of expressions. An int is a bigint of 64 bits, a double a number, a text a string. Errors are values, because `&&`, `||` and
 * macros may succeed without the operand that has failed.
 */
import { Uint } from '../syntax/literal.ts';
import type { StructType, Type } from '../types/type.ts';

export { Uint };

/** An ordered list. It is immutable. */
export abstract class ListValue {
  abstract readonly size: number;
  /** @param index from 0 to `size` - 1 */
  abstract at(index: number): Value;

  *[Symbol.iterator](): Generator<Value> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }

  /** whether it is read through a schema; such a list cannot be compared with values of other kinds */
  get isOfSchema(): boolean {
    return false;
  }

  /** Equality and concatenation of lists with semantics of their own, such as sets; undefined: as usual. */
  equals?(other: ListValue): Value;
  plus?(other: ListValue): Value;
}

/** A map, whose entries have the order of `keys`. It is immutable. */
export abstract class MapValue {
  /** Whether it is an object of a type that an expression reads. */
  get isOfObject(): boolean {
    return false;
  }

  abstract readonly size: number;
  /** @returns undefined if there is no such key; a number finds an equal key of another type */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;

  /** see `ListValue` */
  get isOfSchema(): boolean {
    return false;
  }

  /** Equality of maps with semantics of their own; undefined: as usual. */
  equals?(other: MapValue): Value;
}

/** An object of a declared type. */
export abstract class StructValue {
  abstract readonly type: StructType;
  /** @returns the value that an absent field is read as; an error if the type has no such field */
  abstract get(field: string): Value;
  abstract has(field: string): boolean;
  /** the fields that are present */
  abstract fields(): Iterable<string>;
}

/** A value of a library's type. */
export abstract class OpaqueValue {
  abstract readonly type: Type;
  abstract equals(other: OpaqueValue): boolean;
  /** Whether `other` may be compared with this value; otherwise the comparison is an error. */
  isComparable(other: Value): boolean {
    return other instanceof OpaqueValue && other.constructor === this.constructor;
  }
  /** the size by which costs are computed */
  get size(): number {
    return 1;
  }
}

/** A point in time in the years 1 to 9999. */
export class Timestamp {
  /** since 1970 in UTC */
  readonly nanoseconds: bigint;
  /** seconds by which the time zone of its text is ahead of UTC; it does not matter for equality */
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

/** An error of the evaluation. */
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

/** A list with its items in an array. */
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

/** Lists are joined without copying up to this depth. A deeper one could overflow the stack when it is read. */
const MAX_JOINS = 32;

/** Two lists, one after the other. */
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

/** Equal numbers of all types have the same key. @returns undefined for a value that has none */
export function entryKey(key: Value): EntryKey | undefined {
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean') return key;
  if (key instanceof Uint) return key.value;
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : key;
  return undefined;
}

/** Ends the evaluation because a key cannot be hashed, as in 1.32. No expression can catch it. */
export class UnhashableKey extends Error {
  constructor() {
    super('internal error: runtime error: hash of unhashable type types.Bytes');
  }
}

/** Offsets that keep the keys of uints, durations and timestamps apart from those of ints. */
const UINTS = 2n ** 64n;
const DURATIONS = 2n ** 80n;
const TIMESTAMPS = 2n ** 90n;

/**
 * The key of an entry whose key is neither a scalar nor a text: in 1.32 any value except bytes is a key. Lists and maps are only equal to
 * themselves.
 * @throws UnhashableKey
 */
export function unusualKey(key: Value): unknown {
  if (key instanceof Uint8Array) throw new UnhashableKey();
  if (key instanceof Duration) return DURATIONS + key.nanoseconds;
  return key instanceof Timestamp ? TIMESTAMPS + key.nanoseconds : key;
}

/** A key that also distinguishes types. */
const typedKey = (key: EntryKey | Uint): EntryKey => (key instanceof Uint ? UINTS + key.value : key);

/** A map with its entries in memory. */
export class EntryMap extends MapValue {
  readonly #entries: ReadonlyMap<unknown, readonly [key: Value, value: Value]>;
  private constructor(entries: ReadonlyMap<unknown, readonly [key: Value, value: Value]>) {
    super();
    this.#entries = entries;
  }

  /**
   * If several entries have the same key, the last one counts; one without a value takes that of an earlier one away. Equal numbers of
   * different types are different keys.
   * @param strict whether repeated keys, even of different types, and fractions are errors
   * @returns an error for invalid keys
   * @throws UnhashableKey
   */
  static of(entries: Iterable<readonly [key: Value, value: Value | undefined]>, strict = false): EntryMap | ErrorValue {
    const map = new Map<unknown, readonly [Value, Value]>();
    const seen = new Set<EntryKey>();
    for (const [given, value] of entries) {
      const key = entryKey(given);
      if (strict) {
        if (key === undefined || typeof given === 'number') return new ErrorValue('unsupported key type');
        if (seen.has(key)) return new ErrorValue(`Failed with repeated key`);
        seen.add(key);
      }
      const identity = key === undefined ? unusualKey(given) : typedKey(given as EntryKey | Uint);
      if (value === undefined) map.delete(identity);
      else map.set(identity, [given, value]);
    }
    return new EntryMap(map);
  }

  get size(): number {
    return this.#entries.size;
  }
  /** A key of the same type takes precedence, then an equal int, then an equal uint. A double key is only found by doubles. */
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

/** Lists and maps that a macro builds. They are mutable, but only their comprehension can see them. */
import { valueText } from './describe.ts';
import { ArrayList, EntryMap, ErrorValue, entryKey, ListValue, MapValue, unusualKey, type Value } from './value.ts';

export class GrowingList extends ListValue {
  readonly #items: Value[] = [];
  get size(): number {
    return this.#items.length;
  }
  at(index: number): Value {
    return this.#items[index] as Value;
  }
  override plus(other: ListValue): Value {
    for (const item of other) this.#items.push(item);
    return this;
  }
  /** Returns the immutable list. This one must not grow afterwards. */
  finished(): ListValue {
    return new ArrayList(this.#items);
  }
}

export class GrowingMap extends MapValue {
  readonly #entries = new Map<unknown, readonly [key: Value, value: Value]>();
  get size(): number {
    return this.#entries.size;
  }
  find(key: Value): Value | undefined {
    return this.#entries.get(entryKey(key) ?? unusualKey(key))?.[1];
  }
  *keys(): Generator<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }
  /** @returns an error if the key exists already @throws UnhashableKey */
  insert(key: Value, value: Value): Value {
    const known = entryKey(key) ?? unusualKey(key);
    if (this.#entries.has(known)) return new ErrorValue(`insert failed: key ${valueText(key)} already exists`);
    this.#entries.set(known, [key, value]);
    return this;
  }
  /** Returns the immutable map. This one must not grow afterwards. */
  finished(): Value {
    return EntryMap.of(this.#entries.values());
  }
}

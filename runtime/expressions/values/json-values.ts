/** JSON without a schema as values of expressions; nothing is copied. */
import { ListValue, MapValue, type Value } from './value.ts';

/** Whole numbers are ints. @param json nobody changes it */
export function jsonValue(json: unknown): Value {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return new JsonList(json);
  if (typeof json === 'object' && json !== null) return new JsonMap(json as Readonly<Record<string, unknown>>);
  return (json ?? null) as Value;
}

class JsonList extends ListValue {
  readonly #list: readonly unknown[];
  constructor(list: readonly unknown[]) {
    super();
    this.#list = list;
  }
  get size(): number {
    return this.#list.length;
  }
  at(index: number): Value {
    return jsonValue(this.#list[index]);
  }
}

class JsonMap extends MapValue {
  readonly #members: Readonly<Record<string, unknown>>;
  constructor(members: Readonly<Record<string, unknown>>) {
    super();
    this.#members = members;
  }
  get size(): number {
    return Object.keys(this.#members).length;
  }
  find(key: Value): Value | undefined {
    return typeof key === 'string' && Object.hasOwn(this.#members, key) ? jsonValue(this.#members[key]) : undefined;
  }
  keys(): Iterable<Value> {
    return Object.keys(this.#members);
  }
}

/** JSON without a schema as values of expressions; nothing is copied. */
import { int64Of, isRawNumber } from '../../schema/scalar/raw-number.ts';
import { ListValue, MapValue, type Value } from './value.ts';

/** Whole numbers are ints. @param json nobody changes it; members that are undefined are not there */
export function jsonValue(json: unknown): Value {
  if (typeof json === 'string') return json;
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return new JsonList(json);
  if (typeof json !== 'object' || json === null) return (json ?? null) as Value;
  if (isRawNumber(json)) return int64Of(json.rawJSON) ?? Number(json.rawJSON);
  return new JsonMap(json as Readonly<Record<string, unknown>>);
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
    return this.keys().length;
  }
  find(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#members, key)) return undefined;
    const member = this.#members[key];
    return member === undefined ? undefined : jsonValue(member);
  }
  keys(): readonly string[] {
    const keys = Object.keys(this.#members);
    return keys.some((key) => this.#members[key] === undefined) ? keys.filter((key) => this.#members[key] !== undefined) : keys;
  }
}

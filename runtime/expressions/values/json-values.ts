/** JSON without a schema as values of expressions. Nothing is copied. */
import { int64Of, isRawNumber } from '../../schema/scalar/raw-number.ts';
import { memberCount } from './member-count.ts';
import { ListValue, MapValue, type Value } from './value.ts';

/** Whole numbers become ints. @param json must not be changed; members that are undefined are absent */
export function jsonValue(json: unknown): Value {
  if (typeof json === 'string') return json;
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return new JsonList(json);
  if (typeof json !== 'object' || json === null) return (json ?? null) as Value;
  if (isRawNumber(json)) return int64Of(json.rawJSON) ?? Number(json.rawJSON);
  return new JsonMap(json as Readonly<Record<string, unknown>>);
}

export class JsonList extends ListValue {
  /** must not be changed */
  readonly json: readonly unknown[];
  constructor(json: readonly unknown[]) {
    super();
    this.json = json;
  }
  get size(): number {
    return this.json.length;
  }
  at(index: number): Value {
    return jsonValue(this.json[index]);
  }
}

export class JsonMap extends MapValue {
  /** must not be changed; members that are undefined are absent */
  readonly json: Readonly<Record<string, unknown>>;
  constructor(json: Readonly<Record<string, unknown>>) {
    super();
    this.json = json;
  }
  get size(): number {
    return memberCount(this.json, () => this.keys().length);
  }
  find(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.json, key)) return undefined;
    const member = this.json[key];
    return member === undefined ? undefined : jsonValue(member);
  }
  keys(): readonly string[] {
    const keys = Object.keys(this.json);
    return keys.some((key) => this.json[key] === undefined) ? keys.filter((key) => this.json[key] !== undefined) : keys;
  }
}

/** Converts results of expressions to JSON. */
import { noteName } from '../../schema/json/backslash-names.ts';
import { type JsonObject, setMember } from '../../schema/json/member.ts';
import { integerOf } from '../../schema/scalar/raw-number.ts';
import { typeNameOf, valueText } from './describe.ts';
import { JsonList, JsonMap } from './json-values.ts';
import { durationText, timestampText } from './texts-of-time.ts';
import { Duration, ListValue, MapValue, Optional, StructValue, Timestamp, Uint, type Value } from './value.ts';

/**
 * How values are converted that JSON has no form for.
 *
 * - `protobuf`: by the JSON mapping of protobuf: times, bytes, and integers that exceed doubles become texts; an optional value must be
 * present
 * - `plain`: as 1.32 reads what an apply configuration has made. Integers keep their digits, an absent optional value is null; null itself, unsigned integers,
 * times and bytes are refused, and so are lists and maps that an expression has made within others: an object of a type may stand there
 */
export type JsonForm = 'protobuf' | 'plain';

/** The value cannot be converted in that form. */
export class NoJson extends Error {}

/** The JSON would be too long. */
export class TooMuchJson extends NoJson {
  /** @param limit characters */
  constructor(limit: number) {
    super(`it would be longer than ${limit} characters of JSON`);
  }
}

/**
 * A value that occurs in several places is converted once, because a short expression can make a value that would fill the memory.
 * @param limit of the characters of JSON
 * @throws NoJson, TooMuchJson
 */
export function jsonOf(value: Value, form: JsonForm, limit: number): Converted {
  try {
    return new Conversion(form, limit).of(value, '');
  } catch (error) {
    throw error instanceof RangeError ? new NoJson('exceeded max depth') : error;
  }
}

export interface Converted {
  /** must not be changed, because it shares parts with the converted value */
  readonly json: unknown;
  /** characters of JSON */
  readonly size: number;
}

const sized = (json: unknown): Converted => ({ json, size: JSON.stringify(json).length });

class Conversion {
  readonly #form: JsonForm;
  readonly #limit: number;
  readonly #known = new Map<object, Converted>();

  constructor(form: JsonForm, limit: number) {
    this.#form = form;
    this.#limit = limit;
  }

  /** @param path of the value in errors, such as `.spec.replicas` */
  of(value: Value, path: string): Converted {
    if (typeof value !== 'object' || value === null) return this.#bounded(this.#scalar(value, path));
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const made = this.#bounded(this.#object(value, path));
    this.#known.set(value, made);
    return made;
  }

  #bounded(converted: Converted): Converted {
    if (converted.size > this.#limit) throw new TooMuchJson(this.#limit);
    return converted;
  }

  #scalar(value: Exclude<Value, object> | null, path: string): Converted {
    if (typeof value === 'string') return value.length > this.#limit ? { json: value, size: value.length } : sized(value);
    if (typeof value === 'bigint') return this.#integer(value);
    if (typeof value === 'number' && !Number.isFinite(value)) throw new NoJson(`${path}: a number that is not finite has no JSON`);
    if (value === null && this.#form === 'plain') throw new NoJson(`${path}: expected a value, got null`);
    return sized(value);
  }

  #integer(value: bigint): Converted {
    const json = integerOf(value);
    return sized(typeof json === 'object' && this.#form === 'protobuf' ? String(value) : json);
  }

  #object(value: Exclude<Value, null | boolean | bigint | number | string>, path: string): Converted {
    if (value instanceof JsonList || value instanceof JsonMap) return sized(value.json);
    if (value instanceof ListValue) return this.#list(value, path);
    if (value instanceof MapValue) return this.#map(value, path);
    if (value instanceof StructValue) return this.#struct(value, path);
    if (value instanceof Uint) return this.#unsigned(value, path);
    if (value instanceof Optional) return this.#optional(value, path);
    const text = this.#form === 'protobuf' ? protobufText(value) : undefined;
    if (text !== undefined) return sized(text);
    throw new NoJson(this.#form === 'protobuf' ? noProtobuf(value) : `${path}: expected a value of JSON, got ${typeNameOf(value)}`);
  }

  #unsigned({ value }: Uint, path: string): Converted {
    if (this.#form === 'plain') throw new NoJson(`${path}: expected numeric (int or float), got uint64`);
    return this.#integer(value);
  }

  #optional({ value }: Optional, path: string): Converted {
    if (value !== undefined) return this.of(value, path);
    if (this.#form === 'protobuf') throw new NoJson('optional.none() dereference');
    return sized(null);
  }

  /** A value in a list or map. */
  #within(value: Value, path: string): Converted {
    const expected = this.#form === 'plain' ? madeKind(value) : undefined;
    if (expected !== undefined) throw new NoJson(`${path}: expected ${expected}, got &{${goText(value)}}`);
    return this.of(value, path);
  }

  #list(list: ListValue, path: string): Converted {
    const json: unknown[] = [];
    let size = Math.max(2, 1 + list.size);
    for (let index = 0; index < list.size; index++) {
      const item = this.#within(list.at(index), `${path}[${index}]`);
      json.push(item.json);
      size += item.size;
      this.#bounded({ json, size });
    }
    return { json, size };
  }

  #map(map: MapValue, path: string): Converted {
    const members = new Members();
    const converted = map.isOfObject ? this.of.bind(this) : this.#within.bind(this);
    for (const key of map.keys()) {
      if (typeof key !== 'string')
        throw new NoJson(
          this.#form === 'protobuf'
            ? noKey(key)
            : `${path}: map key ${JSON.stringify(valueText(key))} is of type ${typeNameOf(key)}, not string`,
        );
      this.#bounded(members.add(key, converted(map.find(key) as Value, `${path}.${key}`)));
    }
    return members;
  }

  #struct(struct: StructValue, path: string): Converted {
    const members = new Members();
    for (const field of struct.fields()) this.#bounded(members.add(field, this.of(struct.get(field), `${path}.${field}`)));
    return members;
  }
}

class Members implements Converted {
  readonly json: JsonObject = {};
  size = 2;

  add(name: string, { json, size }: Converted): this {
    const comma = this.size === 2 ? 0 : 1;
    noteName(name);
    setMember(this.json, name, json);
    this.size += comma + JSON.stringify(name).length + 1 + size;
    return this;
  }
}

/** What an expression has made of lists or maps: not those of an object that it reads. */
function madeKind(value: Value): 'list' | 'map' | undefined {
  if (value instanceof JsonList || value instanceof JsonMap) return undefined;
  if (value instanceof ListValue) return 'list';
  return value instanceof MapValue && !value.isOfObject ? 'map' : undefined;
}

/** Parts of lists and maps that are told of one. */
const TOLD = 10;

/** A list or map as Go prints it. What stands in its parts is not told. */
function goText(value: Value): string {
  const part = (each: Value): string => (typeof each === 'object' ? '…' : String(each));
  if (value instanceof ListValue) return `[${told(value, part).join(' ')}]`;
  const map = value as MapValue;
  return `map[${told(map.keys(), (key) => `${part(key)}:${part(map.find(key) as Value)}`)
    .sort()
    .join(' ')}]`;
}

const told = <Part>(parts: Iterable<Part>, textOf: (part: Part) => string): string[] => Array.from(Iterator.from(parts).take(TOLD), textOf);

function protobufText(value: object): string | undefined {
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : undefined;
}

/** The names that conversion errors of 1.32 have for types. */
const CONVERTED: Readonly<Record<string, string>> = {
  bool: 'bool',
  double: 'Double',
  'google.protobuf.Duration': "'Duration'",
  'google.protobuf.Timestamp': "'Timestamp'",
  'kubernetes.NamedFormat': "'Format'",
  'kubernetes.Quantity': "'Quantity'",
  'kubernetes.URL': "'URL'",
  list: 'list',
  map: 'map',
  'net.CIDR': "'CIDR'",
  'net.IP': "'IP'",
};

function unconverted(value: Value, to: string): string {
  const name = typeNameOf(value);
  if (name === 'type') return "type conversion not supported for 'type'";
  if (name === 'int' || name === 'uint') return `unsupported type conversion from '${name}' to ${to}`;
  return `type conversion error from ${CONVERTED[name] ?? `'${name}'`} to '${to}'`;
}

const noProtobuf = (value: Value): string => unconverted(value, '*structpb.Value');
const noKey = (key: Value): string => unconverted(key, 'string');

/** JSON as values of expressions. Nothing is copied; each part is read through its schema on demand. */

import { goQuote } from '../../contract/go-quote.ts';
import { DYN, type Type } from '../../expressions/types/type.ts';
import { valueText } from '../../expressions/values/describe.ts';
import { comparison } from '../../expressions/values/equality.ts';
import { memberCount } from '../../expressions/values/member-count.ts';
import { parseDuration, parseTimestamp } from '../../expressions/values/texts-of-time.ts';
import {
  ArrayList,
  Duration,
  ErrorValue,
  ListValue,
  MapValue,
  NO_SUCH_OVERLOAD,
  OpaqueValue,
  type Value,
} from '../../expressions/values/value.ts';
import { wordedDuration } from '../../formats/durations.ts';
import { deepEqual } from '../../schema/equal.ts';
import { isObject, type JsonObject } from '../../schema/json/member.ts';
import { int64Of, numberText } from '../../schema/scalar/raw-number.ts';
import type { CustomSchema } from '../custom-schema.ts';
import { withObjectMembers } from './declared-type.ts';
import { escapeProperty, unescapeProperty } from './property-names.ts';

/** @param schema of the value; that of an object of the API must be the result of `withObjectMembers` */
export function schemaValue(value: unknown, schema: CustomSchema): Value {
  if (value === null || value === undefined)
    return schema.nullable === true ? null : new ErrorValue('invalid data, got null for schema with nullable=false');
  if (schema['x-kubernetes-int-or-string'] === true) return intOrText(value);
  switch (schema.type) {
    case 'object':
      return isObject(value) ? objectValue(value, schema) : wrong('a map for the provided schema with type=object');
    case 'array':
      return Array.isArray(value) ? listValue(value, schema) : wrong('an array for the provided schema with type=array');
    case 'string':
      return typeof value === 'string' ? textValue(value, schema) : wrong(`string, got ${goType(value)}`);
    case 'number':
      return numberText(value) === undefined ? wrong(`float, got ${goType(value)}`) : Number(numberText(value));
    case 'integer':
      return integerValue(value) ?? wrong(`int, got ${goType(value)}`);
    case 'boolean':
      return typeof value === 'boolean' ? value : wrong(`bool, got ${goType(value)}`);
    default:
      return schema['x-kubernetes-preserve-unknown-fields'] === true
        ? new UnknownValue(value)
        : new ErrorValue(`${NO_TYPE}${schema.type ?? ''}`);
  }
}

const NO_TYPE =
  'invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ';
const wrong = (expected: string): ErrorValue => new ErrorValue(`invalid data, expected ${expected}`);

function goType(value: unknown): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return '[]interface {}';
  return integerValue(value) !== undefined ? 'int64' : numberText(value) !== undefined ? 'float64' : 'map[string]interface {}';
}

/** Small integers are made once, because replicas, system ports and the like are frequent. */
const SMALL = Array.from({ length: 1_024 }, (_, value) => BigInt(value));
const integer = (value: number): bigint => SMALL[value] ?? BigInt(value);

function integerValue(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? integer(value) : undefined;
  const text = numberText(value);
  return text === undefined ? undefined : int64Of(text);
}

function intOrText(value: unknown): Value {
  if (typeof value === 'string') return value;
  return integerValue(value) ?? wrong('XIntOrString value to be either a string or integer');
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

function textValue(text: string, { format }: CustomSchema): Value {
  switch (format) {
    case 'byte':
      return bytesOf(text);
    case 'duration':
      return parseDuration(text) ?? wordedDurationValue(text);
    case 'date':
      return (DATE.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined) ?? new ErrorValue(`Invalid date formatted string ${text}`);
    case 'date-time':
      return parseTimestamp(text) ?? new ErrorValue(unreadableMoment(text));
    default:
      return text;
  }
}

/** The two letters that the format has and URLs have not are errors in 1.32. */
function bytesOf(text: string): Value {
  const at = text.search(/[^A-Za-z0-9_=-]/);
  return at < 0
    ? Buffer.from(text, 'base64url')
    : new ErrorValue(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${at}`);
}

/** The format also accepts lower-case letters, but no layout that 1.32 tries does; the error is that of the last layout. */
function unreadableMoment(text: string): string {
  const problem = `parsing time ${goQuote(text)} as "2006-01-02 15:04:05": cannot parse ${goQuote(text.slice(10))} as " "`;
  return `Invalid date-time formatted string ${text}: ${problem}`;
}

function wordedDurationValue(text: string): Value {
  const nanoseconds = wordedDuration(text);
  return nanoseconds === undefined
    ? new ErrorValue(`Invalid duration ${text}: unable to parse ${text} as duration`)
    : new Duration(nanoseconds);
}

const isEmbedded = (schema: CustomSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

function objectValue(value: JsonObject, schema: CustomSchema): Value {
  if (isEmbedded(schema)) return new CustomObject(value, withObjectMembers(schema));
  if (schema.properties === undefined && typeof schema.additionalProperties === 'object')
    return new CustomMap(value, schema.additionalProperties);
  return new CustomObject(value, schema);
}

function listValue(list: readonly unknown[], schema: CustomSchema): Value {
  const { items } = schema;
  if (items === undefined) return new ErrorValue('invalid array type, expected Items with a non-empty Schema');
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return new KeyedList(new CustomList(list, items), identityOf);
    case 'map':
      return new KeyedList(new CustomList(list, items), identityByKeys(schema['x-kubernetes-list-map-keys'] ?? []));
    default:
      return new CustomList(list, items);
  }
}

/** A value that is preserved without a schema. Expressions can only compare it. */
class UnknownValue extends OpaqueValue {
  readonly type: Type = DYN;
  readonly #value: unknown;
  constructor(value: unknown) {
    super();
    this.#value = value;
  }
  override isComparable(): boolean {
    return true;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof UnknownValue && deepEqual(this.#value, other.#value);
  }
}

const declared = new WeakMap<CustomSchema, ReadonlyMap<string, CustomSchema>>();

/** The properties by name. The map is made once for each schema. */
function propertiesOf(schema: CustomSchema): ReadonlyMap<string, CustomSchema> {
  const known = declared.get(schema);
  if (known !== undefined) return known;
  const made = new Map(Object.entries(schema.properties ?? {}));
  declared.set(schema, made);
  return made;
}

/** An object whose properties have schemas; a null property counts as absent. */
export class CustomObject extends MapValue {
  readonly #value: JsonObject;
  readonly #properties: ReadonlyMap<string, CustomSchema>;

  constructor(value: JsonObject, schema: CustomSchema) {
    super();
    this.#value = value;
    this.#properties = propertiesOf(schema);
  }

  override get isOfSchema(): boolean {
    return true;
  }

  get size(): number {
    return memberCount(this.#value, () => Object.keys(this.#value).length);
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return new ErrorValue('no such overload');
    const name = unescapeProperty(key);
    const schema = this.#properties.get(name);
    const value = schema !== undefined && Object.hasOwn(this.#value, name) ? this.#value[name] : undefined;
    return schema === undefined || value === undefined || value === null ? undefined : schemaValue(value, schema);
  }

  override equals(other: MapValue): Value {
    if (other.size !== this.size) return false;
    for (const name of Object.keys(this.#value)) {
      const outcome = this.#comparedBy(name, other);
      if (outcome !== true) return outcome;
    }
    return true;
  }

  /** Undeclared members are compared as JSON; one that the other object has not differs in nothing, as in 1.32. */
  #comparedBy(name: string, other: MapValue): Value {
    const value = this.#value[name];
    const schema = this.#properties.get(name);
    if (schema !== undefined) {
      const found = other.find(escapeProperty(name) ?? name);
      return found === undefined ? false : comparison(schemaValue(value, schema), found);
    }
    if (!(other instanceof CustomObject)) return NO_SUCH_OVERLOAD;
    return !Object.hasOwn(other.#value, name) || deepEqual(value, other.#value[name]);
  }

  *keys(): Generator<Value> {
    for (const name of Object.keys(this.#value)) {
      const escaped = !this.#properties.has(name) || this.#value[name] === null ? undefined : escapeProperty(name);
      if (escaped !== undefined) yield escaped;
    }
  }
}

export class CustomMap extends MapValue {
  readonly #value: JsonObject;
  readonly #values: CustomSchema;

  constructor(value: JsonObject, values: CustomSchema) {
    super();
    this.#value = value;
    this.#values = values;
  }

  override get isOfSchema(): boolean {
    return true;
  }

  get size(): number {
    return memberCount(this.#value, () => Object.keys(this.#value).length);
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return new ErrorValue('no such overload');
    return Object.hasOwn(this.#value, key) ? schemaValue(this.#value[key], this.#values) : undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#value);
  }
}

class CustomList extends ListValue {
  readonly #list: readonly unknown[];
  readonly #items: CustomSchema;

  constructor(list: readonly unknown[], items: CustomSchema) {
    super();
    this.#list = list;
    this.#items = items;
  }

  override get isOfSchema(): boolean {
    return true;
  }

  get size(): number {
    return this.#list.length;
  }

  at(index: number): Value {
    return schemaValue(this.#list[index], this.#items);
  }
}

/** A list whose order does not matter. Its elements are identified by their values or keys. */
class KeyedList extends ListValue {
  readonly #list: ListValue;
  readonly #identity: (element: Value) => string;

  constructor(list: ListValue, identity: (element: Value) => string) {
    super();
    this.#list = list;
    this.#identity = identity;
  }

  override get isOfSchema(): boolean {
    return true;
  }

  get size(): number {
    return this.#list.size;
  }

  at(index: number): Value {
    return this.#list.at(index);
  }

  /** As in 1.32, the other list may repeat elements in place of some that it has not. */
  override equals(other: ListValue): Value {
    if (other.size !== this.size) return false;
    const own = this.#byIdentity(this);
    for (const element of other) {
      const found = own.get(this.#identity(element));
      const outcome = found === undefined ? false : comparison(found, element);
      if (outcome !== true) return outcome;
    }
    return true;
  }

  /**
   * As in 1.32, the elements of this list come first, with the values of the other list if it has them too, followed by the other's further
   * elements.
   */
  override plus(other: ListValue): Value {
    const joined = this.#byIdentity(this);
    for (const [identity, element] of this.#byIdentity(other)) joined.set(identity, element);
    return new KeyedList(new ArrayList([...joined.values()]), this.#identity);
  }

  #byIdentity(list: ListValue): Map<string, Value> {
    return new Map(Array.from(list, (element) => [this.#identity(element), element]));
  }
}

const identityByKeys = (keys: readonly string[]): ((element: Value) => string) => {
  const escaped = keys.flatMap((key) => escapeProperty(key) ?? []);
  return (element) => escaped.map((key) => identityOf(element instanceof MapValue ? (element.find(key) ?? null) : null)).join();
};

/** Returns the same text for equal values only. */
function identityOf(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ListValue) return `[${Array.from(value, identityOf).join()}]`;
  if (!(value instanceof MapValue)) return valueText(value);
  const entries = Array.from(value.keys(), (key) => `${identityOf(key)}:${identityOf(value.find(key) ?? null)}`);
  return `{${entries.sort().join()}}`;
}

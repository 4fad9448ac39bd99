/** Makes random objects of any type that has descriptors. The same seed and size always give the same object; a smaller size gives a smaller one. */
import type { Field, ScalarName, StructType, Type } from '../../../runtime/contract/descriptor.ts';
import { type JsonObject, setMember } from '../../../runtime/schema/json/member.ts';
import { rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';

/** What decides how a random object looks. */
export interface RandomOptions {
  /** Any integer. */
  readonly seed: number;
  /** About how many values the object has; 0 or more. */
  readonly size: number;
  /** Whether the field at a dotted path is left out; the path does not mention lists and maps. It is never asked about `kind` and `apiVersion` at the top. */
  readonly leavesOut?: (path: string, field: Field) => boolean;
}

/** @returns JSON that decodes to `type`, without `kind` and `apiVersion` at the top */
export function randomObject(type: StructType, { seed, size, leavesOut = () => false }: RandomOptions): JsonObject {
  return new ObjectMaker(seed, size, leavesOut).object(type);
}

const NULLS = 0.02;
/** Share of containers that are made empty, and of scalars that are made zero, besides those that are so by chance. */
const ZEROS = 0.1;
const MAP_KEYS = ['a', 'b', 'example.com/c', 'ä', '😀', '\uffff', 'Z', '__proto__', 'constructor', '', '1', '01', 'k'.repeat(130)];
/** Lengths around those from which on protobuf needs another byte for the length. */
const TEXTS = [
  '',
  'a',
  'True',
  'null',
  '0',
  'ä 😀 \u2028',
  '"\\\n\u0000\u001f\u007f<>&',
  ...[127, 128, 16_383, 16_384].map((length) => 'x'.repeat(length)),
];
const RAW = [
  {},
  { kind: 'A', apiVersion: 'a/v1', b: [1, null, { c: 'ä' }, [], {}] },
  { z: 1, a: 0.5, m: rawNumber('9007199254740993'), e: 1e21, t: '<&>\u2028"\\', f: false, n: null },
  JSON.parse(`${'{"a":['.repeat(40)}{"__proto__":{"constructor":1}}${']}'.repeat(40)}`),
];

const SCALARS: Readonly<Record<ScalarName, readonly unknown[]>> = {
  string: TEXTS,
  boolean: [true, false],
  int32: [0, 1, -1, 127, 128, 16_384, 2 ** 31 - 1, -(2 ** 31)],
  int64: [
    0,
    1,
    -1,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 40,
    ...['9007199254740993', '9223372036854775807', '-9223372036854775808'].map(rawNumber),
  ],
  double: [0, 0.5, -1.25, 1e300, 3, 5e-324, 1e21, 2 ** 53, 0.1],
  bytes: ['', 'AA==', '//79', 'aGVsbG8gd29ybGQ=', Buffer.alloc(300, 0xfe).toString('base64')],
  time: [
    '2024-02-29T23:59:59Z',
    '2024-02-29T23:59:59.999+14:00',
    '0001-01-01T00:00:01Z',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00Z',
    '9999-12-31T00:00:00Z',
  ],
  microTime: [
    '2024-02-29T23:59:59.000001Z',
    '2024-02-29T23:59:59.500000-08:00',
    '1969-12-31T23:59:59.999999Z',
    '1970-01-01T00:00:00.000000Z',
    '2030-01-01T00:00:00.000000Z',
  ],
  duration: ['0s', '1h30m0s', '-1.5s', '1ns', '100ms', '2562047h47m16.854775807s'],
  quantity: [
    '0',
    '100m',
    '2Gi',
    '-1500m',
    '3e6',
    '12345678901234567890',
    '0.1',
    '1.5Gi',
    '1n',
    '-0',
    '1e-9',
    '9223372036854775807',
    '1E',
    '0Ki',
    '1024Mi',
  ],
  intOrString: [0, 80, -1, 2 ** 31 - 1, -(2 ** 31), '', 'http', '25%', '0'],
  rawExtension: RAW,
  fieldsV1: [{}, { 'f:metadata': { 'f:name': {}, 'k:{"a":"b"}': { '.': {} } } }],
  json: [0, '', false, 'a', [1, 'b'], { a: { b: 0.5 } }, [], {}, rawNumber('9007199254740993'), 1e21],
  structOrBoolean: [true, false, {}, { type: 'string' }],
  structOrList: [{ type: 'string', items: { type: 'integer' } }, [{ type: 'string' }, {}]],
  structOrNames: [['a', 'b'], { required: ['a'] }],
};

class ObjectMaker {
  #state: number;
  #left: number;
  readonly #leavesOut: (path: string, field: Field) => boolean;

  constructor(seed: number, size: number, leavesOut: (path: string, field: Field) => boolean) {
    this.#state = seed;
    this.#left = size;
    this.#leavesOut = leavesOut;
  }

  object(type: StructType): JsonObject {
    return this.#struct(type, '');
  }

  /** Sets a few of the fields, each as likely as the others: in their order the first ones would use up the size. */
  #struct(type: StructType, path: string): JsonObject {
    const object: JsonObject = {};
    const fields = flatFields(type).filter((field) => (path !== '' || !isTypeMeta(field)) && !this.#leavesOut(join(path, field), field));
    const wanted = Math.min(fields.length, this.#left, 1 + this.#below(3 + Math.ceil(Math.sqrt(this.#left))));
    for (let taken = 0; taken < wanted && this.#left > 0; taken++) {
      const at = taken + this.#below(fields.length - taken);
      const field = fields[at] as Field;
      fields[at] = fields[taken] as Field;
      setMember(object, field.name, this.#value(field.type, join(path, field)));
    }
    return object;
  }

  #value(type: Type, path: string): unknown {
    this.#left--;
    if (this.#fraction() < NULLS) return null;
    switch (type.kind) {
      case 'struct':
        return this.#struct(type, path);
      case 'list':
        return Array.from({ length: this.#count() }, () => this.#value(type.element, path));
      case 'map': {
        const map: JsonObject = {};
        for (let count = this.#count(); count > 0; count--) setMember(map, this.#oneOf(MAP_KEYS), this.#value(type.value, path));
        return map;
      }
      case 'scalar':
        return structuredCopy(this.#fraction() < ZEROS ? SCALARS[type.scalar][0] : this.#oneOf(SCALARS[type.scalar]));
    }
  }

  #count(): number {
    return this.#fraction() < ZEROS ? 0 : Math.min(this.#below(4), Math.max(this.#left, 0));
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[this.#below(values.length)] as T;
  }

  #below(limit: number): number {
    return Math.floor(this.#fraction() * limit);
  }

  /** The generator mulberry32; gives numbers from 0 up to, but without, 1. */
  #fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Conversions may change the objects that they get, so no two objects share a value. Raw numbers are frozen, and are shared. */
function structuredCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return value.map(structuredCopy);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, structuredCopy(member)]));
}

const flattened = new WeakMap<StructType, readonly Field[]>();

/** @returns a new list of the fields whose members stand in a struct's JSON object: those of inline structs take the place of the inline field */
export function flatFields(type: StructType): Field[] {
  let fields = flattened.get(type);
  if (fields === undefined) {
    fields = type.fields.flatMap((field) => (field.go?.inline && field.type.kind === 'struct' ? flatFields(field.type) : [field]));
    flattened.set(type, fields);
  }
  return [...fields];
}

/** Whether the field is the `kind` or `apiVersion` of a kind. */
export function isTypeMeta({ name, number }: Field): boolean {
  return number === undefined && (name === 'kind' || name === 'apiVersion');
}

function join(path: string, field: Field): string {
  return path === '' ? field.name : `${path}.${field.name}`;
}

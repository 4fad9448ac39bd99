/** Types of what mutating policies make: `JSONPatch`, and `Object` with parts such as `Object.spec`, whose fields may be anything. */
import type { Environment, StructMaker } from '../environment/environment.ts';
import { DYN, listOf, STRING, type StructType, struct, type Type } from '../types/type.ts';
import { ErrorValue, MapValue, StructValue, type Value } from '../values/value.ts';
import { jsonPatchLibrary } from './json-patch.ts';

const OBJECT = 'Object';
/** Names of parts as an expression may write them. */
const NAMES = /\bObject(?:\.[A-Za-z_]\w*)*/g;

const anyFields = (name: string): StructType => ({ kind: 'struct', name, field: () => DYN });
/** 1.32 finds a field of any name in a patch, one without a type where there is none. */
const NO_TYPE = struct('', {});
const PATCH_FIELDS: ReadonlyMap<string, Type> = new Map<string, Type>([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);
const PATCH: StructType = { kind: 'struct', name: 'JSONPatch', field: (name) => PATCH_FIELDS.get(name) ?? NO_TYPE };

/** What an expression of an apply configuration makes, and what one of a JSON Patch does. */
export const APPLIED_OBJECT = anyFields(OBJECT);
export const PATCHES = listOf(PATCH);

/** `Object{…}` or a part of it. The expression that made it reads objects in its fields as maps, and what is not there as null, as in 1.32. */
export class PartialObject extends StructValue {
  readonly type: StructType;
  readonly #members: ReadonlyMap<string, Value>;

  constructor(type: StructType, members: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.#members = members;
  }

  get(field: string): Value {
    const value = this.member(field) ?? null;
    return value instanceof PartialObject ? new MembersOf(value) : value;
  }

  has(field: string): boolean {
    return this.#members.has(field);
  }

  fields(): Iterable<string> {
    return this.#members.keys();
  }

  /** @returns what the field was given; undefined for one that is not there */
  member(field: string): Value | undefined {
    return this.#members.get(field);
  }

  get size(): number {
    return this.#members.size;
  }
}

class MembersOf extends MapValue {
  readonly #object: PartialObject;

  constructor(object: PartialObject) {
    super();
    this.#object = object;
  }

  get size(): number {
    return this.#object.size;
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' && this.#object.has(key) ? this.#object.get(key) : undefined;
  }

  keys(): Iterable<Value> {
    return this.#object.fields();
  }
}

/** `JSONPatch{…}`. A text that is empty counts as one that is not there. */
export class PatchOperation extends StructValue {
  readonly type = PATCH;
  readonly op: string;
  readonly path: string;
  readonly from: string;
  /** undefined: there is none */
  readonly value: Value | undefined;

  constructor(members: ReadonlyMap<string, Value>) {
    super();
    const text = (name: string) => (members.get(name) ?? '') as string;
    this.op = text('op');
    this.path = text('path');
    this.from = text('from');
    this.value = members.get('value');
  }

  get(field: string): Value {
    if (field === 'op' || field === 'path' || field === 'from') return this[field];
    if (field !== 'value') return new ErrorValue(`unsupported indexer: ${field}`);
    return this.value ?? (this.value === null ? null : new ErrorValue(`no such key: ${field}`));
  }

  has(field: string): boolean {
    if (field === 'op' || field === 'path' || field === 'from') return this[field] !== '';
    return field === 'value' && this.value !== undefined;
  }

  *fields(): Generator<string> {
    for (const field of ['op', 'path', 'from', 'value']) if (this.has(field)) yield field;
  }
}

/** An expression of any type may stand where a text is wanted, and come out as something else. */
function makePatch(members: ReadonlyMap<string, Value>): Value {
  for (const [name, value] of members)
    if (!PATCH_FIELDS.has(name)) return new ErrorValue(`unexpected JSONPatchType field: ${name}`);
    else if (name !== 'value' && typeof value !== 'string') return new ErrorValue(`unexpected type for JSONPatchType '${name}' field`);
  return new PatchOperation(members);
}

const makerOf = (name: string): StructMaker => {
  const type = anyFields(name);
  return { type, make: (members) => new PartialObject(type, members) };
};

/** @param source expression whose parts of objects are declared */
export function withPatchTypes(environment: Environment, source: string): Environment {
  const names = new Set([OBJECT, ...(source.match(NAMES) ?? [])]);
  return environment.extend({
    libraries: [jsonPatchLibrary],
    structs: [{ type: PATCH, make: makePatch }, ...[...names].map(makerOf)],
  });
}

/** The types of mutating policies: `JSONPatch`, and `Object` with parts such as `Object.spec`, whose fields may have any type. */
import type { Environment, StructMaker } from '../environment/environment.ts';
import { DYN, listOf, STRING, type StructType, struct, type Type } from '../types/type.ts';
import { nativeTypeOf } from '../values/describe.ts';
import { ErrorValue, MapValue, StructValue, type Value } from '../values/value.ts';
import { jsonPatchLibrary } from './json-patch.ts';

const OBJECT = 'Object';
/** matches the types of parts that an expression uses */
const NAMES = /\bObject(?:\.[A-Za-z_]\w*)*/g;

const anyFields = (name: string): StructType => ({ kind: 'struct', name, field: () => DYN });
/** 1.32 accepts any field of a patch, and gives unknown ones no type. */
const NO_TYPE = struct('', {});
const PATCH_FIELDS: ReadonlyMap<string, Type> = new Map<string, Type>([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);
const PATCH: StructType = { kind: 'struct', name: 'JSONPatch', field: (name) => PATCH_FIELDS.get(name) ?? NO_TYPE };

/** The results of apply configurations, and of JSON patch expressions. */
export const APPLIED_OBJECT = anyFields(OBJECT);
export const PATCHES = listOf(PATCH);

/**
 * A value of `Object{…}` or of a part of it. As in 1.32, an expression that reads its fields sees objects as maps and absent fields as
 * null.
 */
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

  /** @returns the value that the field was set to; undefined if it is absent */
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

  override get isOfObject(): boolean {
    return true;
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

/** A value of `JSONPatch{…}`. An empty text counts as absent. */
export class PatchOperation extends StructValue {
  readonly type = PATCH;
  readonly op: string;
  readonly path: string;
  readonly from: string;
  /** undefined: it is absent */
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

/** Checks the types again, because an expression of type dyn may produce any value. */
function makePatch(members: ReadonlyMap<string, Value>): Value {
  for (const [name, value] of members)
    if (!PATCH_FIELDS.has(name)) return new ErrorValue(`unexpected JSONPatchType field: ${name}`);
    else if (name !== 'value' && typeof value !== 'string')
      return new ErrorValue(`unexpected type ${nativeTypeOf(value)} for JSONPatchType '${name}' field`);
  return new PatchOperation(members);
}

const makerOf = (name: string): StructMaker => {
  const type = anyFields(name);
  return { type, make: (members) => new PartialObject(type, members) };
};

/** @param source the expression, whose types of parts are declared */
export function withPatchTypes(environment: Environment, source: string): Environment {
  const names = new Set([OBJECT, ...(source.match(NAMES) ?? [])]);
  return environment.extend({
    libraries: [jsonPatchLibrary],
    structs: [{ type: PATCH, make: makePatch }, ...[...names].map(makerOf)],
  });
}

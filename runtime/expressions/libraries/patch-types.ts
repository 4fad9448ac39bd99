/** Types of what mutating policies make: `JSONPatch`, and `Object` with parts such as `Object.spec`, whose fields may be anything. */
import type { Environment, StructMaker } from '../environment/environment.ts';
import { DYN, listOf, STRING, type StructType, struct } from '../types/type.ts';
import { ErrorValue, StructValue, type Value } from '../values/value.ts';
import { jsonPatchLibrary } from './json-patch.ts';

const OBJECT = 'Object';
/** Names of parts as an expression may write them. */
const NAMES = /\bObject(?:\.[A-Za-z_]\w*)*/g;

const anyFields = (name: string): StructType => ({ kind: 'struct', name, field: () => DYN });
const PATCH = struct('JSONPatch', { op: STRING, path: STRING, from: STRING, value: DYN });

/** What an expression of an apply configuration makes, and what one of a JSON Patch does. */
export const APPLIED_OBJECT = anyFields(OBJECT);
export const PATCHES = listOf(PATCH);

class MadeStruct extends StructValue {
  readonly type: StructType;
  readonly #fields: ReadonlyMap<string, Value>;

  constructor(type: StructType, fields: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.#fields = fields;
  }

  get(field: string): Value {
    return this.#fields.get(field) ?? new ErrorValue(`no such key: ${field}`);
  }

  has(field: string): boolean {
    return this.#fields.has(field);
  }

  fields(): Iterable<string> {
    return this.#fields.keys();
  }
}

const makerOf = (type: StructType): StructMaker => ({ type, make: (fields) => new MadeStruct(type, fields) });

/** @param source expression whose parts of objects are declared */
export function withPatchTypes(environment: Environment, source: string): Environment {
  const names = new Set([OBJECT, ...(source.match(NAMES) ?? [])]);
  return environment.extend({
    libraries: [jsonPatchLibrary],
    structs: [makerOf(PATCH), ...[...names].map((name) => makerOf(anyFields(name)))],
  });
}

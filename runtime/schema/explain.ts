/** The slow second pass over an input that does not fit its type: which members are unknown, and which error 1.32 would give. */
import type { StructType, Type } from '../contract/descriptor.ts';
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType } from './compile.ts';
import { isObject, type JsonObject, sortedNames } from './member.ts';
import { decodeScalar } from './scalar/scalar.ts';
import { jsonKind, malformed, mismatch, ScalarError } from './scalar/scalar-error.ts';

/** The message is the one that follows `... cannot be handled as a Kind: `. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

export interface Explanation {
  readonly unknownFields: string[];
  readonly error: DecodeError | undefined;
}

/**
 * In which order 1.32 goes through the members of an object: as they were written; by name, where it makes the JSON that it reads of something else;
 * by type, the unknown ones last, where it reads no JSON.
 */
export type MemberOrder = 'written' | 'byName' | 'byType';

export function explain(struct: CompiledStruct, input: unknown, order: MemberOrder = 'written'): Explanation {
  const explainer = new Explainer(order);
  try {
    explainer.value(struct, input);
  } catch (error) {
    if (error instanceof DecodeError) return { unknownFields: [...explainer.unknown], error };
    if (error instanceof RangeError) return { unknownFields: [...explainer.unknown], error: new DecodeError('exceeded max depth') };
    throw error;
  }
  return { unknownFields: [...explainer.unknown], error: explainer.first };
}

class Explainer {
  readonly unknown = new Set<string>();
  /** the first error that does not stop 1.32; one that does is thrown */
  first: DecodeError | undefined;
  /** names of the fields on the way to the value, without positions and map keys */
  readonly #fields: string[] = [];
  readonly #order: MemberOrder;
  #struct: StructType | undefined;
  #path = '';

  constructor(order: MemberOrder) {
    this.#order = order;
  }

  value(type: CompiledType, value: unknown): void {
    if (value === null || value === undefined) return;
    try {
      switch (type.code) {
        case Code.list:
          return this.#list(type as CompiledList, value);
        case Code.map:
          return this.#map(type as CompiledMap, value);
        case Code.struct:
          return this.#members(type as CompiledStruct, value);
        case Code.structOrBoolean:
          if (typeof value === 'boolean' || isObject(value)) return;
          throw malformed('boolean or JSON schema expected');
        default:
          decodeScalar(type.code, value);
      }
    } catch (error) {
      if (!(error instanceof ScalarError)) throw error;
      this.#refuse(error);
    }
  }

  #list(type: CompiledList, value: unknown): void {
    if (!Array.isArray(value)) throw mismatch(jsonKind(value), goName(typeOf(type)));
    const path = this.#path;
    for (let i = 0; i < value.length; i++) {
      this.#path = `${path}[${i}]`;
      this.value(type.element, value[i]);
    }
    this.#path = path;
  }

  #map(type: CompiledMap, value: unknown): void {
    if (!isObject(value)) throw mismatch(jsonKind(value), goName(typeOf(type)));
    const path = this.#path;
    for (const name of Object.keys(value)) {
      this.#path = child(path, name);
      this.value(type.value, value[name]);
    }
    this.#path = path;
  }

  #members(struct: CompiledStruct, value: unknown): void {
    if (!isObject(value)) throw mismatch(jsonKind(value), goName(struct.type));
    const [path, outer] = [this.#path, this.#struct];
    for (const name of this.#namesIn(value, struct)) {
      const member = struct.byName.get(name);
      this.#path = child(path, name);
      if (member === undefined) this.unknown.add(this.#path);
      else {
        this.#struct = struct.type;
        this.#fields.push(name);
        this.value(member.type, value[name]);
        this.#fields.pop();
      }
    }
    this.#path = path;
    this.#struct = outer;
  }

  #namesIn(value: JsonObject, { byName }: CompiledStruct): string[] {
    const names = Object.keys(value);
    if (this.#order === 'byName') sortedNames(names);
    if (this.#order !== 'byType') return names;
    const place = (name: string): number => byName.get(name)?.index ?? byName.size;
    return names.sort((a, b) => place(a) - place(b));
  }

  #refuse(error: ScalarError): void {
    const worded = new DecodeError(this.#wording(error));
    if (error.stops) throw worded;
    this.first ??= worded;
  }

  #wording(error: ScalarError): string {
    if (error.mismatch === undefined) return error.message;
    const { found, wanted } = error.mismatch;
    if (this.#struct === undefined) return `json: cannot unmarshal ${found} into Go value of type ${wanted}`;
    return `json: cannot unmarshal ${found} into Go struct field ${shortName(this.#struct)}.${this.#fields.join('.')} of type ${wanted}`;
  }
}

function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function typeOf(type: CompiledType): Type {
  switch (type.code) {
    case Code.list:
      return { kind: 'list', element: typeOf((type as CompiledList).element) };
    case Code.map:
      return { kind: 'map', value: typeOf((type as CompiledMap).value) };
    case Code.struct:
      return (type as CompiledStruct).type;
    default:
      return { kind: 'scalar', scalar: (type as { readonly scalar: keyof typeof GO_SCALARS }).scalar };
  }
}

const GO_SCALARS = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  bytes: '[]uint8',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  duration: 'v1.Duration',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  rawExtension: 'runtime.RawExtension',
  fieldsV1: 'v1.FieldsV1',
  json: 'interface {}',
  structOrBoolean: 'bool',
  structOrList: '[]interface {}',
  structOrNames: '[]string',
} as const;

/** The type as error messages of 1.32 name it: package and name of a struct, such as `v1.PodSpec`. */
function goName(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return GO_SCALARS[type.scalar];
    case 'list':
      return `[]${goName(type.element)}`;
    case 'map':
      return `map[string]${goName(type.value)}`;
    case 'struct':
      return type.name.split('.').slice(-2).join('.');
  }
}

function shortName(struct: StructType): string {
  return struct.name.slice(struct.name.lastIndexOf('.') + 1);
}

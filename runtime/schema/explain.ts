/** Reads an input that does not fit its type a second time, to find unknown members and the error that 1.32 would report. */
import { list, type StructType, string } from '../contract/descriptor.ts';
import {
  Code,
  CompiledList,
  type CompiledMap,
  CompiledScalar,
  type CompiledStruct,
  type CompiledType,
  type CompiledUnion,
} from './compile.ts';
import type { WrittenMembers } from './json/json-exact.ts';
import { compareUtf8, isObject, type JsonObject, sortedNames } from './json/member.ts';
import { jsonKind, malformed, mismatch, ScalarError } from './scalar/scalar-error.ts';
import { decodeScalar } from './scalar-values.ts';
import { shortTypeName, typeName, underlyingScalar } from './type-name.ts';

/** The message follows `... cannot be handled as a Kind: `. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  /** for a value of the wrong type, see `ScalarError` */
  readonly mismatch: ScalarError['mismatch'];

  constructor(message: string, wrong?: ScalarError['mismatch']) {
    super(message);
    this.mismatch = wrong;
  }
}

export interface Explanation {
  readonly unknownFields: string[];
  readonly error: DecodeError | undefined;
}

/**
 * The order in which 1.32 reports unknown members. `written`: as in the text. `byName`: sorted by name within each object, because 1.32
 * makes the JSON that it reads from another form. `byPath`: sorted by their paths, which lack keys of maps, because 1.32 converts without
 * JSON.
 */
export type MemberOrder = 'written' | 'byName' | 'byPath';

/** @param members of objects in the input that have a name twice */
export function explain(type: CompiledType, input: unknown, order: MemberOrder = 'written', members?: WrittenMembers): Explanation {
  const explainer = new Explainer(order, members);
  const { stackTraceLimit } = Error;
  // each value may cause an error whose stack nobody reads, and collecting stacks would take most of the time
  Error.stackTraceLimit = 0;
  try {
    explainer.value(type, input);
  } catch (error) {
    if (error instanceof DecodeError) return { unknownFields: explainer.unknownFields, error };
    if (error instanceof RangeError) return { unknownFields: explainer.unknownFields, error: new DecodeError('exceeded max depth') };
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return { unknownFields: explainer.unknownFields, error: explainer.first };
}

/** The error of a value that may have two forms, which is read on its own; undefined if it fits. */
export function explainUnion({ code, struct }: CompiledUnion, value: unknown): DecodeError | undefined {
  if (isObject(value)) return explain(struct, value).error;
  if (code === Code.structOrBoolean) return typeof value === 'boolean' ? undefined : new DecodeError('boolean or JSON schema expected');
  if (!Array.isArray(value)) return undefined;
  return explain(code === Code.structOrList ? new CompiledList(list(struct.type), struct) : NAMES, value).error;
}

const NAMES = new CompiledList(list(string), new CompiledScalar('string'));

/** Limits of the paths of unknown members: more are kept only if they are short. 1.32 reports the first 100. */
const FEW_PATHS = 100;
const MAX_CHARACTERS = 1024 * 1024;

class Explainer {
  readonly #unknown = new Set<string>();
  #characters = 0;
  /** the first error that does not stop 1.32; an error that does is thrown */
  first: DecodeError | undefined;
  /** names of the fields on the way to the value, without indexes and keys of maps */
  readonly #fields: string[] = [];
  readonly #order: MemberOrder;
  readonly #twice: WrittenMembers | undefined;
  #struct: StructType | undefined;
  #path = '';

  constructor(order: MemberOrder, members: WrittenMembers | undefined) {
    this.#order = order;
    this.#twice = members;
  }

  get unknownFields(): string[] {
    const paths = [...this.#unknown];
    // 1.32 sorts the sentences in which a quotation mark follows the path
    return this.#order === 'byPath' ? paths.sort((a, b) => compareUtf8(`${a}"`, `${b}"`)) : paths;
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
        case Code.structOrList:
        case Code.structOrNames:
          return this.#union(type as CompiledUnion, value);
        default:
          decodeScalar(type.code, value);
      }
    } catch (error) {
      if (!(error instanceof ScalarError)) throw error;
      this.#refuse(error, type);
    }
  }

  /** Go reads such a value by its own method: unknown members in it are not reported, and an error concerns the whole value. */
  #union(type: CompiledUnion, value: unknown): void {
    const error = explainUnion(type, value);
    if (error === undefined) return;
    throw error.mismatch === undefined ? malformed(error.message) : mismatch(error.mismatch.found, error.mismatch.wanted, true);
  }

  #list(type: CompiledList, value: unknown): void {
    if (!Array.isArray(value)) throw mismatch(jsonKind(value), typeName(type));
    const path = this.#path;
    for (let i = 0; i < value.length; i++) {
      this.#path = `${path}[${i}]`;
      this.value(type.element, value[i]);
    }
    this.#path = path;
  }

  #map(type: CompiledMap, value: unknown): void {
    if (!isObject(value)) throw mismatch(jsonKind(value), typeName(type));
    const path = this.#path;
    for (const [name, member] of this.#membersOf(value)) {
      if (this.#order !== 'byPath') this.#path = child(path, name);
      this.value(type.value, member);
    }
    this.#path = path;
  }

  #members(struct: CompiledStruct, value: unknown): void {
    if (!isObject(value)) throw mismatch(jsonKind(value), typeName(struct));
    const [path, outer] = [this.#path, this.#struct];
    for (const [name, found] of this.#membersOf(value)) {
      const member = struct.byName.get(name);
      this.#path = child(path, name);
      if (member === undefined) this.#addUnknown(this.#path);
      else {
        this.#struct = struct.type;
        this.#fields.push(name);
        this.value(member.type, found);
        this.#fields.pop();
      }
    }
    this.#path = path;
    this.#struct = outer;
  }

  #addUnknown(path: string): void {
    // the order of paths is known only when all of them are
    if (this.#order !== 'byPath' && this.#unknown.size >= FEW_PATHS && this.#characters > MAX_CHARACTERS) return;
    this.#characters += path.length;
    this.#unknown.add(path);
  }

  #membersOf(value: JsonObject): readonly (readonly [name: string, value: unknown])[] {
    const written = this.#twice?.get(value);
    if (written !== undefined) return written;
    const names = Object.keys(value);
    return (this.#order === 'byName' ? sortedNames(names) : names).map((name) => [name, value[name]]);
  }

  #refuse(error: ScalarError, type: CompiledType): void {
    const wanted = this.#wanted(error, type);
    const worded = wanted === undefined ? new DecodeError(error.message) : this.#mismatched(error.mismatch?.found ?? '', wanted);
    if (error.stops) throw worded;
    this.first ??= worded;
  }

  #wanted({ mismatch: wrong }: ScalarError, type: CompiledType): string | undefined {
    return wrong !== undefined && wrong.wanted === underlyingScalar(type) ? typeName(type) : wrong?.wanted;
  }

  #mismatched(found: string, wanted: string): DecodeError {
    const place = this.#struct === undefined ? 'Go value' : `Go struct field ${shortTypeName(this.#struct)}.${this.#fields.join('.')}`;
    return new DecodeError(`json: cannot unmarshal ${found} into ${place} of type ${wanted}`, { found, wanted });
  }
}

function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

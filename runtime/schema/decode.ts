/** JSON values to objects of a type, as Go's decoder and encoder would leave them between each other. */
import { isZero, zeroItem } from './assemble.ts';
import {
  Code,
  type CompiledList,
  type CompiledMap,
  type CompiledMember,
  type CompiledStruct,
  type CompiledType,
  type CompiledUnion,
} from './compile.ts';
import { DecodeError, explain } from './explain.ts';
import { isObject, type JsonObject, setMember, sortedNames } from './member.ts';
import { canonicalResourceQuantity } from './scalar/quantity.ts';
import { decodeScalar, quantityText } from './scalar/scalar.ts';
import { jsonKind, malformed, mismatch, ScalarError } from './scalar/scalar-error.ts';

export interface DecodeOptions {
  /** sets the declared defaults, and rounds resource lists up to thousandths as 1.32 does where it sets defaults */
  readonly defaults: boolean;
}

export interface Decoded {
  /** new; only what has no type (raw JSON) is shared with the input */
  readonly object: JsonObject;
  /** paths such as `spec.containers[0].foo`, in the order of the input, each once */
  readonly unknownFields: string[];
}

/**
 * Members come out in canonical order, keys of maps sorted, scalars in their one form. null in the input means absent; a zero value is left
 * out where Go would leave it out, and what Go always writes is there. Names are case-sensitive; unknown members are dropped.
 * @param input a parsed JSON value; never changed
 * @throws DecodeError worded as 1.32 words the first error
 */
export function decode(struct: CompiledStruct, input: unknown, options: DecodeOptions): Decoded {
  const decoder = new Decoder(options.defaults);
  let object: JsonObject;
  try {
    object = decoder.struct(struct, input ?? {});
  } catch (error) {
    if (error instanceof ScalarError) throw explain(struct, input).error ?? new DecodeError(error.message);
    if (error instanceof RangeError) throw new DecodeError('exceeded max depth');
    throw error;
  }
  return { object, unknownFields: decoder.unknown === 0 ? [] : explain(struct, input).unknownFields };
}

function isZeroOf(member: CompiledMember, value: unknown): boolean {
  return isZero(value) || (value === '0s' && member.type.code === Code.duration);
}

const EMPTY: JsonObject = Object.freeze({});

class Decoder {
  /** unknown members so far; their names are found in a second pass, when there are any */
  unknown = 0;
  readonly #defaults: boolean;

  constructor(defaults: boolean) {
    this.#defaults = defaults;
  }

  struct(struct: CompiledStruct, input: unknown): JsonObject {
    if (!isObject(input)) throw mismatch(jsonKind(input), 'struct');
    const { members, byName } = struct;
    const values = new Array<unknown>(members.length);
    for (const name in input) {
      const member = byName.get(name);
      if (member === undefined) this.unknown++;
      else values[member.index] = input[name];
    }
    const object: JsonObject = {};
    for (let i = 0; i < members.length; i++) {
      const member = members[i] as CompiledMember;
      const value = this.#member(member, values[i]);
      if (value !== undefined) setMember(object, member.name, value);
    }
    return object;
  }

  /** undefined: the member is left out */
  #member(member: CompiledMember, value: unknown): unknown {
    if (value !== undefined && value !== null) {
      const decoded = this.#value(member.type, value);
      if (decoded !== null && !(member.dropsZero && isZeroOf(member, decoded))) return decoded;
    }
    if (this.#defaults && member.default !== undefined) return this.#value(member.type, member.default);
    return member.embedded ? this.struct(member.type as CompiledStruct, EMPTY) : member.absent;
  }

  /** @param value not null */
  #value(type: CompiledType, value: unknown): unknown {
    switch (type.code) {
      case Code.string:
        if (typeof value === 'string') return value;
        break;
      case Code.list:
        return this.#list(type as CompiledList, value);
      case Code.map:
        return this.#map(type as CompiledMap, value);
      case Code.struct:
        return this.struct(type as CompiledStruct, value);
      case Code.structOrBoolean:
      case Code.structOrList:
      case Code.structOrNames:
        return this.#union(type as CompiledUnion, value);
    }
    return decodeScalar(type.code, value);
  }

  /** Go reads such a value on its own, so what is unknown in it is not told of. */
  #union({ code, struct }: CompiledUnion, value: unknown): unknown {
    const unknown = this.unknown;
    const decoded = this.#unionValue(code, struct, value);
    this.unknown = unknown;
    return decoded;
  }

  #unionValue(code: number, struct: CompiledStruct, value: unknown): unknown {
    if (isObject(value)) return this.struct(struct, value);
    if (code === Code.structOrBoolean) {
      if (typeof value === 'boolean') return value;
      throw malformed('boolean or JSON schema expected');
    }
    if (!Array.isArray(value) || value.length === 0) return null;
    if (code === Code.structOrList) return value.map((item) => this.struct(struct, item ?? EMPTY));
    return value.map((item) => decodeScalar(Code.string, item ?? ''));
  }

  #list({ element }: CompiledList, value: unknown): unknown[] {
    if (!Array.isArray(value)) throw mismatch(jsonKind(value), 'list');
    const list = new Array<unknown>(value.length);
    for (let i = 0; i < value.length; i++) list[i] = this.#item(element, value[i]);
    return list;
  }

  #map({ value: type, dropsEmptyLists }: CompiledMap, value: unknown): JsonObject {
    if (!isObject(value)) throw mismatch(jsonKind(value), 'map');
    const map: JsonObject = {};
    for (const name of sortedNames(Object.keys(value))) {
      const decoded = this.#mapValue(type, value[name]);
      setMember(map, name, dropsEmptyLists && isZero(decoded) ? null : decoded);
    }
    return map;
  }

  #mapValue(type: CompiledType, value: unknown): unknown {
    if (type.code === Code.quantity && this.#defaults && value !== null) return canonicalResourceQuantity(quantityText(value));
    return this.#item(type, value);
  }

  /** A value that cannot be absent. */
  #item(type: CompiledType, value: unknown): unknown {
    if (value !== undefined && value !== null) return this.#value(type, value);
    return type.code === Code.struct ? this.struct(type as CompiledStruct, EMPTY) : zeroItem(type);
  }
}

/** Decodes JSON values to objects of Go types, with the result that decoding and encoding them in Go would have. */
import { isSet, isZero, isZeroOf, zeroItem } from './assemble.ts';
import {
  Code,
  type CompiledList,
  type CompiledMap,
  type CompiledMember,
  type CompiledStruct,
  type CompiledType,
  type CompiledUnion,
  type DecodingStep,
} from './compile.ts';
import type { DefaultMaker, DefaultValue } from './default-values.ts';
import { emptiedMembers, isContainer, isWholeList, type MemberPath } from './emptied-members.ts';
import { DecodeError, explain } from './explain.ts';
import { areSorted, isObject, type JsonObject, setMember, sortNames } from './json/member.ts';
import { setLateDefaults } from './late-defaults.ts';
import { canonicalResourceQuantity } from './scalar/quantity.ts';
import { jsonKind, malformed, mismatch, ScalarError } from './scalar/scalar-error.ts';
import { decodeScalar, quantityText } from './scalar-values.ts';

export interface DecodeOptions {
  /** sets the declared defaults, and rounds quantities of resource lists up to thousandths, as 1.32 does with defaults */
  readonly defaults: boolean;
  /**
   * whether the input is a tree that the caller does not use any more, so that its valid parts may become part of the object; default: only
   * raw JSON does
   */
  readonly reuses?: boolean;
  /**
   * an object of the type that was decoded before. A struct or list of the input that is identical to the one at the same place in it is
   * not read again: it is copied two levels deep, and the object shares what is deeper. Structural types compare only the members of the
   * whole object
   */
  readonly known?: JsonObject;
  /** keeps the written form of values that mean the same: empty lists and maps, quantities and their absence; default: they get one form */
  readonly asWritten?: boolean;
  /**
   * for structural types: drops invalid members of metadata, as 1.32 does when it reads stored objects, or those of the object itself alone, and none of objects
   * within; default: they are errors
   */
  readonly dropsInvalidMetadata?: boolean | 'ofItself';
  /**
   * for structural types: keeps null where no type takes it and no default replaces it, and kind names that are no texts, because 1.32 does
   * not decode applied configurations and leaves both to validation; default: such null is dropped, such names are errors
   */
  readonly asApplied?: boolean;
  /** for structural types: keeps unknown members; default: they are dropped */
  readonly keepsUnknown?: boolean;
  /** tells which feature gates are on, for defaults that depend on them; absent: all are off */
  readonly featureEnabled?: ((gate: string) => boolean) | undefined;
}

export interface Decoded {
  readonly object: JsonObject;
  /** paths such as `spec.containers[0].foo`, in the order of the input, without repetition */
  readonly unknownFields: string[];
  /** paths where the input has an empty list or map and the object has null; undefined: there are none */
  readonly emptied: readonly MemberPath[] | undefined;
}

/**
 * Members are in canonical order, keys of maps are sorted, and scalars have one form. null in the input means absent. Zero values are left
 * out or written as in Go. Names are case-sensitive; unknown members are dropped.
 * @param input a parsed JSON value; never changed
 * @throws DecodeError in the words of 1.32 for the first error
 */
export function decode(struct: CompiledStruct, input: unknown, options: DecodeOptions): Decoded {
  const decoder = new Decoder(options);
  let object: JsonObject;
  try {
    object = decoder.struct(struct, input ?? {}, options.known);
  } catch (error) {
    if (error instanceof ScalarError) throw explain(struct, input).error ?? new DecodeError(error.message);
    if (error instanceof RangeError) throw new DecodeError('exceeded max depth');
    throw error;
  }
  return {
    object,
    unknownFields: decoder.unknown === 0 ? [] : explain(struct, input).unknownFields,
    emptied: decoder.hasEmptied ? emptiedMembers(struct, input) : undefined,
  };
}

const NO_GATE = (): boolean => false;
const EMPTY: JsonObject = Object.freeze({});

function namesOf(steps: readonly DecodingStep[]): string[] {
  return steps.map(({ member }) => member.name);
}

/** A new object with the members of another one that are among the first `count` names. */
function firstOf(names: readonly string[], count: number, from: JsonObject): JsonObject {
  const object: JsonObject = {};
  for (let i = 0; i < count; i++) {
    const value = from[names[i] as string];
    if (value !== undefined) setMember(object, names[i] as string, value);
  }
  return object;
}

/** Copies what rules and admission change in place: members of structs, and of structs in their lists. Anything deeper they replace. */
const copyOf = (value: unknown): unknown => (Array.isArray(value) ? value.map(copyOfStruct) : copyOfStruct(value));

function copyOfStruct(value: unknown): unknown {
  if (!isObject(value)) return value;
  const copy = { ...value };
  for (const name in copy) {
    const list = copy[name];
    if (Array.isArray(list)) copy[name] = list.map((element) => (isObject(element) ? { ...element } : element));
  }
  return copy;
}

class Decoder implements DefaultMaker<CompiledType> {
  /** number of unknown members so far; if there are any, a second pass finds their names */
  unknown = 0;
  /** whether an empty list or map became null, or was left out in a list that is compared as a whole; a second pass finds where */
  hasEmptied = false;
  /** number of lists around the value that are compared as a whole */
  #wholeLists = 0;
  readonly featureEnabled: (gate: string) => boolean;
  readonly #defaults: boolean;
  readonly #reuses: boolean;
  readonly #asWritten: boolean;
  /** decodes values that are not part of the input, such as defaults, and so never reuses them */
  readonly #ofOurs: Decoder;

  constructor({ defaults, reuses = false, asWritten = false, featureEnabled = NO_GATE }: DecodeOptions) {
    this.featureEnabled = featureEnabled;
    this.#defaults = defaults;
    this.#reuses = reuses;
    this.#asWritten = asWritten;
    this.#ofOurs = reuses ? new Decoder({ defaults, featureEnabled }) : this;
  }

  /** @param known see `value` */
  struct(struct: CompiledStruct, input: unknown, known?: JsonObject): JsonObject {
    if (!isObject(input)) throw mismatch(jsonKind(input), 'struct');
    const { steps, unknown, isInOrder, hasLateDefaults } = struct.planOf(input, this.#defaults);
    this.unknown += unknown;
    let object: JsonObject | undefined = this.#reuses && isInOrder ? undefined : {};
    for (let i = 0; i < steps.length; i++) {
      const { member, isGiven } = steps[i] as DecodingStep;
      const given = isGiven ? input[member.name] : undefined;
      const knownMember = known?.[member.name];
      const isKnown = given !== undefined && given === knownMember;
      const value = isKnown ? copyOf(given) : this.#member(member, given, object ?? input, knownMember);
      if (object === undefined && value !== given) object = firstOf(namesOf(steps), i, input);
      if (object !== undefined && value !== undefined) setMember(object, member.name, value);
    }
    const made = object ?? input;
    return hasLateDefaults ? setLateDefaults(struct, made, this.#ofOurs) : made;
  }

  /** @param before an object with the preceding members @param known see `value` @returns undefined if the member is left out */
  #member(member: CompiledMember, value: unknown, before: JsonObject, known: unknown): unknown {
    if (value !== undefined && value !== null) {
      const decoded = this.value(member.type, value, known);
      if (decoded !== null && !(member.dropsZero && isZeroOf(member, decoded))) return decoded;
      if (this.#asWritten && (member.type.code === Code.list || member.type.code === Code.map)) return decoded;
      if (decoded !== null && (member.absent === null || (this.#wholeLists > 0 && isContainer(member)))) this.hasEmptied = true;
    }
    if (this.#asWritten && member.type.code === Code.quantity) return undefined;
    if (this.#defaults && member.default !== undefined) return this.#ofOurs.value(member.type, member.default);
    if (this.#defaults && member.dependent !== undefined) {
      const made = this.#dependentDefault(member, member.dependent, before);
      if (made !== undefined) return made;
    }
    return member.embedded ? this.#empty(member.type as CompiledStruct) : member.absent;
  }

  #dependentDefault(member: CompiledMember, defaults: readonly DefaultValue[], before: JsonObject): unknown {
    for (let i = 0; i < defaults.length; i++) {
      const each = defaults[i] as DefaultValue;
      const made = each.isPossible(before, this.featureEnabled) ? each.of(before, before, member.type, this.#ofOurs) : undefined;
      if (isSet(member, made)) return made;
    }
    return undefined;
  }

  /** @param value not null @param known what the known object has at the same place */
  value(type: CompiledType, value: unknown, known?: unknown): unknown {
    switch (type.code) {
      case Code.string:
        if (typeof value === 'string') return value;
        break;
      case Code.list:
        return this.#list(type as CompiledList, value, Array.isArray(known) ? known : undefined);
      case Code.map:
        return this.#map(type as CompiledMap, value);
      case Code.struct:
        return this.struct(type as CompiledStruct, value, isObject(known) ? known : undefined);
      case Code.structOrBoolean:
      case Code.structOrList:
      case Code.structOrNames:
        return this.#union(type as CompiledUnion, value);
      case Code.quantity:
        if (this.#asWritten) return quantityText(value).trim();
        break;
    }
    return decodeScalar(type.code, value);
  }

  /** Go decodes such a value by its own method, so unknown members in it are not reported. */
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
    if (code === Code.structOrList) return value.map((item) => (item === null ? this.#empty(struct) : this.struct(struct, item)));
    return value.map((item) => decodeScalar(Code.string, item ?? ''));
  }

  #list(type: CompiledList, value: unknown, known?: readonly unknown[]): unknown[] {
    if (!Array.isArray(value)) throw mismatch(jsonKind(value), 'list');
    if (!isWholeList(type)) return this.#elements(type, value, known);
    this.#wholeLists++;
    const list = this.#elements(type, value, known);
    this.#wholeLists--;
    return list;
  }

  #elements({ element }: CompiledList, value: unknown[], known?: readonly unknown[]): unknown[] {
    let list = this.#reuses ? undefined : new Array<unknown>(value.length);
    for (let i = 0; i < value.length; i++) {
      const given = value[i];
      const isKnown = isObject(given) && given === known?.[i];
      const item = isKnown ? copyOfStruct(given) : this.#item(element, given, known?.[i]);
      if (list === undefined && item !== given) list = value.slice();
      if (list !== undefined) list[i] = item;
    }
    return list ?? value;
  }

  #map({ value: type, dropsEmptyLists }: CompiledMap, value: unknown): JsonObject {
    if (!isObject(value)) throw mismatch(jsonKind(value), 'map');
    const names = Object.keys(value);
    const isSorted = areSorted(names);
    if (!isSorted) sortNames(names);
    let map: JsonObject | undefined = this.#reuses && isSorted ? undefined : {};
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const decoded = this.#mapValue(type, value[name]);
      const kept = dropsEmptyLists && isZero(decoded) ? null : decoded;
      if (map === undefined && kept !== value[name]) map = firstOf(names, i, value);
      if (map !== undefined) setMember(map, name, kept);
    }
    return map ?? value;
  }

  #mapValue(type: CompiledType, value: unknown): unknown {
    if (type.code !== Code.quantity) return this.#item(type, value);
    if (this.#asWritten) return value === null ? '' : quantityText(value).trim();
    return this.#defaults && value !== null ? canonicalResourceQuantity(quantityText(value)) : this.#item(type, value);
  }

  #empty(struct: CompiledStruct): JsonObject {
    return this.#ofOurs.struct(struct, EMPTY);
  }

  /** Decodes an element of a list or map, which cannot be absent. */
  #item(type: CompiledType, value: unknown, known?: unknown): unknown {
    if (value !== undefined && value !== null) return this.value(type, value, known);
    return type.code === Code.struct ? this.#empty(type as CompiledStruct) : zeroItem(type);
  }
}

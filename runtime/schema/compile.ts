/**
 * Prepares descriptors for the interpreters: flattens inline structs, resolves text for one dialect, and computes the values of absent and
 * zero members. A struct is compiled on first use, because most parts of most kinds are never used.
 */
import type { Field, ListType, MapType, ScalarName, StructType, Type } from '../contract/descriptor.ts';
import type { Identity } from '../contract/identity.ts';
import type { DefaultValue } from './default-values.ts';
import type { JsonObject } from './json/member.ts';
import { MadeOfNames } from './made-of-names.ts';
import { flatten, rulesOf, type StatedRule, type StructRules } from './stated-rules.ts';

/** The kind of a compiled type, as a number to switch on. */
export const Code = {
  string: 0,
  boolean: 1,
  int32: 2,
  int64: 3,
  double: 4,
  bytes: 5,
  time: 6,
  microTime: 7,
  duration: 8,
  quantity: 9,
  intOrString: 10,
  rawExtension: 11,
  fieldsV1: 12,
  json: 13,
  structOrBoolean: 14,
  structOrList: 15,
  structOrNames: 16,
  list: 17,
  map: 18,
  struct: 19,
} as const satisfies Record<ScalarName | 'list' | 'map' | 'struct', number>;

export type CompiledType = CompiledScalar | CompiledUnion | CompiledList | CompiledMap | CompiledStruct;

export class CompiledScalar {
  readonly code: number;
  readonly scalar: ScalarName;
  /** the name of the type in error messages, if it has one of its own */
  readonly typeName: string | undefined;

  constructor(scalar: ScalarName, typeName?: string) {
    this.code = Code[scalar];
    this.scalar = scalar;
    this.typeName = typeName;
  }
}

/** A scalar whose value may also be a struct. */
export class CompiledUnion {
  readonly code: number;
  readonly scalar: ScalarName;
  readonly #type: () => StructType;
  readonly #identity: Identity;
  #struct: CompiledStruct | undefined;

  constructor(scalar: ScalarName, type: () => StructType, identity: Identity) {
    this.code = Code[scalar];
    this.scalar = scalar;
    this.#type = type;
    this.#identity = identity;
  }

  get struct(): CompiledStruct {
    this.#struct ??= compileType(this.#type(), this.#identity);
    return this.#struct;
  }
}

export class CompiledList {
  readonly code = Code.list;
  readonly type: ListType;
  readonly element: CompiledType;
  /** see `CompiledScalar` */
  readonly typeName: string | undefined;

  constructor(type: ListType, element: CompiledType) {
    this.type = type;
    this.element = element;
    this.typeName = type.typeName;
  }
}

export class CompiledMap {
  readonly code = Code.map;
  readonly type: MapType;
  readonly value: CompiledType;
  /** whether an empty list among the values becomes absent in protobuf */
  readonly dropsEmptyLists: boolean;
  /** see `CompiledScalar` */
  readonly typeName: string | undefined;

  constructor(type: MapType, value: CompiledType, dropsEmptyLists: boolean) {
    this.type = type;
    this.value = value;
    this.typeName = type.typeName;
    this.dropsEmptyLists = dropsEmptyLists && value.code === Code.list;
  }
}

/** One member of a struct's JSON object. */
export interface CompiledMember {
  /** its index in `CompiledStruct.members` */
  readonly index: number;
  readonly name: string;
  readonly type: CompiledType;
  readonly field: Field;
  /** whether absent and zero are different values */
  readonly pointer: boolean;
  /** whether the member is a struct and no pointer, so that it is never absent */
  readonly embedded: boolean;
  /** whether a zero value counts as absent */
  readonly dropsZero: boolean;
  /** what is written if the member is absent and has no default; undefined: nothing */
  readonly absent: unknown;
  /** a JSON value that is decoded if the member is absent; undefined: none */
  readonly default: unknown;
  /** defaults that depend on earlier members; the first that applies is used if the member is absent; undefined: none */
  readonly dependent: readonly DefaultValue[] | undefined;
}

/** How objects that have the same members in the same order are decoded. */
export interface DecodingPlan {
  /** the members that the decoded object can have, in canonical order */
  readonly steps: readonly DecodingStep[];
  /** number of members that the type does not have */
  readonly unknown: number;
  /** whether the input has exactly the members of `steps` in their order, apart from those with dependent defaults */
  readonly isInOrder: boolean;
  /** whether defaults are set after all members were decoded */
  readonly hasLateDefaults: boolean;
}

export interface DecodingStep {
  readonly member: CompiledMember;
  readonly isGiven: boolean;
}

export class CompiledStruct {
  readonly code = Code.struct;
  readonly type: StructType;
  readonly identity: Identity;
  /** whether it is a struct of Go; a structural type has no meaningful `members` */
  readonly isGo: boolean;
  readonly #plans = new MadeOfNames<DecodingPlan>();
  readonly #plansWithDefaults = new MadeOfNames<DecodingPlan>();
  #members: readonly CompiledMember[] | undefined;
  #byName: ReadonlyMap<string, CompiledMember> | undefined;
  readonly #ofUse: readonly StatedRule[];
  #rules: StructRules | undefined;

  /**
   * Callers must use `compileType`, which returns one struct for each type and identity.
   * @param ofUse defaults that one use of the type states; the struct belongs to that use alone
   */
  constructor(type: StructType, identity: Identity, ofUse: readonly StatedRule[] = []) {
    this.type = type;
    this.identity = identity;
    this.isGo = type.go === true;
    this.#ofUse = ofUse;
  }

  /** in canonical order, with members of inline structs in their place */
  get members(): readonly CompiledMember[] {
    this.#members ??= flatten(this.type).map((field, index) => compileMember(field, index, this.identity, this.#statedRules));
    return this.#members;
  }

  get byName(): ReadonlyMap<string, CompiledMember> {
    this.#byName ??= new Map(this.members.map((member) => [member.name, member]));
    return this.#byName;
  }

  /** defaults that depend on other members and are set after all members were decoded, in this order */
  get lateRules(): readonly StatedRule[] {
    return this.#statedRules.late;
  }

  get #statedRules(): StructRules {
    this.#rules ??= rulesOf(this.type, this.identity, this.#ofUse);
    return this.#rules;
  }

  /** @param defaults whether declared defaults are set */
  planOf(object: JsonObject, defaults: boolean): DecodingPlan {
    return defaults ? this.#plansWithDefaults.of(object, this.#planWithDefaults) : this.#plans.of(object, this.#plan);
  }

  readonly #plan = (names: readonly string[]): DecodingPlan => planOfNames(this, names, false);
  readonly #planWithDefaults = (names: readonly string[]): DecodingPlan => planOfNames(this, names, true);
}

function planOfNames({ members, byName, lateRules }: CompiledStruct, names: readonly string[], defaults: boolean): DecodingPlan {
  const given = new Set(names);
  const isThere = ({ member, isGiven }: DecodingStep): boolean =>
    isGiven || member.embedded || member.absent !== undefined || (defaults && member.default !== undefined);
  const steps = members
    .map((member) => ({ member, isGiven: given.has(member.name) }))
    .filter((step) => isThere(step) || (defaults && step.member.dependent !== undefined));
  const always = steps.filter(isThere);
  return {
    steps,
    unknown: names.filter((name) => !byName.has(name)).length,
    isInOrder: always.length === names.length && always.every(({ member }, index) => member.name === names[index]),
    hasLateDefaults: defaults && lateRules.length > 0,
  };
}

const compiledStructs = new WeakMap<Identity, WeakMap<StructType, CompiledStruct>>();

/** The compiled form of a type for one dialect. Repeated calls return the same object. */
export function compileType(type: StructType, identity: Identity): CompiledStruct {
  let structs = compiledStructs.get(identity);
  if (structs === undefined) {
    structs = new WeakMap();
    compiledStructs.set(identity, structs);
  }
  const known = structs.get(type);
  if (known !== undefined) return known;
  const struct = new CompiledStruct(type, identity);
  structs.set(type, struct);
  return struct;
}

const NO_RULES: readonly StatedRule[] = [];

/**
 * @param inProtobuf whether the type also has a form in protobuf
 * @param rules defaults that this use of the struct states, or of the structs in this list
 */
function compileUse(type: Type, identity: Identity, inProtobuf: boolean, rules: readonly StatedRule[] = NO_RULES): CompiledType {
  switch (type.kind) {
    case 'scalar':
      if (type.struct !== undefined) return new CompiledUnion(type.scalar, type.struct, identity);
      return type.typeName === undefined ? scalars[type.scalar] : new CompiledScalar(type.scalar, type.typeName);
    case 'list':
      return new CompiledList(type, compileUse(type.element, identity, inProtobuf, rules));
    case 'map':
      return new CompiledMap(type, compileUse(type.value, identity, inProtobuf), inProtobuf);
    case 'struct':
      return rules.length === 0 ? compileType(type, identity) : new CompiledStruct(type, identity, rules);
    case 'any':
      return scalars.json;
  }
}

const scalars = Object.fromEntries(
  Object.keys(Code)
    .filter((name) => Code[name as ScalarName] < Code.list)
    .map((name) => [name, new CompiledScalar(name as ScalarName)]),
) as Record<ScalarName, CompiledScalar>;

function compileMember(field: Field, index: number, identity: Identity, { inTurn, below }: StructRules): CompiledMember {
  const type = compileUse(field.type, identity, field.number !== undefined, below.get(field.name));
  const { pointer = false, always = false } = field.go ?? {};
  return {
    index,
    name: field.name,
    type,
    field,
    pointer,
    embedded: type.code === Code.struct && !pointer,
    dropsZero: !pointer && (dropsZero(type.code, always, field) || inTurn.has(field.name)),
    absent: absentValue(type.code, pointer, always),
    // If zero counts as absent, a default of zero is published but has no effect.
    default: field.default === undefined || (field.default === '' && !pointer) ? undefined : identity.resolve(field.default),
    dependent: inTurn.get(field.name),
  };
}

function dropsZero(code: number, always: boolean, field: Field): boolean {
  if (code === Code.bytes) return !always;
  return hasZero(code) || (code === Code.duration && field.default !== undefined);
}

function hasZero(code: number): boolean {
  return code <= Code.double || code === Code.list || code === Code.map;
}

/**
 * The value that Go writes for an absent member: `omitempty` does not omit structs, and times, durations, quantities and raw JSON are
 * structs.
 */
function absentValue(code: number, pointer: boolean, always: boolean): unknown {
  if (pointer) return always ? null : undefined;
  switch (code) {
    case Code.time:
    case Code.microTime:
    case Code.rawExtension:
    case Code.fieldsV1:
      return null;
    case Code.duration:
      return '0s';
    case Code.quantity:
      return '0';
    case Code.intOrString:
      return 0;
    default:
      return always ? zeroValue(code) : undefined;
  }
}

/** The value of null where nothing can be absent: in a list, in a map, or in a member that is always written. */
export function zeroValue(code: number): unknown {
  switch (code) {
    case Code.string:
      return '';
    case Code.boolean:
      return false;
    case Code.int32:
    case Code.int64:
    case Code.double:
    case Code.intOrString:
      return 0;
    case Code.duration:
      return '0s';
    case Code.quantity:
      return '0';
    default:
      return null;
  }
}

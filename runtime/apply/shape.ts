/**
 * How the fields of a type are owned, made once of each compiled type: which structs and maps are owned member by member, which lists element
 * by element and by what their elements are told apart, and what has one owner as a whole.
 */
import {
  Code,
  type CompiledList,
  type CompiledMap,
  type CompiledMember,
  type CompiledStruct,
  type CompiledType,
  zeroValue,
} from '../schema/compile.ts';
import { MadeOfNames } from '../schema/made-of-names.ts';
import { compareUtf8, type JsonObject } from '../schema/member.ts';
import { memberElement } from './path-element.ts';
import { NOTHING_TEXT, SELF_TEXT } from './set-text.ts';

export type Shape = Scalar | Atomic | Untyped | StructShape | MapShape | SetShape | KeyedShape;

export interface Scalar {
  readonly kind: 'scalar';
}

/** A container that has one owner and one value as a whole. */
export interface Atomic {
  readonly kind: 'atomic';
}

/** JSON without a type: its objects are owned member by member, its lists as a whole. */
export interface Untyped {
  readonly kind: 'untyped';
  /** of what is in it */
  readonly member: Untyped | Atomic;
}

export class MapShape {
  readonly kind = 'map';
  readonly value: Shape;
  /** what is owned of maps with nothing below their keys, as JSON */
  readonly texts = new MadeOfNames<string>();

  constructor(value: Shape) {
    this.value = value;
  }
}

/** A list of scalars, each at most once. */
export interface SetShape {
  readonly kind: 'set';
}

/** A list of structs that are told apart by the values of some members. */
export interface KeyedShape {
  readonly kind: 'keyed';
  /** names, sorted */
  readonly keys: readonly string[];
  /** what an absent key counts as, by its position; undefined: nothing */
  readonly defaults: readonly unknown[];
  /** atomic where an element has one owner as a whole */
  readonly element: StructShape | Atomic;
}

export interface ShapedMember {
  readonly name: string;
  /** the member's path element */
  readonly element: string;
  /** the element as JSON */
  readonly text: string;
  readonly shape: Shape;
}

/** What is owned of objects of one sort, which have the same members in the same order. */
export interface Sort {
  /** in the order of their path elements */
  readonly members: readonly ShapedMember[];
  /** all of such an object, as JSON: what stands before, between and after the sets of `inner` */
  readonly texts: readonly string[];
  /** the members that something is owned below of */
  readonly inner: readonly ShapedMember[];
}

export class StructShape {
  readonly kind = 'struct';
  readonly type: CompiledStruct;
  #members: readonly ShapedMember[] | undefined;
  #byElement: ReadonlyMap<string, ShapedMember> | undefined;
  #byName: ReadonlyMap<string, ShapedMember> | undefined;
  readonly #sorts = new MadeOfNames<Sort>();

  /** Use `shapeOf`, which gives one shape for each type. */
  constructor(type: CompiledStruct) {
    this.type = type;
  }

  /** in the order of their path elements */
  get members(): readonly ShapedMember[] {
    this.#members ??= this.type.members
      .map((member) => {
        const element = memberElement(member.name);
        return { name: member.name, element, text: JSON.stringify(element), shape: shapeOfType(member.type) };
      })
      .sort((a, b) => compareUtf8(a.name, b.name));
    return this.#members;
  }

  get byElement(): ReadonlyMap<string, ShapedMember> {
    this.#byElement ??= new Map(this.members.map((member) => [member.element, member]));
    return this.#byElement;
  }

  get byName(): ReadonlyMap<string, ShapedMember> {
    this.#byName ??= new Map(this.members.map((member) => [member.name, member]));
    return this.#byName;
  }

  /** Of the members that an object has. */
  sortOf(object: JsonObject): Sort {
    return this.#sorts.of(object, this.#sortOfNames);
  }

  readonly #sortOfNames = (names: readonly string[]): Sort => {
    const members = names.flatMap((name) => this.byName.get(name) ?? []).sort((a, b) => compareUtf8(a.name, b.name));
    const inner = members.filter(({ shape }) => !isLeaf(shape));
    const all = members.map(({ text, shape }) => `,${text}:${isLeaf(shape) ? NOTHING_TEXT : INNER}`).join('');
    return { members, texts: members.length === 0 ? [NOTHING_TEXT] : `{${SELF_TEXT}${all}}`.split(INNER), inner };
  };
}

/** Stands nowhere in JSON. */
const INNER = '\0';

/** Whether nothing is owned below of what has this shape. */
export function isLeaf({ kind }: Shape): boolean {
  return kind === 'scalar' || kind === 'atomic';
}

const SCALAR: Scalar = { kind: 'scalar' };
const ATOMIC: Atomic = { kind: 'atomic' };
/** Levels of JSON without a type that are owned member by member; what is deeper has one owner. */
const UNTYPED_LEVELS = 100;
const UNTYPED = untyped(UNTYPED_LEVELS);
const SET: SetShape = { kind: 'set' };

function untyped(levels: number): Untyped {
  let shape: Untyped = { kind: 'untyped', member: ATOMIC };
  for (let level = 1; level < levels; level++) shape = { kind: 'untyped', member: shape };
  return shape;
}

const shapes = new WeakMap<CompiledStruct, StructShape>();

/** The shape of an object's type; the same for each call. */
export function shapeOf(type: CompiledStruct): StructShape {
  let shape = shapes.get(type);
  if (shape === undefined) {
    shape = new StructShape(type);
    shapes.set(type, shape);
  }
  return shape;
}

/** A struct without members is published as an object of any content, which has one owner. */
function isWhole({ type }: CompiledStruct): boolean {
  return type.mapType === 'atomic' || type.fields.length === 0;
}

function shapeOfType(type: CompiledType): Shape {
  switch (type.code) {
    case Code.struct:
      return isWhole(type as CompiledStruct) ? ATOMIC : shapeOf(type as CompiledStruct);
    case Code.map:
      return (type as CompiledMap).type.mapType === 'atomic' ? ATOMIC : new MapShape(shapeOfType((type as CompiledMap).value));
    case Code.list:
      return shapeOfList(type as CompiledList);
    case Code.json:
    case Code.structOrBoolean:
    case Code.structOrList:
    case Code.structOrNames:
      return ATOMIC;
    case Code.rawExtension:
      return ATOMIC;
    case Code.fieldsV1:
      return UNTYPED;
    default:
      return SCALAR;
  }
}

const lists = new WeakMap<CompiledList, KeyedShape | SetShape | Atomic>();

/** The shape of a list's type; the same for each call. What is around the list does not matter. */
export function shapeOfList(type: CompiledList): KeyedShape | SetShape | Atomic {
  let shape = lists.get(type);
  if (shape === undefined) {
    shape = makeListShape(type);
    lists.set(type, shape);
  }
  return shape;
}

function makeListShape({ element, type: { listType, listMapKeys = [] } }: CompiledList): KeyedShape | SetShape | Atomic {
  if (listType === 'set' && element.code < Code.list) return SET;
  if (listType !== 'map' || element.code !== Code.struct) return ATOMIC;
  const keys = [...listMapKeys].sort(compareUtf8);
  const struct = element as CompiledStruct;
  return {
    kind: 'keyed',
    keys,
    defaults: keys.map((key) => defaultOf(struct.byName.get(key))),
    element: shapeOfType(struct) as StructShape | Atomic,
  };
}

/** A key that is always written has the zero value as its default, as the published types have it. */
function defaultOf(member: CompiledMember | undefined): unknown {
  if (member === undefined || member.pointer) return undefined;
  if (member.default !== undefined) return member.default;
  return member.field.go?.always === true || member.field.default !== undefined ? zeroValue(member.type.code) : undefined;
}

/**
 * How the fields of a type are owned: which structs and maps are owned member by member, which lists element by element and by what their
 * elements are told apart, and what has one owner as a whole. Shapes are made once of each type (`object-shape.ts`).
 */
import { MadeOfNames } from '../schema/made-of-names.ts';
import { compareUtf8, getMember, isObject, type JsonObject } from '../schema/member.ts';
import { memberElement } from './path-element.ts';
import { NOTHING_TEXT, SELF_TEXT } from './set-text.ts';

export type Shape = Scalar | AnyScalar | Atomic | Untyped | AnyShape | StructShape | MapShape | SetShape | KeyedShape;

export interface Scalar {
  readonly kind: 'scalar';
}

/** A text or a number, as the writer likes. Schemas of 1.32 let lists pass where texts have a format, and nobody owns anything of an object with one. */
export interface AnyScalar {
  readonly kind: 'anyScalar';
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

/** A value of any type, which is owned as what it is; a scalar as a whole. */
export interface AnyShape {
  readonly kind: 'any';
  /** of an object */
  readonly object: StructShape | MapShape | Atomic;
  readonly list: ListShape;
}

export type ListShape = KeyedShape | SetShape | Atomic;

/** What a value of any type is owned as: the value's own form, and that of what it is compared with where it is null. */
export function formOf({ object, list }: AnyShape, value: unknown): Shape {
  return Array.isArray(value) ? list : isObject(value) ? object : SCALAR;
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
  readonly element: Shape;
}

export interface ShapedMember {
  readonly name: string;
  /** the member's path element */
  readonly element: string;
  /** the element as JSON */
  readonly text: string;
  readonly shape: Shape;
}

/** What a shape of a struct is made of. */
export interface StructParts {
  /** called when they are first asked for: types may refer to each other in a circle */
  readonly members: () => readonly { readonly name: string; readonly shape: Shape }[];
  /** of members that are not among them, which are owned as entries of a map; undefined: there are none */
  readonly others?: Shape;
  /** whether no member has the name of what every object of JavaScript has */
  readonly hasPlainNames: boolean;
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
  readonly others: Shape | undefined;
  readonly #makeMembers: StructParts['members'];
  readonly #hasPlainNames: boolean;
  #members: readonly ShapedMember[] | undefined;
  #byElement: ReadonlyMap<string, ShapedMember> | undefined;
  #byName: ReadonlyMap<string, ShapedMember> | undefined;
  readonly #sorts = new MadeOfNames<Sort>();

  constructor(parts: StructParts) {
    this.others = parts.others;
    this.#makeMembers = parts.members;
    this.#hasPlainNames = parts.hasPlainNames;
  }

  /** in the order of their path elements; without others */
  get members(): readonly ShapedMember[] {
    this.#members ??= this.#makeMembers()
      .map(({ name, shape }) => shapedMember(name, shape))
      .sort((a, b) => compareUtf8(a.name, b.name));
    return this.#members;
  }

  get byElement(): ReadonlyMap<string, ShapedMember> {
    this.#byElement ??= new Map(this.members.map((member) => [member.element, member]));
    return this.#byElement;
  }

  get #memberByName(): ReadonlyMap<string, ShapedMember> {
    this.#byName ??= new Map(this.members.map((member) => [member.name, member]));
    return this.#byName;
  }

  /** undefined: no such member */
  memberShape(name: string): Shape | undefined {
    return this.#memberByName.get(name)?.shape ?? this.others;
  }

  /** Of the members that an object has. */
  sortOf(object: JsonObject): Sort {
    return this.#sorts.of(object, this.#sortOfNames);
  }

  /** All that two objects may have, in the order of their path elements. */
  membersOfBoth(one: JsonObject, other: JsonObject): readonly ShapedMember[] {
    const sort = this.sortOf(one);
    if (sort === this.sortOf(other)) return sort.members;
    return this.others === undefined ? this.members : this.#sortOfNames([...new Set([...Object.keys(one), ...Object.keys(other)])]).members;
  }

  /** undefined where the object does not have it */
  read(object: JsonObject, name: string): unknown {
    return this.#hasPlainNames ? object[name] : getMember(object, name);
  }

  readonly #sortOfNames = (names: readonly string[]): Sort => {
    const members = names.flatMap((name) => this.#member(name) ?? []).sort((a, b) => compareUtf8(a.name, b.name));
    const inner = members.filter(({ shape }) => !isLeaf(shape));
    const all = members.map(({ text, shape }) => `,${text}:${isLeaf(shape) ? NOTHING_TEXT : INNER}`).join('');
    return { members, texts: members.length === 0 ? [NOTHING_TEXT] : `{${SELF_TEXT}${all}}`.split(INNER), inner };
  };

  #member(name: string): ShapedMember | undefined {
    return this.#memberByName.get(name) ?? (this.others && shapedMember(name, this.others));
  }
}

function shapedMember(name: string, shape: Shape): ShapedMember {
  const element = memberElement(name);
  return { name, element, text: JSON.stringify(element), shape };
}

/** Stands nowhere in JSON. */
const INNER = '\0';

/** Whether nothing is owned below of what has this shape. */
export function isLeaf({ kind }: Shape): boolean {
  return kind === 'scalar' || kind === 'atomic';
}

export const SCALAR: Scalar = { kind: 'scalar' };
export const ANY_SCALAR: AnyScalar = { kind: 'anyScalar' };
export const ATOMIC: Atomic = { kind: 'atomic' };
/** Levels of JSON without a type that are owned member by member; what is deeper has one owner. */
const UNTYPED_LEVELS = 100;
export const UNTYPED = untyped(UNTYPED_LEVELS);
export const SET: SetShape = { kind: 'set' };

function untyped(levels: number): Untyped {
  let shape: Untyped = { kind: 'untyped', member: ATOMIC };
  for (let level = 1; level < levels; level++) shape = { kind: 'untyped', member: shape };
  return shape;
}

/**
 * How the fields of a type are owned: which structs and maps by members, which lists by elements and by which keys, and which containers as
 * a whole. Each type has one shape (`object-shape.ts`).
 */

import { writeJson } from '../contract/json-writer.ts';
import { compareUtf8, getMember, isObject, type JsonObject } from '../schema/json/member.ts';
import { MadeOfNames } from '../schema/made-of-names.ts';
import { memberElement } from './path-element.ts';
import { NOTHING_TEXT, SELF_TEXT } from './set-text.ts';

export type Shape = Scalar | AnyScalar | Atomic | Untyped | AnyShape | StructShape | MapShape | SetShape | KeyedShape;

export interface Scalar {
  readonly kind: 'scalar';
}

/** A text or a number. Schemas of 1.32 accept lists where texts have a format; then nobody owns any field of the object. */
export interface AnyScalar {
  readonly kind: 'anyScalar';
}

/** A container that has one owner as a whole. */
export interface Atomic {
  readonly kind: 'atomic';
}

/** JSON without a type: its objects are owned by members, its lists as a whole. */
export interface Untyped {
  readonly kind: 'untyped';
  /** shape of its members */
  readonly member: Untyped | Atomic;
}

/** A value of any type, which is owned by its actual form; a scalar is owned as a whole. */
export interface AnyShape {
  readonly kind: 'any';
  /** shape of an object */
  readonly object: StructShape | MapShape | Atomic;
  readonly list: ListShape;
}

export type ListShape = KeyedShape | SetShape | Atomic;

/** The shape of a value by its form. For null, the caller passes the value that it is compared with. */
export function formOf({ object, list }: AnyShape, value: unknown): Shape {
  return Array.isArray(value) ? list : isObject(value) ? object : SCALAR;
}

export class MapShape {
  readonly kind = 'map';
  readonly value: Shape;
  /** the fields of maps whose values are leaves, as JSON */
  readonly texts = new MadeOfNames<string>();

  constructor(value: Shape) {
    this.value = value;
  }
}

/** A list of scalars, each at most once. */
export interface SetShape {
  readonly kind: 'set';
}

/** A list of structs that are identified by some of their members. */
export interface KeyedShape {
  readonly kind: 'keyed';
  /** sorted names */
  readonly keys: readonly string[];
  /** default of each key, by index; undefined: there is none */
  readonly defaults: readonly unknown[];
  /** atomic if an element is owned as a whole */
  readonly element: Shape;
}

export interface ShapedMember {
  readonly name: string;
  /** path element of the member */
  readonly element: string;
  /** the element as JSON */
  readonly text: string;
  readonly shape: Shape;
}

/** The parts of a struct's shape. */
export interface StructParts {
  /** is called on first use, because types may be recursive */
  readonly members: () => readonly { readonly name: string; readonly shape: Shape }[];
  /** shape of undeclared members, which are owned like entries of a map; undefined: there are none */
  readonly others?: Shape;
  /** whether no member has the name of a member of Object.prototype */
  readonly hasPlainNames: boolean;
}

/** The fields of objects that have the same members in the same order. */
export interface Sort {
  /** sorted by path element */
  readonly members: readonly ShapedMember[];
  /** JSON of all fields of such an object, split at the places of the sets of `inner` */
  readonly texts: readonly string[];
  /** members with fields below them */
  readonly inner: readonly ShapedMember[];
}

export class StructShape {
  readonly kind = 'struct';
  /** tells it from others, without holding on to it */
  readonly id = Symbol();
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

  /** declared members, sorted by path element */
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

  /** @returns undefined if there is no such member */
  memberShape(name: string): Shape | undefined {
    return this.#memberByName.get(name)?.shape ?? this.others;
  }

  /** The fields of the members that an object has. */
  sortOf(object: JsonObject): Sort {
    return this.#sorts.of(object, this.#sortOfNames);
  }

  /** All members that two objects may have, sorted by path element. */
  membersOfBoth(one: JsonObject, other: JsonObject): readonly ShapedMember[] {
    const sort = this.sortOf(one);
    if (sort === this.sortOf(other)) return sort.members;
    return this.others === undefined ? this.members : this.#sortOfNames([...new Set([...Object.keys(one), ...Object.keys(other)])]).members;
  }

  /** @returns undefined if the object does not have the member */
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
  return { name, element, text: writeJson(element), shape };
}

/** a character that does not occur in JSON */
const INNER = '\0';

/** Whether nothing below a value of this shape is owned. */
export function isLeaf({ kind }: Shape): boolean {
  return kind === 'scalar' || kind === 'atomic';
}

export const SCALAR: Scalar = { kind: 'scalar' };
export const ANY_SCALAR: AnyScalar = { kind: 'anyScalar' };
export const ATOMIC: Atomic = { kind: 'atomic' };
/** JSON without a type is owned by members down to so many levels; a deeper value has one owner. */
const UNTYPED_LEVELS = 100;
export const UNTYPED = untyped(UNTYPED_LEVELS);
export const SET: SetShape = { kind: 'set' };

function untyped(levels: number): Untyped {
  let shape: Untyped = { kind: 'untyped', member: ATOMIC };
  for (let level = 1; level < levels; level++) shape = { kind: 'untyped', member: shape };
  return shape;
}

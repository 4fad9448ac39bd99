/**
 * Sets of fields in the form that FieldsV1 has in JSON: an object of path elements, each with the set below it. An element is a member of
 * the set if nothing is below it, or if `.` is. So stored sets need no decoding, and unchanged parts are shared. Sets are immutable.
 *
 * Elements are sorted by `compareElements`, with `.` first. An element whose set is empty is a member.
 * @see https://github.com/kubernetes-sigs/structured-merge-diff
 */
import { isObject } from '../schema/json/member.ts';
import { canonicalElement, compareElements, shownElement } from './path-element.ts';

export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** A set while it is being built. */
export type MutableFieldSet = Record<string, FieldSet>;

/** The set below an element that is a member with nothing below it. As a whole set, it is the empty one. */
export const NOTHING_BELOW: FieldSet = Object.freeze({});
export const EMPTY_SET = NOTHING_BELOW;
export const SELF = '.';

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** @param below the set below an element @returns whether the element is a member */
function isMember(below: FieldSet): boolean {
  return below[SELF] !== undefined || isEmptySet(below);
}

function withSelf(below: FieldSet): FieldSet {
  return below[SELF] !== undefined ? below : { [SELF]: NOTHING_BELOW, ...below };
}

/** @param path elements from the root */
export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) {
    at = at[element];
    if (at === undefined) return false;
  }
  return path.length > 0 && isMember(at);
}

/** @param path elements from the root, at least one */
export function setOfPath(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((below, element) => ({ [element]: below }), NOTHING_BELOW);
}

/** @returns `a` itself if it contains all of `b` */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (includes(a, b)) return a;
  return isEmptySet(a) ? b : mergeChildren(a, b);
}

/** The union of all sets. It joins neighbours in rounds, so that each field is visited a logarithmic number of times. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  let left = sets;
  while (left.length > 1) left = unionsOfPairs(left);
  return left[0] ?? EMPTY_SET;
}

function unionsOfPairs(sets: readonly FieldSet[]): FieldSet[] {
  const unions: FieldSet[] = [];
  for (let index = 0; index < sets.length; index += 2) unions.push(union(sets[index] as FieldSet, sets[index + 1] ?? EMPTY_SET));
  return unions;
}

/** Whether `a` contains every field of `b`. */
export function includes(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  for (const element in b) {
    if (element === SELF) continue;
    const own = a[element];
    const other = b[element] as FieldSet;
    if (own === undefined || (isMember(other) && !isMember(own)) || !includes(own, other)) return false;
  }
  return true;
}

function unionBelow(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isEmptySet(a)) return isEmptySet(b) ? a : withSelf(b);
  return isEmptySet(b) ? withSelf(a) : mergeChildren(a, b);
}

function mergeChildren(a: FieldSet, b: FieldSet): FieldSet {
  const left = Object.keys(a);
  const right = Object.keys(b);
  const merged: MutableFieldSet = {};
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const one = left[i] as string;
    const other = right[j] as string;
    const order = compareElements(one, other);
    if (order === 0) merged[one] = unionBelow(a[one] as FieldSet, b[other] as FieldSet);
    else if (order < 0) merged[one] = a[one] as FieldSet;
    else merged[other] = b[other] as FieldSet;
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  for (; i < left.length; i++) merged[left[i] as string] = a[left[i] as string] as FieldSet;
  for (; j < right.length; j++) merged[right[j] as string] = b[right[j] as string] as FieldSet;
  return merged;
}

/** The fields of `a` that are not in `b`; fields below a field of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmptySet(b) ? a : (withoutChildren(a, b, differenceBelow, false) ?? EMPTY_SET);
}

function differenceBelow(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return withoutChildren(a, b, differenceBelow, isMember(a) && !isMember(b));
}

/** The fields of `a` that are neither in `b` nor below a field of `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmptySet(b) ? a : (withoutChildren(a, b, recursiveDifferenceBelow, false) ?? EMPTY_SET);
}

function recursiveDifferenceBelow(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return isMember(b) ? undefined : withoutChildren(a, b, recursiveDifferenceBelow, isMember(a));
}

type Below = (a: FieldSet, b: FieldSet) => FieldSet | undefined;

/** @param member whether the element above is a member of the result @returns undefined if nothing is left; `a` itself if all is */
function withoutChildren(a: FieldSet, b: FieldSet, below: Below, member: boolean): FieldSet | undefined {
  const left: MutableFieldSet = {};
  let changed = isMember(a) !== member;
  let any = false;
  for (const element in a) {
    if (element === SELF) {
      if (member) left[SELF] = NOTHING_BELOW;
      continue;
    }
    const own = a[element] as FieldSet;
    const other = b[element];
    const kept = other === undefined ? own : below(own, other);
    if (kept !== own) changed = true;
    if (kept === undefined) continue;
    left[element] = kept;
    any = true;
  }
  if (!changed) return a;
  if (any) return left;
  return member ? NOTHING_BELOW : undefined;
}

/** The fields that are in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return a === b ? a : (commonChildren(a, b, false) ?? EMPTY_SET);
}

function commonChildren(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const common: MutableFieldSet = {};
  if (member) common[SELF] = NOTHING_BELOW;
  let any = false;
  for (const element in a) {
    const other = b[element];
    if (element === SELF || other === undefined) continue;
    const own = a[element] as FieldSet;
    const below = commonChildren(own, other, isMember(own) && isMember(other));
    if (below === undefined) continue;
    common[element] = below;
    any = true;
  }
  if (any) return common;
  return member ? NOTHING_BELOW : undefined;
}

/** A tree of path elements; `*` stands for every element, and an empty tree matches everything below it. */
export interface FieldPattern {
  readonly [element: string]: FieldPattern;
}

/** The fields that the pattern matches, and those on the way to them. */
export function matching(set: FieldSet, pattern: FieldPattern): FieldSet {
  const kept: MutableFieldSet = {};
  for (const element in set) {
    const below = set[element] as FieldSet;
    const next = pattern[element] ?? pattern['*'];
    if (element === SELF) kept[SELF] = below;
    else if (next !== undefined) {
      const inner = isEmptySet(next as FieldSet) ? below : matching(below, next);
      if (!isEmptySet(inner) || isEmptySet(below)) kept[element] = inner;
    }
  }
  return kept;
}

/**
 * Visits every field in the order in which conflicts list them: those of one level before those below them.
 * @param visit gets a new list each time
 */
export function eachPath(set: FieldSet, visit: (path: readonly string[]) => void, above: readonly string[] = []): void {
  for (const element in set) if (element !== SELF && isMember(set[element] as FieldSet)) visit([...above, element]);
  for (const element in set) {
    const below = set[element] as FieldSet;
    if (element !== SELF && !isEmptySet(below)) eachPath(below, visit, [...above, element]);
  }
}

/** A path in conflicts, such as `.spec.ports[port=80,protocol="TCP"].name`. */
export function shownPath(path: readonly string[]): string {
  return path.map(shownElement).join('');
}

/** Limit of the levels of a set from a client, which no type reaches. */
const MAX_DEPTH = 500;

/**
 * Reads a set from a client: sorts it and drops elements of unknown kinds.
 * @throws Error for an invalid set
 */
export function readFieldSet(value: unknown): FieldSet {
  return value === undefined ? EMPTY_SET : (readBelow(value, 0).set ?? EMPTY_SET);
}

/** @param value null says what an empty object says. @returns the set without its own membership, or undefined if nothing is below it */
function readBelow(value: unknown, depth: number): { readonly set: FieldSet | undefined; readonly member: boolean } {
  if (value === null) return { set: undefined, member: true };
  if (!isObject(value)) throw new Error('a set of fields is an object');
  if (depth > MAX_DEPTH) throw new Error('a set of fields is too deep');
  const children = new Map<string, FieldSet>();
  let member = false;
  for (const name of Object.keys(value)) {
    if (name === SELF) {
      member = true;
      continue;
    }
    const element = canonicalElement(name);
    if (element === undefined) continue;
    const { set, member: own } = readBelow(value[name], depth + 1);
    const below = set === undefined ? NOTHING_BELOW : own ? withSelf(set) : set;
    const earlier = children.get(element);
    children.set(element, earlier === undefined ? below : unionBelow(earlier, below));
  }
  if (children.size === 0) return { set: undefined, member: true };
  return { set: Object.fromEntries([...children].sort(([a], [b]) => compareElements(a, b))), member };
}

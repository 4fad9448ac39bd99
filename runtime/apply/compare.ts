/** The fields in which two objects of one type differ. */
import { deepEqual } from '../schema/equal.ts';
import { isObject, type JsonObject, sortedNames } from '../schema/json/member.ts';
import { EMPTY_SET, type FieldSet, type MutableFieldSet, NOTHING_BELOW, SELF } from './field-set.ts';
import { groupElements, requireScalar, sortedItems } from './list-elements.ts';
import { compareElements, memberElement } from './path-element.ts';
import { type AnyShape, formOf, type KeyedShape, type SetShape, type Shape, type StructShape } from './shape.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Containers that are empty on both sides are compared like scalars. undefined means absent; null is a value, but in place of a container
 * it counts as empty.
 * @throws ElementError
 */
export function compareObjects(shape: StructShape, left: object, right: object): Comparison {
  const { added = EMPTY_SET, modified = EMPTY_SET, removed = EMPTY_SET } = compareStruct(shape, left, right) ?? {};
  return { added, modified, removed };
}

/** The differences at and below one path; absent: there are none. */
interface Delta {
  readonly added?: FieldSet;
  readonly modified?: FieldSet;
  readonly removed?: FieldSet;
}

const ADDED: Delta = { added: NOTHING_BELOW };
const MODIFIED: Delta = { modified: NOTHING_BELOW };
const REMOVED: Delta = { removed: NOTHING_BELOW };

/** At most one of the values is undefined; then the value itself is added or removed. */
function compareValues(shape: Shape, left: unknown, right: unknown): Delta | undefined {
  if (left === right) return undefined;
  if (left === undefined) return { added: wholeOf(shape, right) };
  if (right === undefined) return { removed: wholeOf(shape, left) };
  switch (shape.kind) {
    case 'struct':
      return compareStruct(shape, left, right);
    case 'map':
      return compareMaps(shape.value, left, right);
    case 'set':
    case 'keyed':
      return compareLists(shape, left, right);
    case 'any':
      return compareAny(shape, left, right);
    case 'untyped':
      return compareUntyped(shape.member, left, right);
    case 'anyScalar':
      requireScalar(left);
      requireScalar(right);
      return compareLeaves(left, right);
    default:
      return compareLeaves(left, right);
  }
}

function compareLeaves(left: unknown, right: unknown): Delta | undefined {
  return deepEqual(left, right) ? undefined : MODIFIED;
}

/** The fields of a value that only one side has: the value itself and everything in it. */
function wholeOf(shape: Shape, value: unknown): FieldSet {
  switch (shape.kind) {
    case 'struct':
      return isObject(value) ? wholeStruct(shape, value) : NOTHING_BELOW;
    case 'map':
      return isObject(value) ? wholeMap(shape.value, value) : NOTHING_BELOW;
    case 'any':
      return wholeOf(formOf(shape, value), value);
    case 'untyped':
      return isObject(value) ? wholeMap(shape.member, value) : NOTHING_BELOW;
    case 'set':
    case 'keyed':
      return Array.isArray(value) ? wholeList(shape, value) : NOTHING_BELOW;
    case 'anyScalar':
      requireScalar(value);
      return NOTHING_BELOW;
    default:
      return NOTHING_BELOW;
  }
}

function wholeStruct(shape: StructShape, value: JsonObject): FieldSet {
  const fields: MutableFieldSet = { [SELF]: NOTHING_BELOW };
  let any = false;
  const { members } = shape.others === undefined ? shape : shape.sortOf(value);
  for (const { name, element, shape: member } of members) {
    const inner = shape.read(value, name);
    if (inner === undefined) continue;
    fields[element] = wholeOf(member, inner);
    any = true;
  }
  return any ? fields : NOTHING_BELOW;
}

function wholeMap(shape: Shape, value: JsonObject): FieldSet {
  if (!hasMembers(value)) return NOTHING_BELOW;
  const fields: MutableFieldSet = { [SELF]: NOTHING_BELOW };
  for (const name of sortedNames(Object.keys(value))) fields[memberElement(name)] = wholeOf(shape, value[name]);
  return fields;
}

function wholeList(shape: KeyedShape | SetShape, list: readonly unknown[]): FieldSet {
  if (list.length === 0) return NOTHING_BELOW;
  const fields: MutableFieldSet = { [SELF]: NOTHING_BELOW };
  let last = '';
  for (const { element, value } of sortedItems(shape, list)) {
    fields[element] = shape.kind === 'set' || element === last ? NOTHING_BELOW : wholeOf(shape.element, value);
    last = element;
  }
  return fields;
}

const NONE: JsonObject = Object.freeze({});

function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : NONE;
}

function hasMembers(object: JsonObject): boolean {
  for (const _ in object) return true;
  return false;
}

function compareStruct(shape: StructShape, left: unknown, right: unknown): Delta | undefined {
  const [from, to] = [membersOf(left), membersOf(right)];
  if (!hasMembers(from) && !hasMembers(to)) return compareLeaves(left, right);
  const found = new Collector();
  for (const member of shape.membersOfBoth(from, to)) {
    const before = shape.read(from, member.name);
    const after = shape.read(to, member.name);
    if (before !== after) found.add(member.element, compareValues(member.shape, before, after));
  }
  return found.delta();
}

function compareMaps(value: Shape, left: unknown, right: unknown): Delta | undefined {
  const [from, to] = [membersOf(left), membersOf(right)];
  if (!hasMembers(from) && !hasMembers(to)) return compareLeaves(left, right);
  const found = new Collector();
  for (const name of namesOfBoth(from, to)) {
    const before = Object.hasOwn(from, name) ? from[name] : undefined;
    const after = Object.hasOwn(to, name) ? to[name] : undefined;
    if (before !== after) found.add(memberElement(name), compareValues(value, before, after));
  }
  return found.delta();
}

function namesOfBoth(from: JsonObject, to: JsonObject): string[] {
  const names = Object.keys(to);
  for (const name in from) if (!Object.hasOwn(to, name)) names.push(name);
  return sortedNames(names);
}

/** If only one side is an object, its members are added or removed, and the value itself is modified. */
function compareUntyped(member: Shape, left: unknown, right: unknown): Delta | undefined {
  const [from, to] = [isObject(left ?? right), isObject(right ?? left)];
  if (!from && !to) return compareLeaves(left, right);
  const members = compareMaps(member, left, right);
  return from && to ? members : { ...members, modified: NOTHING_BELOW };
}

/** null has the form of the other side. If the forms differ, the members of each side are removed or added. */
function compareAny(shape: AnyShape, left: unknown, right: unknown): Delta | undefined {
  const [from, to] = [formOf(shape, left ?? right), formOf(shape, right ?? left)];
  if (from !== to) {
    const [gone, come] = [compareValues(from, left, null), compareValues(to, null, right)];
    return deltaOf(come?.added, gone?.modified ?? come?.modified, gone?.removed);
  }
  const found = compareValues(from, left, right);
  return Array.isArray(left) === Array.isArray(right) ? found : { ...found, modified: NOTHING_BELOW };
}

function deltaOf(added: FieldSet | undefined, modified: FieldSet | undefined, removed: FieldSet | undefined): Delta {
  return { ...(added && { added }), ...(modified && { modified }), ...(removed && { removed }) };
}

const NO_ELEMENTS: readonly unknown[] = [];

function compareLists(shape: KeyedShape | SetShape, left: unknown, right: unknown): Delta | undefined {
  const from = Array.isArray(left) ? left : NO_ELEMENTS;
  const to = Array.isArray(right) ? right : NO_ELEMENTS;
  if (from.length === 0 && to.length === 0) return compareLeaves(left, right);
  if (deepEqual(from, to)) return undefined;
  const [before, after] = [groupElements(shape, from), groupElements(shape, to)];
  const elements = [...after.keys()];
  for (const element of before.keys()) if (!after.has(element)) elements.push(element);
  elements.sort(compareElements);
  const item: Shape = shape.kind === 'keyed' ? shape.element : { kind: 'scalar' };
  const found = new Collector();
  for (const element of elements)
    compareGroups(found, element, item, before.get(element) ?? NO_ELEMENTS, after.get(element) ?? NO_ELEMENTS);
  return found.delta();
}

/** Elements with the same key are owned together, as one field. */
function compareGroups(found: Collector, element: string, item: Shape, before: readonly unknown[], after: readonly unknown[]): void {
  if (before.length <= 1 && after.length <= 1) found.add(element, compareValues(item, before[0], after[0]));
  else if (before.length >= 2 && after.length >= 2) found.add(element, deepEqual(before, after) ? undefined : MODIFIED);
  else if (before.length >= 2) {
    if (after.length > 0) found.add(element, compareValues(item, undefined, after[0]));
    found.add(element, REMOVED);
  } else {
    if (before.length > 0) found.add(element, compareValues(item, before[0], undefined));
    found.add(element, ADDED);
  }
}

/** Collects the differences below a container, in the order of its elements. */
class Collector {
  #added: MutableFieldSet | undefined;
  #modified: MutableFieldSet | undefined;
  #removed: MutableFieldSet | undefined;

  add(element: string, delta: Delta | undefined): void {
    if (delta === undefined) return;
    if (delta.added !== undefined) {
      this.#added ??= {};
      this.#added[element] = delta.added;
    }
    if (delta.modified !== undefined) {
      this.#modified ??= {};
      this.#modified[element] = delta.modified;
    }
    if (delta.removed !== undefined) {
      this.#removed ??= {};
      this.#removed[element] = delta.removed;
    }
  }

  delta(): Delta | undefined {
    if (this.#added === undefined && this.#modified === undefined && this.#removed === undefined) return undefined;
    const delta: { added?: FieldSet; modified?: FieldSet; removed?: FieldSet } = {};
    if (this.#added !== undefined) delta.added = this.#added;
    if (this.#modified !== undefined) delta.modified = this.#modified;
    if (this.#removed !== undefined) delta.removed = this.#removed;
    return delta;
  }
}

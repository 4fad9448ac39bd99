/**
 * Writes the fields that the creator of an object owns as FieldsV1 in one walk. Creates are the most frequent writes, and making the set as
 * objects, as `updateManagers` does, takes three times as long.
 */
import { writeJson } from '../contract/json-writer.ts';
import { deepEqual } from '../schema/equal.ts';
import { isObject, type JsonObject, sortedNames } from '../schema/json/member.ts';
import { type FieldSet, isEmptySet, type MutableFieldSet, NOTHING_BELOW, SELF } from './field-set.ts';
import { type ListItem, requireScalar, sortedItems } from './list-elements.ts';
import { UNOWNED } from './ownership.ts';
import { isPlainText, memberElement } from './path-element.ts';
import { NOTHING_TEXT, SELF_TEXT } from './set-text.ts';
import { formOf, isLeaf, type KeyedShape, type MapShape, type SetShape, type Shape, type ShapedMember, type StructShape } from './shape.ts';
import type { OwnedVersion } from './versions.ts';

/** Stands for what is skipped below a path, if that is nothing. */
const OWNED: FieldSet = Object.freeze({ '': NOTHING_BELOW });

/** a struct without members */
const NOTHING: JsonObject = Object.freeze({});

/** The object has something that only the general comparison can handle. */
class Uncommon extends Error {}
const uncommon = new Uncommon();

/**
 * Returns the fields that `updateManagers` finds for the creator of `object`.
 * @param zero the zero value of the type
 * @param object without managedFields
 * @returns JSON, '{}' if nothing is owned; undefined if the object needs the general comparison
 * @throws ElementError for an object that its type does not allow
 */
export function createdFields(version: OwnedVersion, zero: object, object: object): string | undefined {
  if (version.owns !== undefined) return undefined;
  try {
    return changedStruct(version.shape, unownedBy(version), zero as JsonObject, object as JsonObject) ?? NOTHING_TEXT;
  } catch (error) {
    if (error === uncommon) return undefined;
    throw error;
  }
}

const unowned = new WeakMap<OwnedVersion, FieldSet>();

/** The fields that no creator owns in the version: those of the set and everything below them. */
function unownedBy(version: OwnedVersion): FieldSet {
  let set = unowned.get(version);
  if (set === undefined) {
    set = withResets(UNOWNED, version.resets);
    unowned.set(version, set);
  }
  return set;
}

function withResets(set: FieldSet, resets: FieldSet): FieldSet {
  const both: MutableFieldSet = { ...set };
  for (const element in resets) {
    const below = resets[element] as FieldSet;
    const own = set[element];
    if (own === undefined || isEmptySet(below)) both[element] = below;
    else if (!isEmptySet(own)) both[element] = withResets(own, below);
  }
  return both;
}

/** @param skip the fields below this path that are not owned; if empty, none are @returns undefined if nothing differs */
function changedStruct(shape: StructShape, skip: FieldSet, zero: JsonObject, value: JsonObject): string | undefined {
  let text = '';
  for (const { name, element, text: key, shape: member } of shape.sortOf(value).members) {
    const inner = value[name];
    const below = skip[element] ?? OWNED;
    const found = changedValue(member, below, shape.read(zero, name), inner);
    if (found !== undefined && !isEmptySet(below)) text += text === '' ? `${key}:${found}` : `,${key}:${found}`;
  }
  return text === '' ? undefined : `{${text}}`;
}

function changedValue(shape: Shape, skip: FieldSet, zero: unknown, value: unknown): string | undefined {
  if (zero === value) return undefined;
  if (zero === undefined) {
    const isNotItself = skip[SELF] !== undefined && shape.kind === 'struct' && isObject(value);
    return isNotItself ? changedStruct(shape, skip, NOTHING, value) : wholeOf(shape, skip, value);
  }
  if (shape.kind === 'scalar' || shape.kind === 'atomic') return deepEqual(zero, value) ? undefined : NOTHING_TEXT;
  if (shape.kind === 'struct' && isObject(zero) && isObject(value)) {
    if (isEmptySet(zero as FieldSet) && isEmptySet(value as FieldSet)) return undefined;
    return changedStruct(shape, skip, zero, value);
  }
  if (
    (shape.kind === 'set' || shape.kind === 'keyed') &&
    isNoList(zero) &&
    Array.isArray(value) &&
    value.length > 0 &&
    (skip === OWNED || isEmptySet(skip))
  )
    return `{${itemsOf(shape, value)}}`;
  throw uncommon;
}

function isNoList(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** The fields of a new value: the value itself and everything in it. */
function wholeOf(shape: Shape, skip: FieldSet, value: unknown): string {
  if (skip !== OWNED && !isEmptySet(skip) && (shape.kind !== 'struct' || skip[SELF] !== undefined)) throw uncommon;
  switch (shape.kind) {
    case 'struct':
      return isObject(value) ? wholeStruct(shape, skip, value) : NOTHING_TEXT;
    case 'map':
      return isObject(value) ? wholeMap(shape, value) : NOTHING_TEXT;
    case 'any':
      return wholeOf(formOf(shape, value), skip, value);
    case 'untyped':
      return isObject(value) ? wholeValues(shape.member, Object.keys(value), value) : NOTHING_TEXT;
    case 'set':
    case 'keyed':
      return Array.isArray(value) && value.length > 0 ? `{${SELF_TEXT},${itemsOf(shape, value)}}` : NOTHING_TEXT;
    case 'anyScalar':
      requireScalar(value);
      return NOTHING_TEXT;
    default:
      return NOTHING_TEXT;
  }
}

function wholeStruct(shape: StructShape, skip: FieldSet, value: JsonObject): string {
  const { members, texts, inner } = shape.sortOf(value);
  if (skip !== OWNED) return unskippedStruct(members, skip, value);
  let text = texts[0] as string;
  for (let i = 0; i < inner.length; i++) {
    const { name, shape: member } = inner[i] as ShapedMember;
    text += wholeOf(member, OWNED, value[name]) + texts[i + 1];
  }
  return text;
}

function unskippedStruct(members: readonly ShapedMember[], skip: FieldSet, value: JsonObject): string {
  let text = '';
  for (const { name, element, text: key, shape: member } of members) {
    const below = skip[element] ?? OWNED;
    const found = wholeOf(member, below, value[name]);
    if (!isEmptySet(below)) text += `,${key}:${found}`;
  }
  return text === '' ? NOTHING_TEXT : `{${SELF_TEXT}${text}}`;
}

function wholeMap(shape: MapShape, value: JsonObject): string {
  return isLeaf(shape.value) ? shape.texts.of(value, leavesText) : wholeValues(shape.value, Object.keys(value), value);
}

const LEAF: Shape = { kind: 'scalar' };

function leavesText(names: readonly string[]): string {
  return wholeValues(LEAF, [...names], {});
}

function wholeValues(shape: Shape, names: string[], value: JsonObject): string {
  let text = '';
  for (const name of sortedNames(names)) text += `,${elementText(memberElement(name))}:${wholeOf(shape, OWNED, value[name])}`;
  return text === '' ? NOTHING_TEXT : `{${SELF_TEXT}${text}}`;
}

/** @returns the members of the set of a list that is not empty; elements with the same key are owned together, as one field */
function itemsOf(shape: KeyedShape | SetShape, list: readonly unknown[]): string {
  return (shape.kind === 'keyed' ? ascendingItems(shape, list) : undefined) ?? sortedItemsText(shape, list);
}

/** Like `itemsOf`, for elements whose only key is a plain text and that are sorted by it; undefined for others. */
function ascendingItems({ keys, element }: KeyedShape, list: readonly unknown[]): string | undefined {
  const [key] = keys as readonly [string];
  if (keys.length > 1) return undefined;
  let text = '';
  let last = '';
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (!isObject(item)) return undefined;
    const name = item[key];
    if (typeof name !== 'string' || !isPlainText(name) || (i > 0 && name <= last)) return undefined;
    text += `${i === 0 ? '"k:{\\"' : ',"k:{\\"'}${key}\\":\\"${name}\\"}":${wholeOf(element, OWNED, item)}`;
    last = name;
  }
  return text;
}

function sortedItemsText(shape: KeyedShape | SetShape, list: readonly unknown[]): string {
  let text = '';
  const items = sortedItems(shape, list);
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as ListItem;
    if (i > 0 && item.element === items[i - 1]?.element) continue;
    const single = shape.kind === 'keyed' && item.element !== items[i + 1]?.element;
    text += `${i === 0 ? '' : ','}${itemText(shape, item)}:${single ? wholeOf(shape.element, OWNED, item.value) : NOTHING_TEXT}`;
  }
  return text;
}

/** The path element of an item as JSON. */
function itemText(shape: KeyedShape | SetShape, { element, text }: ListItem): string {
  return text === undefined || shape.kind === 'set' ? writeJson(element) : `"k:{\\"${shape.keys[0]}\\":\\"${text}\\"}"`;
}

function elementText(element: string): string {
  return isPlainText(element) ? `"${element}"` : writeJson(element);
}

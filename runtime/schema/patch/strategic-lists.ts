/** Merges lists in a strategic merge: which elements the result has, and in which order. */

import { isObject, type JsonObject } from '../json/member.ts';
import { isRawNumber } from '../scalar/raw-number.ts';
import { jsonKind } from '../scalar/scalar-error.ts';
import { goTypeText } from '../text/go-printed.ts';
import { internal, PATCH, shown, unexpected, unknownDirective } from './directives.ts';
import { PatchError } from './error.ts';

/** The member that identifies an element; undefined for lists of scalars. */
export type MergeKey = string | undefined;

export type MergeElement = (original: JsonObject, patch: JsonObject) => JsonObject;

/** @throws PatchError */
export function mergeList(original: readonly unknown[], patch: readonly unknown[], mergeKey: MergeKey, merge: MergeElement): unknown[] {
  if (original.length === 0 && patch.length === 0) return [];
  if (elementKind(original, patch) !== 'object') {
    const merged = [...new Map([...original, ...patch].map((element) => [identityOf(element), element])).values()];
    return ordered(merged, patch, original, undefined);
  }
  if (mergeKey === undefined) throw internal('cannot merge lists without merge key for struct');
  const plain = withOneMerged(original as JsonObject[], patch as JsonObject[], mergeKey, merge);
  if (plain !== undefined) return plain;
  const special = applyDirectives(original as JsonObject[], patch as JsonObject[], mergeKey);
  const merged = mergeObjects(special.original, special.patch, mergeKey, merge);
  return ordered(merged, special.patch, special.original, mergeKey);
}

/**
 * Handles a patch that changes one existing element, as most do: the other elements keep their places.
 * @returns undefined for other lists and patches
 */
function withOneMerged(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
  merge: MergeElement,
): unknown[] | undefined {
  const [element] = patch;
  if (element === undefined || patch.length > 1 || Object.hasOwn(element, PATCH) || !Object.hasOwn(element, mergeKey)) return undefined;
  if (!original.every((each) => Object.hasOwn(each, mergeKey))) return undefined;
  const keys = original.map((each) => identityOf(each[mergeKey]));
  const at = keys.indexOf(identityOf(element[mergeKey]));
  if (at === -1 || (keys.length > 1 && new Set(keys).size < keys.length)) return undefined;
  return original.with(at, merge(original[at] as JsonObject, element));
}

/** Deletes scalars from a list. */
export function without(list: readonly unknown[], deleted: readonly unknown[]): unknown[] {
  const gone = new Set(deleted.map(identityOf));
  return list.filter((element) => !gone.has(identityOf(element)));
}

const NONE: readonly unknown[] = [];

/** The JSON kind that all elements have, which is not a list. @param more further elements @throws PatchError */
export function elementKind(elements: readonly unknown[], more: readonly unknown[] = NONE): string {
  if (elements.length + more.length === 0) throw internal('no elements in any of the given slices');
  if (elements.every(isObject) && more.every(isObject)) return 'object';
  const [first] = elements.length > 0 ? elements : more;
  if (Array.isArray(first)) throw new PatchError('failed', 'lists of lists are not supported');
  const type = goTypeText(first);
  const isOther = (element: unknown) => goTypeText(element) !== type;
  if (elements.some(isOther) || more.some(isOther)) throw internal(`list element types are not identical: ${shown([elements, more])}`);
  return jsonKind(first);
}

/** Applies elements with `$patch`, which delete others or say that the patch replaces the whole list. */
function applyDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): Record<'original' | 'patch', JsonObject[]> {
  const deleted = new Set<unknown>();
  let replace = false;
  for (const element of patch) {
    if (!Object.hasOwn(element, PATCH)) continue;
    const directive = element[PATCH];
    if (directive === 'delete') deleted.add(identityOf(keyValue(element, mergeKey)));
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw internal('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(directive, element);
  }
  const plain = patch.filter((element) => !Object.hasOwn(element, PATCH));
  const left = original.filter((element) => !Object.hasOwn(element, mergeKey) || !deleted.has(identityOf(element[mergeKey])));
  return replace ? { original: plain, patch: [] } : { original: left, patch: plain };
}

/**
 * The order by which what a patch does not name finds its place where the patch gives an order of the list. As in 1.32, new elements take the places that
 * deleted ones leave at the end of the live list, so that as many of them as were deleted come after all that is left of it.
 */
export function liveOrder(original: readonly unknown[], patch: readonly unknown[], mergeKey: string): readonly unknown[] {
  const directives = new Set(patch.map((element) => (isObject(element) ? element[PATCH] : undefined)));
  if (!directives.has('delete') || directives.has('replace')) return original;
  const { original: left, patch: plain } = applyDirectives(original as JsonObject[], patch as JsonObject[], mergeKey);
  const keys = new Set(left.map((element) => identityIn(element, mergeKey)));
  const added = plain.filter((element) => {
    const key = identityIn(element, mergeKey);
    return !keys.has(key) && keys.add(key);
  });
  return [...left, ...added.slice(0, original.length - left.length)];
}

function mergeObjects(original: readonly JsonObject[], patch: readonly JsonObject[], mergeKey: string, merge: MergeElement): JsonObject[] {
  const merged = [...original];
  const positions = positionsOf(original, mergeKey);
  for (const element of patch) {
    const key = identityOf(keyValue(element, mergeKey));
    const at = positions.get(key);
    if (at === undefined) positions.set(key, merged.push(element) - 1);
    else merged[at] = merge(merged[at] as JsonObject, element);
  }
  return merged;
}

/** @throws PatchError for an element without the key */
export function keyValue(element: unknown, mergeKey: string): unknown {
  if (!isObject(element)) throw unexpected('map[string]interface {}', element);
  if (!Object.hasOwn(element, mergeKey)) throw internal(`map: ${shown(element)} does not contain declared merge key: ${mergeKey}`);
  return element[mergeKey];
}

/** Elements with the same identity are the same element. Numbers are compared by their spelling, and differ from texts. */
export function identityOf(value: unknown): unknown {
  return isRawNumber(value) ? `${typeof 0}:${value.rawJSON}` : value;
}

function positionsOf(elements: readonly unknown[], mergeKey: MergeKey): Map<unknown, number> {
  const positions = new Map<unknown, number>();
  elements.forEach((element, index) => {
    const key = identityIn(element, mergeKey);
    if (!positions.has(key)) positions.set(key, index);
  });
  return positions;
}

function identityIn(element: unknown, mergeKey: MergeKey): unknown {
  return identityOf(mergeKey === undefined ? element : isObject(element) ? element[mergeKey] : undefined);
}

/**
 * Orders elements: those in `wanted` in its order, the others in the order of the `live` list. Each of the others comes before the first
 * wanted element that it precedes in the live list.
 * @throws PatchError for an element without the merge key
 */
export function ordered(elements: readonly unknown[], wanted: readonly unknown[], live: readonly unknown[], mergeKey: MergeKey): unknown[] {
  if (mergeKey !== undefined) for (const element of [...elements, ...wanted]) keyValue(element, mergeKey);
  const wantedAt = positionsOf(wanted, mergeKey);
  const liveAt = positionsOf(live, mergeKey);
  const place = (positions: ReadonlyMap<unknown, number>) => (a: unknown, b: unknown) =>
    (positions.get(identityIn(a, mergeKey)) ?? 0) - (positions.get(identityIn(b, mergeKey)) ?? 0);
  const named = elements.filter((element) => wantedAt.has(identityIn(element, mergeKey))).sort(place(wantedAt));
  const others = elements.filter((element) => !wantedAt.has(identityIn(element, mergeKey))).sort(place(liveAt));
  return interleave(others, named, (element) => liveAt.get(identityIn(element, mergeKey)));
}

function interleave(others: unknown[], named: unknown[], liveAt: (element: unknown) => number | undefined): unknown[] {
  const result: unknown[] = [];
  let next = 0;
  for (const element of named) {
    const limit = liveAt(element);
    while (next < others.length && limit !== undefined && isBefore(liveAt(others[next]), limit)) result.push(others[next++]);
    result.push(element);
  }
  return [...result, ...others.slice(next)];
}

function isBefore(position: number | undefined, limit: number): boolean {
  return position !== undefined && position < limit;
}

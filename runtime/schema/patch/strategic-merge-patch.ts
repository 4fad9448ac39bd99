/**
 * Strategic merge patch: a merge patch with directives that learns from the type which lists are merged by which key.
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
import { Code, type CompiledList, type CompiledMember, type CompiledStruct, type CompiledType } from '../compile.ts';
import { isObject, type JsonObject, setMember } from '../json/member.ts';
import { jsonKind } from '../scalar/scalar-error.ts';
import { typeName } from '../type-name.ts';
import {
  BAD_RETAIN_KEYS,
  deletionTarget,
  internal,
  isParallelList,
  newValue,
  orderTarget,
  PATCH,
  RETAIN_KEYS,
  shown,
  unexpected,
  unknownDirective,
} from './directives.ts';
import { PatchError } from './error.ts';
import { withNumbersByValue } from './numbers-by-value.ts';
import { elementKind, identityOf, keyValue, liveOrder, mergeList, ordered, without } from './strategic-lists.ts';

/**
 * @param document an object of the type; never changed; the result shares what the patch does not change
 * @param patch a parsed JSON object; never changed; the result shares its values
 * @throws PatchError
 */
export function applyStrategicMergePatch(document: unknown, patch: unknown, struct: CompiledStruct): unknown {
  if (!isObject(patch))
    throw new PatchError('malformed', `json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`);
  try {
    return mergeMap(isObject(document) ? document : {}, withNumbersByValue(patch) as JsonObject, struct);
  } catch (error) {
    if (error instanceof RangeError) throw new PatchError('malformed', 'exceeded max depth');
    throw error;
  }
}

function mergeMap(original: JsonObject, patch: JsonObject, type: CompiledType): JsonObject {
  if (Object.hasOwn(patch, PATCH)) return applyDirective(patch);
  const left = copyOf(patch);
  const merged = retainKeys(original, left);
  for (const name of Object.keys(left)) {
    const target = orderTarget(name);
    if (target !== undefined) setElementOrder(merged, left, name, target, type);
  }
  for (const name of Object.keys(left)) {
    const target = deletionTarget(name);
    mergeMember(merged, target ?? name, left[name], type, target !== undefined);
  }
  return merged;
}

function applyDirective(patch: JsonObject): JsonObject {
  const { [PATCH]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw unknownDirective(directive, patch);
}

function copyOf(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const name of Object.keys(object)) setMember(copy, name, object[name]);
  return copy;
}

/**
 * Copies the original, without the members that are missing from `$retainKeys` if the patch has it. It deletes the directive from the
 * patch.
 */
function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return copyOf(original);
  const list = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(list)) throw new PatchError('malformed', BAD_RETAIN_KEYS);
  const retained = new Set<unknown>(list);
  for (const name of Object.keys(patch)) {
    if (patch[name] !== null && !isParallelList(name) && !retained.has(name)) throw new PatchError('malformed', BAD_RETAIN_KEYS);
  }
  const kept: JsonObject = {};
  for (const name of Object.keys(original)) if (retained.has(name)) setMember(kept, name, original[name]);
  return kept;
}

function mergeMember(merged: JsonObject, name: string, patch: unknown, type: CompiledType, deletes: boolean): void {
  if (patch === null) {
    delete merged[name];
    return;
  }
  const original = Object.hasOwn(merged, name) ? merged[name] : undefined;
  const kind = jsonKind(patch);
  if (original === undefined || jsonKind(original) !== kind) {
    if (deletes) return;
    const value = newValue(patch);
    if (value === undefined) delete merged[name];
    else setMember(merged, name, value);
  } else if (kind === 'object') setMember(merged, name, mergeObject(original as JsonObject, patch as JsonObject, fieldOf(type, name)));
  else if (kind === 'array') setMember(merged, name, mergeArray(original as unknown[], patch as unknown[], fieldOf(type, name), deletes));
  else setMember(merged, name, patch);
}

function mergeObject(original: JsonObject, patch: JsonObject, field: PatchField): JsonObject {
  return field.strategy === 'replace' ? patch : mergeMap(original, patch, field.type);
}

function mergeArray(original: readonly unknown[], patch: readonly unknown[], field: PatchField, deletes: boolean): readonly unknown[] {
  if (field.strategy !== 'merge' && !deletes) return patch;
  if (deletes && (original.length > 0 || patch.length > 0) && elementKind(original, patch) !== 'object') return without(original, patch);
  const element = field.type.code === Code.list ? (field.type as CompiledList).element : field.type;
  return mergeList(original, patch, field.mergeKey, (one, other) => mergeMap(one, other, element));
}

/** Merges and orders the list that `$setElementOrder/list` is about. It deletes both from the patch. */
function setElementOrder(merged: JsonObject, patch: JsonObject, directive: string, name: string, type: CompiledType): void {
  const order = listIn(patch, directive) as unknown[];
  delete patch[directive];
  const original = listIn(merged, name);
  const brought = listIn(patch, name);
  const field = fieldOf(type, name);
  if (brought !== undefined) requireOrder(brought, order, field.mergeKey);
  if (original === undefined && brought === undefined) return;
  const elements = mergeOrdered(original, brought, field);
  elementKind(original ?? [], brought ?? []);
  setMember(merged, name, ordered(elements, order, placesOf(original ?? [], brought ?? [], field), field.mergeKey));
  delete patch[name];
}

/** The list by which an ordered list places what its order does not name. */
function placesOf(original: readonly unknown[], brought: readonly unknown[], { strategy, mergeKey }: PatchField): readonly unknown[] {
  return strategy === 'merge' && mergeKey !== undefined ? liveOrder(original, brought, mergeKey) : original;
}

function mergeOrdered(original: unknown[] | undefined, brought: unknown[] | undefined, field: PatchField): readonly unknown[] {
  if (brought === undefined) return original ?? [];
  if (original === undefined) return newValue(brought) as unknown[];
  return mergeArray(original, brought, field, false);
}

/** @returns undefined if absent @throws PatchError for a value that is no list */
function listIn(object: JsonObject, name: string): unknown[] | undefined {
  if (!Object.hasOwn(object, name)) return undefined;
  const value = object[name];
  if (!Array.isArray(value)) throw unexpected('[]interface {}', value);
  return value;
}

/** Checks that the elements of the patch occur in the order, and in that sequence. @throws PatchError */
function requireOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  if (order.length === 0 || patch.length === 0) return;
  const keyOf = (element: unknown) => identityOf(mergeKey === undefined ? element : keyValue(element, mergeKey));
  let next = 0;
  for (const element of patch) {
    if (isObject(element) && Object.hasOwn(element, PATCH)) continue;
    const key = keyOf(element);
    while (next < order.length && keyOf(order[next]) !== key) next++;
    if (next++ >= order.length)
      throw internal(`The order in patch list:\n${shown(patch)}\n doesn't match $setElementOrder list:\n${shown(order)}\n`);
  }
}

interface PatchField {
  readonly type: CompiledType;
  readonly strategy: 'merge' | 'replace' | undefined;
  readonly mergeKey: string | undefined;
}

/** What the type says of a member. @throws PatchError for a member that the type does not have, and as in 1.32 for what is neither text nor number in a map */
function fieldOf(type: CompiledType, name: string): PatchField {
  if (type.code === Code.map) throw internal('merging an object in json but data type is not struct, instead is: map');
  const member = type.code === Code.struct ? (type as CompiledStruct).byName.get(name) : undefined;
  if (member === undefined)
    throw internal(`unable to find api field in struct ${shortName(type)} for the json field ${JSON.stringify(name)}`);
  return { type: member.type, strategy: strategyOf(member), mergeKey: member.field.patchMergeKey };
}

/** The strategy without `retainKeys`, which only tells clients what to send. */
function strategyOf(member: CompiledMember): 'merge' | 'replace' | undefined {
  return member.field.patchStrategies?.find((strategy) => strategy !== 'retainKeys');
}

/** The name without its package. */
function shortName(type: CompiledType): string {
  const name = typeName(type);
  return name.slice(name.lastIndexOf('.') + 1);
}

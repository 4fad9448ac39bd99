/**
 * Strategic merge patches: merge patches in which the schema says how lists are merged (by a key, as sets, or not at all), with directives:
 * `$patch` (replace, delete, merge), `$deleteFromPrimitiveList/<member>`, `$setElementOrder/<member>`, `$retainKeys`.
 */
import { Code, type CompiledList, type CompiledMap, type CompiledMember, type CompiledStruct, type CompiledType } from '../compile.ts';
import { deepEqual } from '../equal.ts';
import { getMember, isObject, type JsonObject, setMember } from '../member.ts';
import { copyValue } from './copy.ts';
import { PatchError } from './error.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const ELEMENT_ORDER = '$setElementOrder/';

/** Neither argument is changed. @throws PatchError */
export function applyStrategicMergePatch(document: unknown, patch: unknown, type: CompiledStruct): unknown {
  return mergeObject(isObject(document) ? document : {}, requireObject(patch, ''), type, []) ?? {};
}

function requireObject(value: unknown, member: string): JsonObject {
  if (isObject(value)) return value;
  throw new PatchError('wrongType', `${member === '' ? 'the patch' : member} must be an object`);
}

/** @returns undefined when a directive deletes the object */
function mergeObject(
  current: JsonObject,
  patch: JsonObject,
  type: CompiledType | undefined,
  strategies: readonly string[],
): JsonObject | undefined {
  const directive = getMember(patch, DIRECTIVE);
  if (directive === 'replace') return without(patch, [DIRECTIVE]);
  if (directive === 'delete') return undefined;
  if (directive !== undefined && directive !== 'merge') throw unknownDirective(directive);
  const merged = retained(current, patch, strategies);
  for (const name of Object.keys(patch)) {
    if (name === DIRECTIVE || name === RETAIN_KEYS) continue;
    if (name.startsWith(DELETE_FROM)) deleteFromList(merged, name.slice(DELETE_FROM.length), patch[name], patch);
    else if (name.startsWith(ELEMENT_ORDER)) {
      // A list whose items do not change may still be reordered.
      const member = name.slice(ELEMENT_ORDER.length);
      if (!Object.hasOwn(patch, member)) mergeMember(merged, member, undefined, patch, type);
    } else mergeMember(merged, name, patch[name], patch, type);
  }
  return merged;
}

function unknownDirective(directive: unknown): PatchError {
  return new PatchError('failed', `Unknown patch type found: ${String(directive)}`);
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const name of Object.keys(object)) if (!names.includes(name)) setMember(copy, name, copyValue(object[name]));
  return copy;
}

/** A shallow copy of the object, without the members that `$retainKeys` does not name. */
function retained(current: JsonObject, patch: JsonObject, strategies: readonly string[]): JsonObject {
  const keys = getMember(patch, RETAIN_KEYS);
  const copy: JsonObject = {};
  if (keys !== undefined && !Array.isArray(keys)) throw new PatchError('malformed', `${RETAIN_KEYS} must be a list`);
  if (keys !== undefined && strategies.includes('retainKeys')) {
    for (const name of Object.keys(patch))
      if (!name.startsWith('$') && patch[name] !== null && !keys.includes(name))
        throw new PatchError('malformed', `${JSON.stringify(name)} is in the patch but not in its ${RETAIN_KEYS}`);
  }
  for (const name of Object.keys(current)) if (keys === undefined || keys.includes(name)) setMember(copy, name, current[name]);
  return copy;
}

function mergeMember(merged: JsonObject, name: string, value: unknown, patch: JsonObject, type: CompiledType | undefined): void {
  if (value === null) {
    delete merged[name];
    return;
  }
  const { memberType, member } = memberOf(type, name);
  const current = getMember(merged, name);
  if (memberType?.code === Code.list) {
    const order = getMember(patch, ELEMENT_ORDER + name);
    const list = mergeList(name, current, value, order, memberType as CompiledList, member);
    if (list !== undefined) setMember(merged, name, list);
    return;
  }
  if (isObject(value)) {
    requireContainer(memberType, name);
    const strategies = member?.field.patchStrategies ?? [];
    const object = strategies.includes('replace')
      ? copyValue(value)
      : mergeObject(isObject(current) ? current : {}, value, memberType, strategies);
    if (object === undefined) delete merged[name];
    else setMember(merged, name, withoutNulls(object, isObject(current)));
    return;
  }
  if (value !== undefined) {
    if (memberType !== undefined && (memberType.code === Code.struct || memberType.code === Code.map))
      throw new PatchError('wrongType', `${name} must be an object`);
    setMember(merged, name, copyValue(value));
  }
}

function requireContainer(type: CompiledType | undefined, name: string): void {
  if (type === undefined || type.code === Code.struct || type.code === Code.map) return;
  if (type.code === Code.rawExtension || type.code === Code.fieldsV1 || type.code === Code.json) return;
  throw new PatchError('wrongType', `${name} must not be an object`);
}

/** Nulls have nothing to remove in an object that was not there. */
function withoutNulls(object: JsonObject, existed: boolean): JsonObject {
  if (!existed) for (const name of Object.keys(object)) if (object[name] === null) delete object[name];
  return object;
}

function memberOf(
  type: CompiledType | undefined,
  name: string,
): { memberType: CompiledType | undefined; member: CompiledMember | undefined } {
  if (type?.code === Code.struct) {
    const member = (type as CompiledStruct).byName.get(name);
    return { memberType: member?.type, member };
  }
  if (type?.code === Code.map) return { memberType: (type as CompiledMap).value, member: undefined };
  return { memberType: undefined, member: undefined };
}

function mergeList(
  name: string,
  current: unknown,
  value: unknown,
  order: unknown,
  type: CompiledList,
  member: CompiledMember | undefined,
): unknown[] | undefined {
  if (value !== undefined && !Array.isArray(value)) throw new PatchError('wrongType', `${name} must be a list`);
  if (order !== undefined && !Array.isArray(order)) throw new PatchError('malformed', `${ELEMENT_ORDER}${name} must be a list`);
  const strategies = member?.field.patchStrategies ?? [];
  if (!strategies.includes('merge')) return value === undefined ? undefined : withoutReplaceDirective(value);
  const list = Array.isArray(current) ? current : [];
  const patch = value ?? [];
  const element = type.element;
  if (element.code !== Code.struct) return mergeSet(list, patch, order);
  const key = member?.field.patchMergeKey;
  if (key === undefined) throw new PatchError('failed', `${name} has no merge key`);
  return mergeByKey(name, list, patch, order, key, element as CompiledStruct);
}

/** A list that is replaced as a whole may say so once more. */
function withoutReplaceDirective(list: readonly unknown[]): unknown[] {
  return copyValue(list.filter((item) => !(isObject(item) && getMember(item, DIRECTIVE) === 'replace' && Object.keys(item).length === 1)));
}

function mergeSet(current: readonly unknown[], patch: readonly unknown[], order: readonly unknown[] | undefined): unknown[] {
  const merged = [...current];
  for (const item of patch) if (!merged.some((each) => deepEqual(each, item))) merged.push(item);
  return inOrder(merged, patch, order, (item) => item);
}

function mergeByKey(
  name: string,
  current: readonly unknown[],
  patch: readonly unknown[],
  order: readonly unknown[] | undefined,
  key: string,
  element: CompiledStruct,
): unknown[] {
  const keyOf = (item: unknown): unknown => (isObject(item) ? getMember(item, key) : undefined);
  let merged: unknown[] = [...current];
  let replaces = false;
  for (const item of patch) if (isObject(item) && getMember(item, DIRECTIVE) === 'replace') replaces = true;
  if (replaces) {
    merged = [];
  }
  for (const each of patch) {
    const item = requireObject(each, `an item of ${name}`);
    const directive = getMember(item, DIRECTIVE);
    if (directive === 'replace') {
      if (keyOf(item) !== undefined) merged.push(without(item, [DIRECTIVE]));
      continue;
    }
    const wanted = keyOf(item);
    if (wanted === undefined) throw new PatchError('malformed', `map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    if (directive === 'delete') {
      merged = merged.filter((other) => !deepEqual(keyOf(other), wanted));
      continue;
    }
    const index = merged.findIndex((other) => deepEqual(keyOf(other), wanted));
    if (index < 0) merged.push(mergeObject({}, item, element, []) ?? {});
    else merged[index] = mergeObject(merged[index] as JsonObject, item, element, []) ?? {};
  }
  const deleted = patch.filter((item) => isObject(item) && getMember(item, DIRECTIVE) === 'delete');
  return inOrder(
    merged,
    patch.filter((item) => !deleted.includes(item)),
    order,
    keyOf,
  );
}

/**
 * With `$setElementOrder`, the items that it names stand in its order, and the items that only the server has keep their places relative to
 * those before them; without it, the order of the merge stays.
 */
function inOrder(
  merged: readonly unknown[],
  _patch: readonly unknown[],
  order: readonly unknown[] | undefined,
  keyOf: (item: unknown) => unknown,
): unknown[] {
  if (order === undefined) return copyValue([...merged]);
  const keys = order.map((item) => (isObject(item) ? keyOf(item) : item));
  const rank = (item: unknown): number => keys.findIndex((key) => deepEqual(key, keyOf(item)));
  const named = merged.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b));
  const out: unknown[] = [];
  let next = 0;
  for (const item of merged) {
    if (rank(item) < 0) out.push(item);
    else {
      // Everything that the order puts before this item's place goes first.
      out.push(named[next++]);
    }
  }
  return copyValue(out);
}

function deleteFromList(merged: JsonObject, name: string, values: unknown, patch: JsonObject): void {
  if (!Array.isArray(values)) throw new PatchError('malformed', `${DELETE_FROM}${name} must be a list`);
  const current = getMember(merged, name);
  if (!Array.isArray(current)) return;
  setMember(
    merged,
    name,
    current.filter((item) => !values.some((value) => deepEqual(value, item))),
  );
  if (getMember(patch, name) === undefined && (getMember(merged, name) as unknown[]).length === 0) delete merged[name];
}

/**
 * JSON Patch (RFC 6902) as release 1.32 applies it: negative positions count from the end of a list, and accumulated copies are bounded.
 * The document is never changed: the containers on the way to a change are copied, everything else is shared.
 */
import { deepEqual } from '../equal.ts';
import { getMember, isObject, type JsonObject, setMember } from '../member.ts';
import { copyValue } from './copy.ts';
import { PatchError } from './error.ts';

export const MAX_OPERATIONS = 10_000;
/** Bytes of JSON that all `copy` operations of a patch may add. */
const MAX_COPIED = 3 * 1024 * 1024;

type Name = 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';

interface Operation {
  readonly op: Name;
  readonly path: readonly string[];
  readonly from: readonly string[];
  readonly value: unknown;
}

const MEMBERS = new Set(['op', 'path', 'from', 'value']);
const NAMES = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/** @throws PatchError */
export function applyJsonPatch(document: unknown, operations: readonly unknown[]): unknown {
  if (operations.length > MAX_OPERATIONS)
    throw new PatchError('tooLarge', `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`);
  let result = document;
  let copied = 0;
  for (const operation of operations.map(parseOperation)) {
    if (operation.op === 'copy') {
      copied += JSON.stringify(find(result, operation.from)).length;
      if (copied > MAX_COPIED) throw new PatchError('failed', `copies of a JSON patch may add at most ${MAX_COPIED} bytes`);
    }
    result = applyOne(result, operation);
  }
  return result;
}

/** Members of operations that mean nothing, as 1.32 words them for strict validation. */
export function unknownOperationMembers(operations: readonly unknown[]): string[] {
  return operations.flatMap((operation, index) =>
    isObject(operation)
      ? Object.keys(operation)
          .filter((name) => !MEMBERS.has(name))
          .map((name) => `[${index}].${name}`)
      : [],
  );
}

function parseOperation(operation: unknown): Operation {
  if (!isObject(operation)) throw new PatchError('malformed', 'an operation of a JSON patch is an object');
  const { op, path, from } = operation;
  if (typeof op !== 'string' || !NAMES.has(op)) throw new PatchError('failed', `Unexpected kind: ${String(op)}`);
  const needsFrom = op === 'move' || op === 'copy';
  const needsValue = op === 'add' || op === 'replace' || op === 'test';
  if (needsValue && !Object.hasOwn(operation, 'value') && op !== 'test') throw new PatchError('failed', `${op} operation needs a value`);
  return {
    op: op as Name,
    path: parsePointer(path, 'path'),
    from: needsFrom ? parsePointer(from, 'from') : [],
    value: operation.value ?? null,
  };
}

/** RFC 6901. */
function parsePointer(pointer: unknown, member: string): string[] {
  if (typeof pointer !== 'string') throw new PatchError('failed', `operation missing ${member} field`);
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new PatchError('failed', `${member} ${JSON.stringify(pointer)} must begin with a slash`);
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function applyOne(document: unknown, { op, path, from, value }: Operation): unknown {
  switch (op) {
    case 'add':
      return change(document, path, (container, key) => put(container, key, copyValue(value), true), copyValue(value));
    case 'replace':
      find(document, path);
      return change(document, path, (container, key) => put(container, key, copyValue(value), false), copyValue(value));
    case 'remove':
      return change(document, path, take, null);
    case 'move': {
      const moved = find(document, from);
      if (from.length < path.length && from.every((part, i) => part === path[i])) throw failed(path, 'a value cannot be moved into itself');
      const without = change(document, from, take, null);
      return change(without, path, (container, key) => put(container, key, moved, true), moved);
    }
    case 'copy': {
      const copy = copyValue(find(document, from));
      return change(document, path, (container, key) => put(container, key, copy, true), copy);
    }
    case 'test': {
      const actual = exists(document, path) ? find(document, path) : null;
      if (!deepEqual(actual, value)) throw failed(path, 'test failed');
      return document;
    }
  }
}

function failed(path: readonly string[], why: string): PatchError {
  return new PatchError('failed', `/${path.join('/')}: ${why}`);
}

type Container = unknown[] | JsonObject;

/** Copies the containers on the way and lets `edit` change the last one. @param whole what takes the place of the whole document */
function change(document: unknown, path: readonly string[], edit: (container: Container, key: string) => void, whole: unknown): unknown {
  if (path.length === 0) return whole;
  const root = shallowCopy(document, path);
  let at = root;
  for (const part of path.slice(0, -1)) {
    const key = Array.isArray(at) ? position(at, part, false) : part;
    const next = shallowCopy(Array.isArray(at) ? at[key as number] : getMember(at, key as string), path);
    if (Array.isArray(at)) at[key as number] = next;
    else setMember(at, key as string, next);
    at = next;
  }
  try {
    edit(at, path.at(-1) as string);
  } catch (error) {
    if (error instanceof PatchError) throw failed(path, error.message);
    throw error;
  }
  return root;
}

function shallowCopy(value: unknown, path: readonly string[]): Container {
  if (Array.isArray(value)) return [...value];
  if (!isObject(value)) throw failed(path, 'there is no such place in the object');
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) setMember(copy, name, value[name]);
  return copy;
}

function put(container: Container, key: string, value: unknown, insert: boolean): void {
  if (!Array.isArray(container)) return setMember(container, key, value);
  if (insert && key === '-') container.push(value);
  else if (insert) container.splice(position(container, key, true), 0, value);
  else container[position(container, key, false)] = value;
}

function take(container: Container, key: string): void {
  if (Array.isArray(container)) container.splice(position(container, key, false), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw new PatchError('failed', 'there is nothing to remove');
}

/** @param inserting the end of the list is a position too. Negative positions count from there. */
function position(list: readonly unknown[], key: string, inserting: boolean): number {
  if (!/^-?\d{1,9}$/.test(key)) throw new PatchError('failed', `${JSON.stringify(key)} is no position in a list`);
  const size = list.length + (inserting ? 1 : 0);
  const index = Number(key) < 0 ? size + Number(key) : Number(key);
  if (index < 0 || index >= size) throw new PatchError('failed', `position ${key} is outside of the list`);
  return index;
}

function find(document: unknown, path: readonly string[]): unknown {
  let at = document;
  for (const part of path) {
    if (Array.isArray(at)) at = at[position(at, part, false)];
    else if (isObject(at) && Object.hasOwn(at, part)) at = at[part];
    else throw failed(path, 'there is no such place in the object');
  }
  return at;
}

/** For `test`, where null stands for an absent member. */
function exists(document: unknown, path: readonly string[]): boolean {
  try {
    find(document, path);
    return true;
  } catch {
    const parent = find(document, path.slice(0, -1));
    if (isObject(parent)) return false;
    throw failed(path, 'there is no such place in the object');
  }
}

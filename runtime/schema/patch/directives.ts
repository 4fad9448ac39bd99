/** The directives of a strategic merge patch: members that are not members of the object. */
import { isObject, type JsonObject, setMember } from '../json/member.ts';
import { asGoString, goTypeText, mapText } from '../text/go-printed.ts';
import { PatchError } from './error.ts';

/** its value is `replace` or `delete` in a map, and also `merge` in an element of a list */
export const PATCH = '$patch';
/** lists the only members that the object keeps */
export const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList';
const SET_ELEMENT_ORDER = '$setElementOrder';

export const BAD_RETAIN_KEYS = 'invalid patch format of retainKeys';
const BAD_ELEMENT_ORDER = 'invalid patch format of setElementOrder list';
const BAD_PRIMITIVE_LIST = 'invalid patch format of primitive list';

/** The list that `$deleteFromPrimitiveList/name` is about; undefined for another name. @throws PatchError */
export function deletionTarget(name: string): string | undefined {
  return targetOf(name, DELETE_FROM_PRIMITIVE_LIST, BAD_PRIMITIVE_LIST);
}

/** The list that `$setElementOrder/name` is about; undefined for another name. @throws PatchError */
export function orderTarget(name: string): string | undefined {
  return targetOf(name, SET_ELEMENT_ORDER, BAD_ELEMENT_ORDER);
}

function targetOf(name: string, prefix: string, problem: string): string | undefined {
  if (!name.startsWith(prefix)) return undefined;
  if (name[prefix.length] !== '/') throw new PatchError('malformed', problem);
  return name.slice(prefix.length + 1);
}

export function isParallelList(name: string): boolean {
  return name.startsWith(DELETE_FROM_PRIMITIVE_LIST) || name.startsWith(SET_ELEMENT_ORDER);
}

/**
 * The value that a patch creates where there was none: null members are dropped, and so are values that contain a directive. undefined:
 * there is no value at all.
 */
export function newValue(patch: unknown): unknown {
  if (Array.isArray(patch)) return newElements(patch);
  if (!isObject(patch)) return patch;
  if (Object.hasOwn(patch, PATCH) && patch[PATCH] !== null) return undefined;
  const kept: JsonObject = {};
  for (const name of Object.keys(patch)) {
    const member = patch[name] === null ? undefined : newValue(patch[name]);
    if (member !== undefined) setMember(kept, name, member);
  }
  return kept;
}

function newElements(patch: readonly unknown[]): unknown[] {
  const kept: unknown[] = [];
  for (const each of patch) {
    const element = newValue(each);
    if (element !== undefined) kept.push(element);
  }
  return kept;
}

export function internal(message: string): PatchError {
  return new PatchError('internal', message);
}

export function unknownDirective(directive: unknown, map: JsonObject): PatchError {
  return internal(`unknown patch type: ${asGoString(directive)} in map: ${shown(map)}`);
}

/** About how many characters of an element errors show. */
const SHOWN = 64 * 1_024;

/** A map or a list of a patch in the text of an error. */
export function shown(part: JsonObject | readonly unknown[]): string {
  return mapText(part, SHOWN);
}

/** @param expected the Go type of what should be there */
export function unexpected(expected: string, value: unknown): PatchError {
  return internal(`expected a ${expected}, but received a ${goTypeText(value)}`);
}

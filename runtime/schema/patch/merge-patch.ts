/**
 * JSON Merge Patch. As in 1.32, null members are dropped from all values of the patch, also from objects within lists, unless the list
 * replaces an object.
 * @see https://www.rfc-editor.org/rfc/rfc7386
 */
import { isObject, type JsonObject, setMember } from '../json/member.ts';
import { PatchError } from './error.ts';

/**
 * @param document never changed; the result shares what the patch does not change
 * @param patch a parsed JSON object; never changed; the result shares its values
 * @throws PatchError if the patch is no object
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) throw new PatchError('malformed', 'Invalid JSON Patch');
  try {
    return isObject(document) ? merge(document, patch) : withoutNulls(patch);
  } catch (error) {
    if (error instanceof RangeError) throw new PatchError('malformed', 'exceeded max depth');
    throw error;
  }
}

function merge(document: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const name of Object.keys(document)) {
    if (!Object.hasOwn(patch, name)) setMember(merged, name, document[name]);
    else if (patch[name] !== null) setMember(merged, name, mergeValue(document[name], patch[name]));
  }
  for (const name of Object.keys(patch)) {
    if (!Object.hasOwn(document, name) && patch[name] !== null) setMember(merged, name, withoutNulls(patch[name]));
  }
  return merged;
}

function mergeValue(current: unknown, patch: unknown): unknown {
  if (!isObject(current)) return withoutNulls(patch);
  return isObject(patch) ? merge(current, patch) : patch;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const name of Object.keys(value)) {
    if (value[name] !== null) setMember(kept, name, withoutNulls(value[name]));
  }
  return kept;
}

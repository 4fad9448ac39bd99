import { getMember, isObject, type JsonObject, setMember } from '../member.ts';
import { copyValue } from './copy.ts';

/** RFC 7386: members of objects are merged, null removes, everything else replaces. Neither argument is changed. */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return copyValue(patch);
  const merged: JsonObject = {};
  if (isObject(document)) for (const name of Object.keys(document)) setMember(merged, name, document[name]);
  for (const name of Object.keys(patch)) {
    const value = patch[name];
    if (value === null) delete merged[name];
    else setMember(merged, name, applyMergePatch(getMember(merged, name), value));
  }
  return merged;
}

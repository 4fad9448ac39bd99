import { isObject, type JsonObject, setMember } from './member.ts';

/** A JSON value that shares nothing that can be changed; raw numbers are frozen and shared. */
export function copyValue<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyValue) as T;
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) setMember(copy, name, copyValue(value[name]));
  return copy as T;
}

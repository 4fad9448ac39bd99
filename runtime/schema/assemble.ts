/** Builds objects from the values of their members: decides which members are left out, which are always written, and in which order. */
import { Code, type CompiledMember, type CompiledStruct, type CompiledType, zeroValue } from './compile.ts';
import { type JsonObject, setMember, sortedNames } from './json/member.ts';
import { isRawNumber } from './scalar/raw-number.ts';

/** @param values by the index of the member, in their final form; undefined or null if absent; maps may be `Map`s */
export function assemble(struct: CompiledStruct, values: readonly unknown[]): JsonObject {
  const { members } = struct;
  const object: JsonObject = {};
  for (let i = 0; i < members.length; i++) {
    const member = members[i] as CompiledMember;
    const value = finished(member, values[i]);
    if (value !== undefined) setMember(object, member.name, value);
  }
  return object;
}

function finished(member: CompiledMember, given: unknown): unknown {
  const value = given instanceof Map ? sortedObject(given) : given;
  if (value !== undefined && value !== null && !(member.dropsZero && isZero(value))) return value;
  return member.embedded ? zeroStruct(member.type as CompiledStruct) : member.absent;
}

/** A struct whose members are all absent. */
export function zeroStruct(struct: CompiledStruct): JsonObject {
  return assemble(struct, []);
}

/** The zero value of an element of a list or map, which cannot be absent. */
export function zeroItem(type: CompiledType): unknown {
  if (type.code === Code.struct) return zeroStruct(type as CompiledStruct);
  return type.code === Code.bytes ? '' : zeroValue(type.code);
}

/** Whether a value is '', 0, false, or an empty list or map. */
export function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value as object) return false;
  return !isRawNumber(value);
}

/** Whether the value counts as absent, if the member is no pointer in Go. */
export function isZeroOf(member: CompiledMember, value: unknown): boolean {
  return isZero(value) || (value === '0s' && member.type.code === Code.duration);
}

/** Whether a member with this value is set. */
export function isSet(member: CompiledMember, value: unknown): boolean {
  return value !== undefined && value !== null && (member.pointer || !isZeroOf(member, value));
}

function sortedObject(map: ReadonlyMap<string, unknown>): JsonObject {
  const object: JsonObject = {};
  for (const name of sortedNames([...map.keys()])) setMember(object, name, map.get(name));
  return object;
}

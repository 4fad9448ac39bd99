/** Objects from the values of their members: what is left out, what is always there, in which order. */
import { Code, type CompiledMember, type CompiledStruct, type CompiledType, zeroValue } from './compile.ts';
import { type JsonObject, setMember, sortedNames } from './member.ts';
import { isRawNumber } from './scalar/raw-number.ts';

/** @param values by the index of the member, in their final form; undefined or null where absent; maps may be `Map`s */
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

/** A struct of which nothing is set. */
export function zeroStruct(struct: CompiledStruct): JsonObject {
  return assemble(struct, []);
}

/** The zero value where something must stand: in a list or a map. */
export function zeroItem(type: CompiledType): unknown {
  if (type.code === Code.struct) return zeroStruct(type as CompiledStruct);
  return type.code === Code.bytes ? '' : zeroValue(type.code);
}

/** '', 0, false, and an empty list or map. */
export function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value as object) return false;
  return !isRawNumber(value);
}

/** Whether a value of a member that is no pointer counts as absent. */
export function isZeroOf(member: CompiledMember, value: unknown): boolean {
  return isZero(value) || (value === '0s' && member.type.code === Code.duration);
}

/** Whether a member with this value is there. */
export function isSet(member: CompiledMember, value: unknown): boolean {
  return value !== undefined && value !== null && (member.pointer || !isZeroOf(member, value));
}

function sortedObject(map: ReadonlyMap<string, unknown>): JsonObject {
  const object: JsonObject = {};
  for (const name of sortedNames([...map.keys()])) setMember(object, name, map.get(name));
  return object;
}

/**
 * Finds empty lists and maps that a type writes as null. 1.32 distinguishes the two until it stores an object: a client that sends an empty
 * one in place of null has changed the member and becomes its owner.
 */
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType } from './compile.ts';
import { isObject, type JsonObject, setMember } from './json/member.ts';

/** Names of members and indexes of elements, beginning at the object. */
export type MemberPath = readonly (string | number)[];

/** @param input a parsed JSON value that fits the type */
export function emptiedMembers(struct: CompiledStruct, input: unknown): MemberPath[] {
  const paths: MemberPath[] = [];
  collect(struct, input, [], paths);
  return paths;
}

function collect(type: CompiledType, value: unknown, path: MemberPath, found: MemberPath[]): void {
  if (type.code === Code.list && Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect((type as CompiledList).element, item, [...path, index], found);
  } else if (type.code === Code.map && isObject(value)) {
    for (const name of Object.keys(value)) collect((type as CompiledMap).value, value[name], [...path, name], found);
  } else if (type.code === Code.struct && isObject(value)) {
    for (const { name, type: member, absent } of (type as CompiledStruct).members) {
      if (!Object.hasOwn(value, name)) continue;
      if (absent === null && isEmpty(value[name])) found.push([...path, name]);
      else collect(member, value[name], [...path, name], found);
    }
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** What is empty in a value: the value itself, or members and elements of it. */
type Emptied = Map<string | number, Emptied>;

/** Returns the object with empty lists and maps as they were sent, where it has null: a default may have filled one. Everything else is shared. */
export function withEmptied<T extends object>(object: T, type: CompiledStruct, paths: readonly MemberPath[]): T {
  if (paths.length === 0) return object;
  // all paths are followed together, because a copy for each of them would take quadratic time
  const emptied: Emptied = new Map();
  for (const path of paths) {
    let at = emptied;
    for (const key of path) {
      const below: Emptied = at.get(key) ?? new Map();
      at.set(key, below);
      at = below;
    }
  }
  return withEmpty(object, type, emptied) as T;
}

function withEmpty(value: unknown, type: CompiledType, emptied: Emptied): unknown {
  if (emptied.size === 0) return value !== null ? value : type.code === Code.list ? [] : {};
  if (Array.isArray(value)) {
    const { element } = type as CompiledList;
    const copy = value.slice();
    for (const [key, below] of emptied)
      if (Object.hasOwn(value, key)) copy[key as number] = withEmpty(value[key as number], element, below);
    return copy;
  }
  if (!isObject(value)) return value;
  const copy: JsonObject = { ...value };
  for (const [key, below] of emptied) {
    const name = String(key);
    const member = type.code === Code.map ? (type as CompiledMap).value : (type as CompiledStruct).byName.get(name)?.type;
    if (member !== undefined && Object.hasOwn(value, name)) setMember(copy, name, withEmpty(value[name], member, below));
  }
  return copy;
}

/**
 * Empty lists and maps that a type writes as null. 1.32 tells the two apart until it stores an object: whoever sends an empty one where null
 * was has changed the member, and owns it.
 */
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType } from './compile.ts';
import { isObject, type JsonObject } from './member.ts';

/** Names of members and positions in lists, from the object on. */
export type MemberPath = readonly (string | number)[];

/** @param input a parsed JSON value that the type takes */
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

/** The object as it was sent: with empty lists and maps where they were. What is not on the way to them is shared. */
export function withEmptied<T extends object>(object: T, type: CompiledStruct, paths: readonly MemberPath[]): T {
  return paths.reduce((value, path) => withEmpty(value, type, path) as T, object);
}

function withEmpty(value: unknown, type: CompiledType, [key, ...rest]: MemberPath): unknown {
  if (key === undefined) return type.code === Code.list ? [] : {};
  if (Array.isArray(value))
    return value.map((item, index) => (index === key ? withEmpty(item, (type as CompiledList).element, rest) : item));
  if (!isObject(value)) return value;
  const member = type.code === Code.map ? (type as CompiledMap).value : (type as CompiledStruct).byName.get(String(key))?.type;
  if (member === undefined || !Object.hasOwn(value, key)) return value;
  const copy: JsonObject = { ...value };
  copy[key] = withEmpty(value[key], member, rest);
  return copy;
}

/**
 * Finds empty lists and maps that a type writes as null, or leaves out within an element of a list. 1.32 distinguishes the two until it stores an object: a client that
 * sends an empty one in place of null, or within a list that is compared as a whole, has changed the member or the list and becomes its owner.
 */
import { Code, type CompiledList, type CompiledMap, type CompiledMember, type CompiledStruct, type CompiledType } from './compile.ts';
import { isObject, type JsonObject, setMember } from './json/member.ts';

/** Names of members and indexes of elements, beginning at the object. */
export type MemberPath = readonly (string | number)[];

/** @param input a parsed JSON value that fits the type */
export function emptiedMembers(struct: CompiledStruct, input: unknown): MemberPath[] {
  const paths: MemberPath[] = [];
  collect(struct, input, { path: [], isWhole: false }, paths);
  return paths;
}

/** Whether a list is compared as a whole, and not by its elements. */
export const isWholeList = ({ type, element }: CompiledList): boolean => type.listType !== 'map' && element.code === Code.struct;

/** Whether a member that is not always written is a list or a map, so that an empty one is left out. */
export const isContainer = ({ type: { code } }: CompiledMember): boolean => code === Code.list || code === Code.map;

interface Place {
  readonly path: MemberPath;
  /** whether it is in a list that is compared as a whole */
  readonly isWhole: boolean;
}

function collect(type: CompiledType, value: unknown, { path, isWhole }: Place, found: MemberPath[]): void {
  if (type.code === Code.list && Array.isArray(value)) {
    const list = type as CompiledList;
    const within = isWhole || isWholeList(list);
    for (const [index, item] of value.entries()) collect(list.element, item, { path: [...path, index], isWhole: within }, found);
  } else if (type.code === Code.map && isObject(value)) {
    for (const name of Object.keys(value)) collect((type as CompiledMap).value, value[name], { path: [...path, name], isWhole }, found);
  } else if (type.code === Code.struct && isObject(value)) {
    for (const member of (type as CompiledStruct).members) {
      const { name, absent } = member;
      if (!Object.hasOwn(value, name)) continue;
      if ((absent === null || (isWhole && isContainer(member))) && isEmpty(value[name])) found.push([...path, name]);
      else collect(member.type, value[name], { path: [...path, name], isWhole }, found);
    }
  }
}

/**
 * Whether a value of a type is or has an empty list or map that was lost when it was decoded: a default may have filled one. So are bytes that are null in a
 * map, where those that are stored are empty.
 * @param decoded what was made of the value
 */
export function losesEmpty(type: CompiledType, value: unknown, decoded: unknown): boolean {
  if ((type.code === Code.list || type.code === Code.map) && isEmpty(value)) return isNothing(decoded);
  if (type.code === Code.list && Array.isArray(value) && Array.isArray(decoded))
    return value.some((item, index) => losesEmpty((type as CompiledList).element, item, decoded[index]));
  if (!isObject(value)) return false;
  const made = isObject(decoded) ? decoded : {};
  const within = (of: CompiledType, name: string): boolean => Object.hasOwn(value, name) && losesEmpty(of, value[name], made[name]);
  if (type.code === Code.map) {
    const { value: of } = type as CompiledMap;
    return Object.keys(value).some((name) => (of.code === Code.bytes && value[name] === null && made[name] === '') || within(of, name));
  }
  return type.code === Code.struct && (type as CompiledStruct).members.some((member) => within(member.type, member.name));
}

/**
 * Returns a JSON value with null in place of empty bytes, as values become that are not read from a text: only there does 1.32 keep
 * empty bytes apart from none.
 */
export function withoutEmptyBytes(type: CompiledType, value: unknown): unknown {
  if (type.code === Code.bytes) return value === '' ? null : value;
  if (type.code === Code.list && Array.isArray(value)) return value.map((item) => withoutEmptyBytes((type as CompiledList).element, item));
  if (!isObject(value) || (type.code !== Code.map && type.code !== Code.struct)) return value;
  const copy: JsonObject = { ...value };
  for (const name of Object.keys(value)) {
    const of = type.code === Code.map ? (type as CompiledMap).value : (type as CompiledStruct).byName.get(name)?.type;
    if (of !== undefined) setMember(copy, name, withoutEmptyBytes(of, value[name]));
  }
  return copy;
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || isEmpty(value);

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** What is empty in a value: the value itself, or members and elements of it. */
type Emptied = Map<string | number, Emptied>;

/**
 * Returns the object with empty lists and maps as they were sent, where it has null: a default may have filled one. Everything else is shared.
 * @param omitted whether it gets those, too, that the type leaves out
 */
export function withEmptied<T extends object>(object: T, type: CompiledStruct, paths: readonly MemberPath[], omitted = false): T {
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
  return withEmpty(object, type, emptied, omitted) as T;
}

function withEmpty(value: unknown, type: CompiledType, emptied: Emptied, omitted: boolean): unknown {
  if (emptied.size === 0) return value ?? (type.code === Code.list ? [] : {});
  if (Array.isArray(value)) {
    const { element } = type as CompiledList;
    const copy = value.slice();
    for (const [key, below] of emptied)
      if (Object.hasOwn(value, key)) copy[key as number] = withEmpty(value[key as number], element, below, omitted);
    return copy;
  }
  if (!isObject(value)) return value;
  const copy: JsonObject = { ...value };
  for (const [key, below] of emptied) {
    const name = String(key);
    const member = type.code === Code.map ? (type as CompiledMap).value : (type as CompiledStruct).byName.get(name)?.type;
    const isThere = Object.hasOwn(value, name) || (omitted && below.size === 0);
    if (member !== undefined && isThere) setMember(copy, name, withEmpty(value[name], member, below, omitted));
  }
  return copy;
}

/** Gives an object back as its author wrote it, apart from what the conversion changed. Decoding has given it one canonical form before. */
import { copyValue } from '../../runtime/schema/copy.ts';
import { deepEqual } from '../../runtime/schema/equal.ts';
import { isObject, type JsonObject, setMember } from '../../runtime/schema/json/member.ts';

/** The object as its author wrote it, and how to tell whether a change of it alters its meaning. */
export interface Writing {
  /** The object as it was read from the file. */
  readonly written: JsonObject;
  /** `written` in the canonical form, without defaults. */
  readonly read: JsonObject;
  /** Whether a value means the same to the other version. */
  isMeant(value: JsonObject): boolean;
}

/** If all changes at once alter the meaning, at most so many are tried one by one. */
const MAX_TRIALS = 200;

/**
 * Quantities, times and empty lists are spelled as they were, and members keep their order. What decoding adds to every object (`status: {}`) goes, and what it
 * leaves out because it says nothing (`paused: false`) stays.
 * @param value the object in the other version; it is not changed
 */
export function asWritten(value: JsonObject, { written, read, isMeant }: Writing): JsonObject {
  const spelled = respelled(value, written, read) as JsonObject;
  const start = isMeant(spelled) ? spelled : value;
  return withSilent(withoutAdded(start, written, isMeant), written, isMeant);
}

function respelled(value: unknown, written: unknown, read: unknown): unknown {
  if (isObject(value)) {
    if (!isObject(written) || !isObject(read)) return value;
    const names = [
      ...Object.keys(written).filter((name) => Object.hasOwn(value, name)),
      ...Object.keys(value).filter((name) => !Object.hasOwn(written, name)),
    ];
    const ordered: JsonObject = {};
    for (const name of names)
      setMember(ordered, name, Object.hasOwn(written, name) ? respelled(value[name], written[name], read[name]) : value[name]);
    return ordered;
  }
  if (
    Array.isArray(value) &&
    Array.isArray(written) &&
    Array.isArray(read) &&
    value.length === written.length &&
    value.length === read.length
  )
    return value.map((element, index) => respelled(element, written[index], read[index]));
  return written !== undefined && written !== null && deepEqual(value, read) ? written : value;
}

type Path = readonly (string | number)[];

/** Removes empty members that the author did not write. */
function withoutAdded(value: JsonObject, written: JsonObject, isMeant: Writing['isMeant']): JsonObject {
  const paths = emptyPaths(value, written, []);
  return tried(value, paths, (copy, path) => remove(copy, path), isMeant);
}

/** @returns paths of such members, the innermost first, so that a member that holds nothing else goes as well */
function emptyPaths(value: unknown, written: unknown, path: Path): Path[] {
  if (Array.isArray(value)) return value.flatMap((element, index) => emptyPaths(element, memberOf(written, index), [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const [at, there] = [[...path, name], memberOf(written, name)];
    const below = emptyPaths(member, there, at);
    return there === undefined && isEmptyWithout(member, below, at) ? [...below, at] : below;
  });
}

function isEmptyWithout(value: unknown, below: readonly Path[], path: Path): boolean {
  if (isObject(value))
    return Object.keys(value).every((name) => below.some((each) => each.length === path.length + 1 && each.at(-1) === name));
  return isSilent(value);
}

/** Puts back what was written and left out by decoding, if the other version has such a member. */
function withSilent(value: JsonObject, written: JsonObject, isMeant: Writing['isMeant']): JsonObject {
  const left = silentMembers(value, written, []);
  const result = tried(value, left, (copy, path) => set(copy, path, at(written, path)), isMeant);
  return respelledOrder(result, written) as JsonObject;
}

function silentMembers(value: unknown, written: unknown, path: Path): Path[] {
  if (Array.isArray(value) && Array.isArray(written))
    return value.length === written.length
      ? value.flatMap((element, index) => silentMembers(element, written[index], [...path, index]))
      : [];
  if (!isObject(value) || !isObject(written)) return [];
  return Object.entries(written).flatMap(([name, member]) =>
    Object.hasOwn(value, name) ? silentMembers(value[name], member, [...path, name]) : isSilent(member) ? [[...path, name]] : [],
  );
}

function respelledOrder(value: unknown, written: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(written)) return value.map((element, index) => respelledOrder(element, written[index]));
  if (!isObject(value) || !isObject(written)) return value;
  const ordered: JsonObject = {};
  for (const name of [...Object.keys(written), ...Object.keys(value)])
    if (Object.hasOwn(value, name) && !Object.hasOwn(ordered, name)) setMember(ordered, name, respelledOrder(value[name], written[name]));
  return ordered;
}

/** Makes all changes at once if the value still means the same then, otherwise those one by one after which it does. */
function tried(
  value: JsonObject,
  paths: readonly Path[],
  change: (copy: JsonObject, path: Path) => void,
  isMeant: Writing['isMeant'],
): JsonObject {
  if (paths.length === 0) return value;
  const all = copyValue(value);
  for (const path of paths) change(all, path);
  if (isMeant(all)) return all;
  let result = value;
  for (const path of paths.slice(0, MAX_TRIALS)) {
    const copy = copyValue(result);
    change(copy, path);
    if (isMeant(copy)) result = copy;
  }
  return result;
}

function isSilent(value: unknown): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && !Object.isFrozen(value) && Object.keys(value).length === 0;
}

function memberOf(value: unknown, name: string | number): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(memberOf, value);
}

function remove(value: JsonObject, path: Path): void {
  const holder = at(value, path.slice(0, -1));
  if (isObject(holder)) delete holder[String(path.at(-1))];
}

function set(value: JsonObject, path: Path, member: unknown): void {
  const holder = at(value, path.slice(0, -1));
  if (isObject(holder)) setMember(holder, String(path.at(-1)), copyValue(member));
}

import type { JsonObject } from './json/member.ts';

/** How many orders of members are remembered: objects of one kind mostly have the same members in the same order. */
const REMEMBERED = 4;
/** Limits of what is remembered, in names and in characters: clients choose the keys of maps. */
const MAX_NAMES = 64;
const MAX_CHARACTERS = 2048;

interface Known<T> {
  readonly names: readonly string[];
  readonly made: T;
}

/** Remembers results that depend only on the names of an object's members, and reuses them for objects with the same names. */
export class MadeOfNames<T> {
  #known: readonly Known<T>[] = [];

  /** @param make gets the names of the members that are not undefined, in their order */
  of(object: JsonObject, make: (names: readonly string[]) => T): T {
    const known = this.#known;
    for (let i = 0; i < known.length; i++) {
      const { names, made } = known[i] as Known<T>;
      if (hasNames(object, names)) return made;
    }
    const names = Object.keys(object).filter((name) => object[name] !== undefined);
    const made = make(names);
    if (isShort(names)) this.#known = [{ names, made }, ...known.slice(0, REMEMBERED - 1)];
    return made;
  }
}

function isShort(names: readonly string[]): boolean {
  return names.length <= MAX_NAMES && names.reduce((sum, name) => sum + name.length, 0) <= MAX_CHARACTERS;
}

/** Whether an object has exactly these members in this order, and none of them is undefined. */
function hasNames(object: JsonObject, names: readonly string[]): boolean {
  let i = 0;
  for (const name in object) if (name !== names[i++] || object[name] === undefined) return false;
  return i === names.length;
}

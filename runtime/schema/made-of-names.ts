import type { JsonObject } from './member.ts';

/** Objects of one sort mostly have the same members, written in the same order: so many sorts are remembered. */
const REMEMBERED = 4;
/** Names, and characters of all of them, up to which something is remembered: clients choose the keys of maps. */
const MAX_NAMES = 64;
const MAX_CHARACTERS = 2048;

interface Known<T> {
  readonly names: readonly string[];
  readonly made: T;
}

/** What depends on nothing but the names of an object's members: made once for many objects that have the same ones. */
export class MadeOfNames<T> {
  #known: readonly Known<T>[] = [];

  /** @param make is given the names of the members that are not undefined, in their order */
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

/** Whether an object has exactly these members, in this order, and none of them is undefined. */
function hasNames(object: JsonObject, names: readonly string[]): boolean {
  let i = 0;
  for (const name in object) if (name !== names[i++] || object[name] === undefined) return false;
  return i === names.length;
}

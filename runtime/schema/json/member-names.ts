/**
 * Remembers the names of members of long objects. V8 takes tens of milliseconds to list a hundred thousand names in order, but the code
 * that has built the object knows them.
 */

const known = new WeakMap<object, readonly string[]>();

/** Objects with at most so many members are short. */
const SHORT = 1_000;

/** A name that may be the index of an array. `Object.keys` lists such names first, whatever their order of insertion. */
const MAY_BE_INDEX = /^\d/;

/** Collects the names of members while an object is built. */
export class MemberNames {
  readonly #names: string[] = [];
  #isOrdered = true;

  /** @param name must be new to the object */
  add(name: string): void {
    this.#names.push(name);
    if (MAY_BE_INDEX.test(name)) this.#isOrdered = false;
  }

  /** Remembers the names for the object. From now on nobody may add a member to it or delete one. */
  keepWith(object: object): void {
    if (this.#isOrdered && this.#names.length > SHORT) known.set(object, this.#names);
  }
}

/** The names of an object's members. The object must not change any more. */
export const memberNames = (object: object): readonly string[] => known.get(object) ?? Object.keys(object);

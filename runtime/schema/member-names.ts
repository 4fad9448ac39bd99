/**
 * Names of the members of long objects: an engine that has to find out their order takes tens of milliseconds for a hundred thousand of them, and whoever
 * has put an object together knows it.
 */

const known = new WeakMap<object, readonly string[]>();

/** Members up to which an object is short. */
const SHORT = 1_000;

/** What may be the index of an array, which `Object.keys` has first, whenever it was added. */
const MAY_BE_INDEX = /^\d/;

/** Gathers the names of an object that is put together. */
export class MemberNames {
  readonly #names: string[] = [];
  #isOrdered = true;

  /** One that the object has not had so far. */
  add(name: string): void {
    this.#names.push(name);
    if (MAY_BE_INDEX.test(name)) this.#isOrdered = false;
  }

  /** They stay with the object, to which nobody adds a member, and of which nobody takes one, from now on. */
  keepWith(object: object): void {
    if (this.#isOrdered && this.#names.length > SHORT) known.set(object, this.#names);
  }
}

/** Those of an object that nobody changes. */
export const memberNames = (object: object): readonly string[] => known.get(object) ?? Object.keys(object);

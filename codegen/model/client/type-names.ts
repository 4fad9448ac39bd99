/**
 * Names of a typed client in TypeScript. Types begin with a capital letter and constants with a small one, so no type is a reserved word, and neither hides the
 * other where a module exports both.
 */

/** Gives each name once: a later claim of the same name gets a number behind it. */
export class UniqueNames {
  readonly #taken: Set<string>;

  /** @param taken names that are given already */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /**
   * @param of gives names that are claimed along with a name, and so must be free with it
   * @returns the wanted name, or the first of it with 2, 3 … behind it that is free
   */
  claim(wanted: string, of: (name: string) => readonly string[] = () => []): string {
    let name = wanted;
    for (let count = 2; [name, ...of(name)].some((each) => this.#taken.has(each)); count++) name = `${wanted}${count}`;
    for (const each of [name, ...of(name)]) this.#taken.add(each);
    return name;
  }
}

/** @returns the name of a type's form for applying */
export const appliedName = (name: string): string => `${name}Apply`;

/** @returns text as a name of a type, or as the end of one: `my-kind` gives `MyKind`; '' if it has no letter or digit */
export function pascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/**
 * Claims a name for the type of each kind. A kind that is a valid name as it stands keeps it, whatever names the other kinds lead to.
 * @returns the names by kind
 */
export function kindTypeNames(kinds: readonly string[], names: UniqueNames): ReadonlyMap<string, string> {
  const plain = kinds.filter((kind) => pascal(kind) === kind);
  const altered = kinds.filter((kind) => pascal(kind) !== kind);
  return new Map([...plain, ...altered.sort()].map((kind) => [kind, names.claim(pascal(kind))]));
}

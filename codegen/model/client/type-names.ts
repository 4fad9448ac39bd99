/**
 * Names of a client in TypeScript. Types begin with a capital letter and constants with a small one, so neither is a word of the language, and neither hides
 * the other where a module exports both.
 */

/** Names of which each is given once: who comes later gets a number behind theirs. */
export class UniqueNames {
  readonly #taken: Set<string>;

  /** @param taken names that are given already */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** @param of names that have to be free with the one that is given */
  claim(wanted: string, of: (name: string) => readonly string[] = () => []): string {
    let name = wanted;
    for (let count = 2; [name, ...of(name)].some((each) => this.#taken.has(each)); count++) name = `${wanted}${count}`;
    for (const each of [name, ...of(name)]) this.#taken.add(each);
    return name;
  }
}

/** That of a type's form for applying. */
export const appliedName = (name: string): string => `${name}Apply`;

/** Text as a name of a type, or as the end of one: `my-kind` is `MyKind`; '' where it has no letter that names have. */
export function pascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Names of the types of a group version's kinds. Those that are names as they stand keep to them, whatever the others lead to. */
export function kindTypeNames(kinds: readonly string[], names: UniqueNames): ReadonlyMap<string, string> {
  const plain = kinds.filter((kind) => pascal(kind) === kind);
  const altered = kinds.filter((kind) => pascal(kind) !== kind);
  return new Map([...plain, ...altered.sort()].map((kind) => [kind, names.claim(pascal(kind))]));
}

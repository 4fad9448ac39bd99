/** Terms that were made before, of values with the same bytes to be found by: most objects of a resource share their labels and fields with others. */

interface Known {
  readonly labelCount: number;
  readonly terms: readonly string[];
}

/** Texts that are remembered, of all resources, and the characters of the longest one. */
const MOST = 4_096;
const LONGEST = 512;

const NONE: readonly string[] = Object.freeze([]);

export class KnownTerms {
  /** the known terms by resource, and by the bytes as text */
  readonly #known = new Map<string, Map<string, Known>>();
  #size = 0;

  /**
   * @param found the bytes of labels and fields, one character for each
   * @param labelCount the number of labels, after which the fields begin
   * @param make their terms
   * @returns the same list for the same bytes, which nobody changes
   */
  of(resource: string, found: string, labelCount: number, make: () => string[]): readonly string[] {
    if (found === '') return NONE;
    if (found.length > LONGEST) return make();
    const known = this.#known.get(resource)?.get(found);
    if (known?.labelCount === labelCount) return known.terms;
    const terms = Object.freeze(make());
    this.#remember(resource, found, { labelCount, terms });
    return terms;
  }

  #remember(resource: string, found: string, known: Known): void {
    if (this.#size >= MOST) {
      this.#known.clear();
      this.#size = 0;
    }
    const ofResource = this.#known.get(resource) ?? new Map<string, Known>();
    this.#known.set(resource, ofResource);
    ofResource.set(found, known);
    this.#size++;
  }
}

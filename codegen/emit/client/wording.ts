/** Fills in identity placeholders for a client of one dialect or of both. What looks like a placeholder and names nothing is plain text. */
import type { Dialect, IdentityData } from '../../../runtime/contract/identity.ts';

const DIALECTS: readonly Dialect[] = ['cluster', 'kubernetes'];

/** The dialects of a client, and the names of the product in them. */
export class Wording {
  readonly #dialects: readonly Dialect[];
  readonly #names: IdentityData['names'];

  /** @param dialect the dialect of the servers that the client is for; undefined: of either, which the client is told when it is made */
  constructor({ names }: Pick<IdentityData, 'names'>, dialect: Dialect | undefined) {
    this.#names = names;
    this.#dialects = dialect === undefined ? DIALECTS : [dialect];
  }

  /** @returns the text for people; a client of both dialects has the names of the first one */
  text(template: string): string {
    return this.#in(this.#dialects[0] as Dialect, template);
  }

  /** @returns every text that the template may stand for */
  all(template: string): string[] {
    return [...new Set(this.#dialects.map((dialect) => this.#in(dialect, template)))];
  }

  /** @returns the text for the client itself, which fills in what depends on the dialect */
  data(template: string): string {
    return this.#dialects.length === 1 ? this.text(template) : template;
  }

  #in(dialect: Dialect, template: string): string {
    return template.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => this.#names[name]?.[dialect] ?? whole);
  }
}

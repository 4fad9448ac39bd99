/** Texts with identity placeholders, for a client of one dialect or of both. What looks like one and names nothing is text. */
import type { Dialect, IdentityData } from '../../../runtime/contract/identity.ts';

const DIALECTS: readonly Dialect[] = ['cluster', 'kubernetes'];

export class Wording {
  readonly #dialects: readonly Dialect[];
  readonly #names: IdentityData['names'];

  /** @param dialect of the only servers that the client is for; undefined: it is told when it is made */
  constructor({ names }: Pick<IdentityData, 'names'>, dialect: Dialect | undefined) {
    this.#names = names;
    this.#dialects = dialect === undefined ? DIALECTS : [dialect];
  }

  /** For people: in the words of the first dialect. */
  text(template: string): string {
    return this.#in(this.#dialects[0] as Dialect, template);
  }

  /** All that the text may be. */
  all(template: string): string[] {
    return [...new Set(this.#dialects.map((dialect) => this.#in(dialect, template)))];
  }

  /** For the client, which fills in what depends on the dialect. */
  data(template: string): string {
    return this.#dialects.length === 1 ? this.text(template) : template;
  }

  #in(dialect: Dialect, template: string): string {
    return template.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => this.#names[name]?.[dialect] ?? whole);
  }
}

/** Texts with identity placeholders, for a client of one dialect or of both. */
import { createIdentity, type Dialect, type Identity, type IdentityData } from '../../../runtime/contract/identity.ts';

const DIALECTS: readonly Dialect[] = ['cluster', 'kubernetes'];

export class Wording {
  readonly #identities: readonly Identity[];

  /** @param dialect of the only servers that the client is for; undefined: it is told when it is made */
  constructor(data: IdentityData, dialect: Dialect | undefined) {
    this.#identities = (dialect === undefined ? DIALECTS : [dialect]).map((each) => createIdentity(data, each));
  }

  /** For people: in the words of the first dialect. */
  text(template: string): string {
    return this.#identities[0]?.text(template) ?? template;
  }

  /** All that the text may be. */
  all(template: string): string[] {
    return [...new Set(this.#identities.map((identity) => identity.text(template)))];
  }

  /** For the client, which fills in what depends on the dialect. */
  data(template: string): string {
    return this.#identities.length === 1 ? this.text(template) : template;
  }
}

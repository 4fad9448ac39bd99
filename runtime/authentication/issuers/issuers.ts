import type { User } from '../../contract/request-context.ts';
import type { Outcome } from '../outcome.ts';
import type { IssuerTokens } from './issuer-tokens.ts';

/** The issuers of one configuration. A new configuration makes new ones, and retires these. */
export class Issuers {
  readonly #issuers: readonly IssuerTokens[];
  /** how many tokens are being verified */
  #judging = 0;
  #retired = false;

  constructor(issuers: readonly IssuerTokens[]) {
    this.#issuers = issuers;
  }

  /** Finds the user of a token. @returns a refusal if its issuer is one of these, but the token is invalid; undefined if it is of another issuer */
  async find(token: string): Promise<Outcome<User>> {
    this.#judging++;
    try {
      for (const issuer of this.#issuers) {
        const outcome = await issuer.find(token);
        if (outcome !== undefined) return outcome;
      }
      return undefined;
    } finally {
      this.#judging--;
      this.#closeUnused();
    }
  }

  /** Resolves when the keys of all issuers are known. @throws Error if an issuer cannot be reached */
  async ready(): Promise<void> {
    await Promise.all(this.#issuers.map((issuer) => issuer.ready()));
  }

  /** Closes the issuers when the tokens under way are verified. No more may be given to them. */
  retire(): void {
    this.#retired = true;
    this.#closeUnused();
  }

  /** Closes the connections to the issuers at once. */
  close(): void {
    for (const issuer of this.#issuers) issuer.close();
  }

  #closeUnused(): void {
    if (this.#retired && this.#judging === 0) this.close();
  }
}

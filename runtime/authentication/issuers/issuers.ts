import type { User } from '../../contract/request-context.ts';
import type { Outcome } from '../outcome.ts';
import type { IssuerTokens } from './issuer-tokens.ts';

/** Issuers that come and go together. */
export class Issuers {
  readonly #issuers: readonly IssuerTokens[];
  /** tokens that are being judged */
  #judging = 0;
  #retired = false;

  constructor(issuers: readonly IssuerTokens[]) {
    this.#issuers = issuers;
  }

  /** @returns undefined for a token of another issuer */
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

  /** Resolves when the keys of all are known. @throws Error where an issuer cannot be reached */
  async ready(): Promise<void> {
    await Promise.all(this.#issuers.map((issuer) => issuer.ready()));
  }

  /** Closes them as soon as the tokens are judged that they were asked for so far; they are asked for no others. */
  retire(): void {
    this.#retired = true;
    this.#closeUnused();
  }

  close(): void {
    for (const issuer of this.#issuers) issuer.close();
  }

  #closeUnused(): void {
    if (this.#retired && this.#judging === 0) this.close();
  }
}

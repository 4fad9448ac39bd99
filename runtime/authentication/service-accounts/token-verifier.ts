/** Service accounts' tokens on their way in: whose signature, for whom, and whether they still stand. */
import { goQuoteList } from '../../go-text/quote.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Waiting } from '../../outbound/shared-answer.ts';
import type { ObjectLookup } from '../../registry/object-lookup.ts';
import { type Payload, payloadOf, type StandardClaims, standardClaims } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import { TokenCache } from '../token-cache.ts';
import { commonAudiences, type TokenMethod, type TokenOutcome } from '../token-methods.ts';
import { boundTokenUser } from './bound-tokens.ts';
import { LEGACY_ISSUER, warnAfter } from './claims.ts';
import type { TokenKey } from './keys.ts';
import type { LastUse } from './last-use.ts';
import { type LegacyOutcome, legacyTokenUser } from './legacy-tokens.ts';
import { tokenUses } from './token-uses.ts';

export interface TokenVerifierParts {
  readonly keys: readonly TokenKey[];
  readonly issuers: readonly string[];
  /** names of this API: tokens that name no audience are for it */
  readonly audiences: readonly string[];
  readonly objects: ObjectLookup;
  /** --service-account-lookup */
  readonly lookUp: boolean;
  readonly lastUse: LastUse;
  readonly metrics: Metrics;
  /** resolves identity placeholders */
  readonly text: (template: string) => string;
}

interface Verified {
  readonly standard: StandardClaims;
  readonly payload: Payload;
}

/** Milliseconds for which a signature that was checked is not checked again; all else is, for each request. */
const SIGNATURE_TTL = 10_000;

export class ServiceAccountTokens implements TokenMethod {
  readonly #parts: TokenVerifierParts;
  readonly #legacyIssuer: string;
  readonly #uses: ReturnType<typeof tokenUses>;
  readonly #verified = new TokenCache<Verified>();

  constructor(parts: TokenVerifierParts) {
    this.#parts = parts;
    this.#legacyIssuer = parts.text(LEGACY_ISSUER);
    this.#uses = tokenUses(parts.metrics);
  }

  identify(token: string, audiences: readonly string[], _waiting?: Waiting, connection?: object): TokenOutcome | Promise<TokenOutcome> {
    const cached = this.#verified.get(token, '', connection);
    if (cached !== undefined) return this.#judge(token, cached, audiences);
    const payload = payloadOf(token);
    const standard = payload && standardClaims(payload);
    if (payload === undefined || standard?.iss === undefined) return undefined;
    if (standard.iss !== this.#legacyIssuer && !this.#parts.issuers.includes(standard.iss)) return undefined;
    return this.#verify(token, { standard, payload }, audiences);
  }

  async #verify(token: string, unverified: Verified, audiences: readonly string[]): Promise<TokenOutcome> {
    if (!(await this.#isSigned(token))) return new Refusal('the signature of the service account token is not one of the accepted keys');
    this.#verified.set(token, unverified, SIGNATURE_TTL);
    return this.#judge(token, unverified, audiences);
  }

  /** By the key that the token names, or, where it names none of ours, by any. */
  async #isSigned(token: string): Promise<boolean> {
    const { compactVerify, decodeProtectedHeader } = await import('jose');
    try {
      const { kid, alg } = decodeProtectedHeader(token);
      const named = this.#parts.keys.filter(({ id }) => id === kid);
      for (const { algorithm, publicKey } of named.length > 0 ? named : this.#parts.keys) {
        if (algorithm !== alg) continue;
        const verified = await compactVerify(token, publicKey, { algorithms: [algorithm] }).catch(() => undefined);
        if (verified !== undefined) return true;
      }
    } catch {
      // The head is no JSON: nobody signed that.
    }
    return false;
  }

  #judge(token: string, { standard, payload }: Verified, wanted: readonly string[]): TokenOutcome | Promise<TokenOutcome> {
    const { objects, text } = this.#parts;
    const held = standard.aud.length === 0 ? this.#parts.audiences : standard.aud;
    const audiences = commonAudiences(held, wanted);
    if (audiences.length === 0)
      return new Refusal(`token audiences ${goQuoteList(held)} is invalid for the target audiences ${goQuoteList(wanted)}`);
    if (standard.iss === this.#legacyIssuer) return this.#legacy(token, { standard, payload }, audiences);
    const user = boundTokenUser(standard, payload, objects, text, Date.now());
    if (user instanceof Refusal) return user;
    const end = warnAfter(payload, text);
    if (end !== undefined) this.#uses[Date.now() / 1000 > end ? 'stale' : 'valid'].inc();
    return { user, audiences };
  }

  /** Waits for the note of the first use of a day. */
  #legacy(token: string, { standard, payload }: Verified, audiences: readonly string[]): TokenOutcome | Promise<TokenOutcome> {
    const { objects, lookUp, text } = this.#parts;
    const found = legacyTokenUser(token, standard, payload, lookUp ? objects : undefined, text);
    return found instanceof Promise ? found.then((outcome) => this.#used(outcome, audiences)) : this.#used(found, audiences);
  }

  #used({ user, secret, warnings }: LegacyOutcome, audiences: readonly string[]): TokenOutcome | Promise<TokenOutcome> {
    const { lastUse } = this.#parts;
    const outcome: TokenOutcome = user instanceof Refusal ? user : { user, audiences, ...(warnings && { warnings }) };
    if (secret !== undefined) this.#uses[user instanceof Refusal ? 'shutOut' : warnings === undefined ? 'manual' : 'generated'].inc();
    const noted = secret && lastUse.note(secret, Date.now());
    return noted === undefined ? outcome : noted.then(() => outcome);
  }
}

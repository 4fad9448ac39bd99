/** Verifies tokens of an issuer: signature, audience and times. */
import { compactVerify, errors } from 'jose';
import { type Payload, payloadOf, type StandardClaims, standardClaims } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import { type IssuerAddress, IssuerKeys, type KeySet } from './issuer-keys.ts';

/** Seconds that an issuer's clock may be ahead. */
const NOT_YET_LEEWAY = 5 * 60;

export interface SignedTokensOptions {
  readonly issuer: IssuerAddress;
  /** audiences, one of which a token must be for */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
}

export interface SignedClaims {
  readonly payload: Payload;
  /** seconds since 1970 */
  readonly end: number;
}

export class SignedTokens {
  readonly #options: SignedTokensOptions;
  readonly #keys: IssuerKeys;

  constructor(options: SignedTokensOptions) {
    this.#options = options;
    this.#keys = new IssuerKeys(options.issuer);
  }

  /** @returns undefined if the token is of another issuer */
  async claims(token: string): Promise<SignedClaims | Refusal | undefined> {
    const payload = payloadOf(token);
    const standard = payload && standardClaims(payload);
    if (payload === undefined || standard?.iss !== this.#options.issuer.url) return undefined;
    return (await this.#unsigned(token)) ?? this.#unfit(standard) ?? { payload, end: standard.exp as number };
  }

  /** As of `Issuers`. */
  async ready(): Promise<void> {
    await this.#keys.get();
  }

  close(): void {
    this.#keys.close();
  }

  /** @returns a refusal unless one of the issuer's keys has signed the token */
  async #unsigned(token: string): Promise<Refusal | undefined> {
    let keys: KeySet;
    try {
      keys = await this.#keys.get();
      if (await this.#isSigned(token, keys)) return undefined;
      const newer = await this.#keys.get(keys);
      if (newer !== keys && (await this.#isSigned(token, newer))) return undefined;
    } catch (error) {
      return new Refusal(`oidc: the issuer's keys are not known: ${error instanceof Error ? error.message : String(error)}`);
    }
    return new Refusal('oidc: no key of the issuer has signed the token');
  }

  async #isSigned(token: string, keys: KeySet): Promise<boolean> {
    const options = { algorithms: [...this.#options.algorithms] };
    try {
      await compactVerify(token, keys, options);
      return true;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return false;
      for await (const key of error) if (await compactVerify(token, key, options).catch(() => undefined)) return true;
      return false;
    }
  }

  #unfit({ aud, exp, nbf }: StandardClaims): Refusal | undefined {
    const now = Date.now() / 1000;
    if (exp === undefined || exp <= now) return new Refusal('oidc: the token has expired');
    if (nbf !== undefined && nbf > now + NOT_YET_LEEWAY) return new Refusal('oidc: the token is not valid yet');
    if (aud.some((audience) => this.#options.audiences.includes(audience))) return undefined;
    return new Refusal('oidc: the token is for other audiences');
  }
}

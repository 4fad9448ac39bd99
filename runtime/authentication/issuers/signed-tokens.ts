/** Verifies the signature, the audiences and the times of an issuer's tokens. */
import { compactVerify, errors } from 'jose';
import { type Payload, payloadOf, type StandardClaims, standardClaims } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import { type IssuerAddress, IssuerKeys, type KeySet } from './issuer-keys.ts';

/** Seconds by which an issuer's clock may be ahead of this machine's. */
const NOT_YET_LEEWAY = 5 * 60;

export interface SignedTokensOptions {
  readonly issuer: IssuerAddress;
  /** the audiences of which a token must have at least one */
  readonly audiences: readonly string[];
  /** the names of the algorithms that tokens may be signed with */
  readonly algorithms: readonly string[];
}

export interface SignedClaims {
  /** all claims of the token */
  readonly payload: Payload;
  /** when the token expires, in seconds since 1970 */
  readonly end: number;
}

export class SignedTokens {
  readonly #options: SignedTokensOptions;
  readonly #keys: IssuerKeys;

  constructor(options: SignedTokensOptions) {
    this.#options = options;
    this.#keys = new IssuerKeys(options.issuer);
  }

  /** Verifies a token. @returns its claims; a refusal if it is invalid, or if the issuer's keys are not known; undefined if it is of another issuer */
  async claims(token: string): Promise<SignedClaims | Refusal | undefined> {
    const payload = payloadOf(token);
    const standard = payload && standardClaims(payload);
    if (payload === undefined || standard?.iss !== this.#options.issuer.url) return undefined;
    return (await this.#unsigned(token)) ?? this.#unfit(standard) ?? { payload, end: standard.exp as number };
  }

  /** Resolves when the keys of the issuer are known. @throws Error if it cannot be reached */
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

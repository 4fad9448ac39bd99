/** Verifies the signature, the audiences and the times of an issuer's tokens. */
import { compactVerify, errors } from 'jose';
import { type Payload, payloadOf } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import { type IssuerAddress, IssuerKeys, type KeySet } from './issuer-keys.ts';
import { type JudgedClaims, judgedClaims } from './judged-claims.ts';

/** Seconds by which an issuer's clock may be ahead of this machine's. */
const NOT_YET_LEEWAY = 60;

/** This issuer may leave out the scheme in its tokens, as OpenID Connect Core has it in section 15.6.2. */
const NAMED_WITHOUT_SCHEME = 'https://accounts.google.com';

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
    if (payload === undefined || !this.#isIssuedBy(payload.iss)) return undefined;
    const judged = judgedClaims(payload);
    if (judged === undefined) return new Refusal('oidc: a registered claim of the token has another type than it must have');
    return (await this.#unsigned(token)) ?? this.#unfit(judged) ?? { payload, end: judged.exp };
  }

  /** Resolves when the keys of the issuer are known. @throws Error if it cannot be reached */
  async ready(): Promise<void> {
    await this.#keys.get();
  }

  close(): void {
    this.#keys.close();
  }

  #isIssuedBy(iss: unknown): boolean {
    const { url } = this.#options.issuer;
    return iss === url || (url === NAMED_WITHOUT_SCHEME && `https://${iss}` === url);
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

  #unfit({ aud, exp, nbf }: JudgedClaims): Refusal | undefined {
    const now = Date.now() / 1000;
    if (exp <= now) return new Refusal('oidc: the token has expired');
    if (nbf !== undefined && nbf > now + NOT_YET_LEEWAY) return new Refusal('oidc: the token is not valid yet');
    if (aud.some((audience) => this.#options.audiences.includes(audience))) return undefined;
    return new Refusal('oidc: the token is for other audiences');
  }
}

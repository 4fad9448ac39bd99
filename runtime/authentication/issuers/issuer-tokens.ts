/** Tokens of an issuer that others run (specification: OpenID Connect): whose signature, for whom, and whose they are. */
import { compactVerify, errors } from 'jose';
import type { User } from '../../endpoints/api-server.ts';
import { type Payload, payloadOf, type StandardClaims, standardClaims } from '../json-web-token.ts';
import { type Outcome, Refusal } from '../outcome.ts';
import { TokenCache } from '../token-cache.ts';
import { mappedUser } from './claim-mappings.ts';
import type { IssuerConfiguration } from './issuer-configuration.ts';
import { IssuerKeys, type KeySet } from './issuer-keys.ts';

/** Milliseconds for which a token that was good is not checked again. */
const TTL = 10_000;
/** Seconds that an issuer's clock may be ahead. */
const NOT_YET_LEEWAY = 5 * 60;

export class IssuerTokens {
  readonly #configuration: IssuerConfiguration;
  readonly #keys: IssuerKeys;
  readonly #users = new TokenCache<User>();

  constructor(configuration: IssuerConfiguration) {
    this.#configuration = configuration;
    this.#keys = new IssuerKeys(configuration.issuer);
  }

  /** @returns undefined for a token of another issuer */
  async find(token: string): Promise<Outcome<User>> {
    const known = this.#users.get(token);
    if (known !== undefined) return known;
    const payload = payloadOf(token);
    const standard = payload && standardClaims(payload);
    if (payload === undefined || standard?.iss !== this.#configuration.issuer.url) return undefined;
    const refused = (await this.#unsigned(token)) ?? this.#unfit(standard);
    const user = refused ?? (await mappedUser(payload as Payload, this.#configuration));
    if (!(user instanceof Refusal)) this.#users.set(token, user, Math.min(TTL, (standard.exp as number) * 1000 - Date.now()));
    return user;
  }

  close(): void {
    this.#keys.close();
  }

  /** @returns a refusal unless one of the issuer's keys signed the token */
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
    const options = { algorithms: [...this.#configuration.algorithms] };
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
    if (aud.some((audience) => this.#configuration.issuer.audiences.includes(audience))) return undefined;
    return new Refusal('oidc: the token is for other audiences');
  }
}

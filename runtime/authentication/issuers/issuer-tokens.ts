/** Authenticates by tokens of an external issuer (specification: OpenID Connect). */
import { createHash } from 'node:crypto';
import type { User } from '../../contract/request-context.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Payload } from '../json-web-token.ts';
import { type Outcome, Refusal } from '../outcome.ts';
import { TokenCache } from '../token-cache.ts';
import { mappedUser } from './claim-mappings.ts';
import type { DistributedClaims } from './distributed-claims.ts';
import type { IssuerConfiguration } from './issuer-configuration.ts';
import { SignedTokens } from './signed-tokens.ts';

/** Milliseconds for which the user of a valid token is cached, so that the token is not checked again. */
const TTL = 10_000;

export class IssuerTokens {
  readonly #configuration: IssuerConfiguration;
  readonly #credentialKey: string;
  readonly #signed: SignedTokens;
  readonly #users = new TokenCache<User>();
  readonly #record: ReturnType<typeof latencyRecorder>;
  /** made with the first token whose groups are in another token; undefined until then */
  #distributed: Promise<DistributedClaims> | undefined;

  /** @param credentialKey key in a user's `extra` of the name of the token */
  constructor(configuration: IssuerConfiguration, metrics: Metrics, credentialKey: string) {
    this.#configuration = configuration;
    this.#credentialKey = credentialKey;
    this.#record = latencyRecorder(configuration.issuer.url, metrics);
    const { issuer, algorithms } = configuration;
    this.#signed = new SignedTokens({ issuer, audiences: issuer.audiences, algorithms });
  }

  /** Finds the user of a token. @returns a refusal if the token is invalid; undefined if it is of another issuer */
  async find(token: string): Promise<Outcome<User>> {
    const known = this.#users.get(token);
    if (known !== undefined) return known;
    const begun = performance.now();
    const outcome = await this.#judged(token);
    if (outcome !== undefined) this.#record(outcome instanceof Refusal ? 'failure' : 'success', (performance.now() - begun) / 1000);
    return outcome;
  }

  /** Resolves when the keys of the issuer are known. @throws Error if it cannot be reached */
  ready(): Promise<void> {
    return this.#signed.ready();
  }

  close(): void {
    this.#signed.close();
    this.#distributed?.then((distributed) => distributed.close());
  }

  async #judged(token: string): Promise<Outcome<User>> {
    const claims = await this.#signed.claims(token);
    if (claims === undefined || claims instanceof Refusal) return claims;
    const whole = await this.#withGroups(claims.payload);
    const user = whole instanceof Refusal ? whole : await mappedUser(whole, this.#configuration, this.#credentialKey);
    if (!(user instanceof Refusal)) this.#users.set(token, user, Math.min(TTL, claims.end * 1000 - Date.now()));
    return user;
  }

  /** Adds the groups if they are in another token, whose address this one names. */
  async #withGroups(payload: Payload): Promise<Payload | Refusal> {
    const { claim } = this.#configuration.claimMappings.groups ?? {};
    if (!claim || Object.hasOwn(payload, claim) || !Object.hasOwn(payload, '_claim_names')) return payload;
    this.#distributed ??= import('./distributed-claims.ts').then((module) => new module.DistributedClaims(this.#configuration, claim));
    return (await this.#distributed).added(payload);
  }
}

/** Makes a function that records how long a token which was not cached took, in seconds, under the name of 1.32. */
function latencyRecorder(issuer: string, metrics: Metrics): (result: 'success' | 'failure', seconds: number) => void {
  const hash = `sha256:${createHash('sha256').update(issuer).digest('hex')}`;
  const latency = metrics.histogram('apiserver_authentication_jwt_authenticator_latency_seconds');
  return (result, seconds) => latency.with({ result, jwt_issuer_hash: hash }).observe(seconds);
}

/**
 * Fetches a claim that a token does not contain itself: the token names an address of another token with it (OpenID Connect Core, section
 * 5.6.2). That one must be signed by its own issuer, and be for the same audiences.
 */
import { ExchangeError, PeerConnection } from '../../outbound/exchange.ts';
import { redirectedRead } from '../../outbound/redirected-read.ts';
import { type Payload, payloadOf } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import type { IssuerConfiguration } from './issuer-configuration.ts';
import { SignedTokens } from './signed-tokens.ts';

/** Milliseconds for the request to the address of a claim, and for those to where it leads. */
const TIMEOUT = 30_000;
/** The most bytes of its answer. */
const MAX_BYTES = 1024 * 1024;
/** The last status of the answer that is believed, as in 1.32: 226, the last that has a name, not 299. */
const LAST_SUCCESS = 226;
/** The most other issuers whose keys are cached. */
const MAX_ISSUERS = 16;

/** Where a token says that a claim is. */
interface Source {
  /** the address of the claim; absent for an aggregated claim, which the token itself contains, and which is ignored as in 1.32 */
  readonly endpoint?: string | null;
  /** the bearer token for the request to the address; absent if it needs none */
  readonly access_token?: string | null;
}

export class DistributedClaims {
  readonly #configuration: IssuerConfiguration;
  readonly #claim: string;
  readonly #connection: PeerConnection;
  /** by the issuer's address; the one that was used the longest time ago is dropped first */
  readonly #issuers = new Map<string, SignedTokens>();

  /** @param claim name of the claim to fetch */
  constructor(configuration: IssuerConfiguration, claim: string) {
    this.#configuration = configuration;
    this.#claim = claim;
    const { url, certificateAuthority } = configuration.issuer;
    this.#connection = new PeerConnection({ server: url, ...(certificateAuthority && { certificateAuthority }) });
  }

  /** @param payload of a verified token, without the claim. @returns the payload with the claim, or unchanged if it names no source for it */
  async added(payload: Payload): Promise<Payload | Refusal> {
    const source = this.#sourceIn(payload);
    if (source instanceof Refusal) return source;
    if (!source?.endpoint) return payload;
    const token = await this.#fetched(source.endpoint, source.access_token);
    if (token instanceof Refusal) return token;
    const claims = await this.#believed(token);
    if (claims instanceof Refusal) return claims;
    if (Object.hasOwn(claims, this.#claim)) return { ...payload, [this.#claim]: claims[this.#claim] };
    return this.#refusal(`the token of ${source.endpoint} does not have it`);
  }

  close(): void {
    this.#connection.close();
    for (const issuer of this.#issuers.values()) issuer.close();
  }

  #refusal(why: string): Refusal {
    return new Refusal(`oidc: distributed claim ${JSON.stringify(this.#claim)}: ${why}`);
  }

  /** As in 1.32, what the token says of any claim has its type, or the token is refused. Null stands for nothing. */
  #sourceIn({ _claim_names: names, _claim_sources: sources }: Payload): Source | Refusal | undefined {
    if (!isMapOf(names, isText)) return this.#refusal('_claim_names is no object of texts');
    if (sources === undefined) return this.#refusal('the token has no _claim_sources');
    if (!isMapOf(sources, isSource)) return this.#refusal('_claim_sources is no object of sources');
    if (names === null || !Object.hasOwn(names, this.#claim)) return undefined;
    const name = names[this.#claim] ?? '';
    if (sources === null || !Object.hasOwn(sources, name))
      return this.#refusal(`_claim_sources does not have its source ${JSON.stringify(name)}`);
    return sources[name] ?? undefined;
  }

  async #fetched(endpoint: string, accessToken: string | null | undefined): Promise<string | Refusal> {
    const url = URL.parse(endpoint);
    if (url?.protocol !== 'https:') return this.#refusal('the address of its source is no https address');
    const authorization = accessToken ? `Bearer ${accessToken}` : undefined;
    try {
      const answer = await redirectedRead(this.#connection, { url, authorization, timeout: TIMEOUT, maxBytes: MAX_BYTES });
      if (answer.status >= 200 && answer.status <= LAST_SUCCESS) return answer.body.toString('utf8').trim();
      return this.#refusal(`${url.origin}${url.pathname} answers ${answer.status}`);
    } catch (error) {
      if (error instanceof ExchangeError) return this.#refusal(error.message);
      throw error;
    }
  }

  async #believed(token: string): Promise<Payload | Refusal> {
    const issuer = payloadOf(token)?.iss;
    if (typeof issuer !== 'string' || URL.parse(issuer)?.protocol !== 'https:') return this.#refusal('what its source answers is no token');
    const claims = await this.#issuer(issuer).claims(token);
    if (claims instanceof Refusal) return this.#refusal(claims.reason);
    return claims?.payload ?? this.#refusal('what its source answers is no token');
  }

  #issuer(url: string): SignedTokens {
    const { issuer, algorithms } = this.#configuration;
    let tokens = this.#issuers.get(url);
    if (tokens === undefined) {
      const address = url === issuer.url ? issuer : { url, certificateAuthority: issuer.certificateAuthority };
      tokens = new SignedTokens({ issuer: address, audiences: issuer.audiences, algorithms });
    }
    this.#issuers.delete(url);
    this.#issuers.set(url, tokens);
    const [oldest] = this.#issuers;
    if (this.#issuers.size > MAX_ISSUERS && oldest !== undefined) {
      this.#issuers.delete(oldest[0]);
      oldest[1].close();
    }
    return tokens;
  }
}

type MapOf<T> = Readonly<Record<string, T | null>> | null;

function isMapOf<T>(value: unknown, isOne: (each: unknown) => each is T | null): value is MapOf<T> {
  return value === null || (typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(isOne));
}

const isText = (value: unknown): value is string | null => value === null || typeof value === 'string';

function isSource(value: unknown): value is Source | null {
  if (value === null) return true;
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  const { endpoint = null, access_token = null, JWT = null } = value as Record<string, unknown>;
  return [endpoint, access_token, JWT].every(isText);
}

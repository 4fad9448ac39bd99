/** The public keys of an issuer. They are found by OpenID Connect discovery when a token first needs them, cached, and fetched again for unknown keys. */
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { type ExchangeAnswer, PeerConnection } from '../../outbound/exchange.ts';
import { parseNativeJson } from '../../schema/native-json.ts';

/** Milliseconds. */
const TIMEOUT = 30_000;
/** An issuer is not asked again before this time, whatever tokens come. */
const SHORTEST_INTERVAL = 10_000;
/** Keys are fetched again after this time, so that revoked ones are forgotten. */
const LONGEST_INTERVAL = 60 * 60 * 1_000;
const MAX_BYTES = 1024 * 1024;

export interface IssuerAddress {
  readonly url: string;
  readonly discoveryURL?: string;
  /** PEM */
  readonly certificateAuthority?: string | undefined;
}

export type KeySet = ReturnType<typeof createLocalJWKSet>;

export class IssuerKeys {
  readonly #issuer: IssuerAddress;
  readonly #connection: PeerConnection;
  #keys: KeySet | undefined;
  #error: unknown;
  /** time by `performance.now()`. It does not begin with 0, because that would be a moment ago in a new process. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(issuer: IssuerAddress) {
    this.#issuer = issuer;
    const { url, certificateAuthority } = issuer;
    this.#connection = new PeerConnection({ server: url, ...(certificateAuthority && { certificateAuthority }) });
  }

  /**
   * @param known keys among which the wanted one was not found: newer ones are fetched, unless that was just done
   * @throws Error as long as the issuer was never reached
   */
  async get(known?: KeySet): Promise<KeySet> {
    const age = performance.now() - this.#askedAt;
    const isWanted = this.#keys === undefined || this.#keys === known || age > LONGEST_INTERVAL;
    if (isWanted && age > SHORTEST_INTERVAL && this.#fetching === undefined)
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = undefined;
      });
    if (isWanted) await this.#fetching;
    if (this.#keys === undefined) throw this.#error;
    return this.#keys;
  }

  close(): void {
    this.#connection.close();
  }

  async #fetch(): Promise<void> {
    this.#askedAt = performance.now();
    try {
      this.#keys = createLocalJWKSet((await this.#read(await this.#keysAddress())) as unknown as JSONWebKeySet);
    } catch (error) {
      this.#error = error;
    }
  }

  /** @throws Error for a document of another issuer */
  async #keysAddress(): Promise<string> {
    const { url, discoveryURL } = this.#issuer;
    const { issuer, jwks_uri: keys } = await this.#read(discoveryURL || `${url.replace(/\/$/, '')}/.well-known/openid-configuration`);
    if (issuer !== url) throw new Error(`the issuer calls itself ${JSON.stringify(issuer)}, not ${JSON.stringify(url)}`);
    if (typeof keys !== 'string' || URL.parse(keys)?.protocol !== 'https:')
      throw new Error('the issuer states no https address of its keys');
    return keys;
  }

  async #read(address: string): Promise<Record<string, unknown>> {
    const answer = await this.#connection.exchange({ method: 'GET', url: new URL(address), timeout: TIMEOUT, maxBytes: MAX_BYTES });
    return jsonObject(address, answer);
  }
}

function jsonObject(address: string, { status, body }: ExchangeAnswer): Record<string, unknown> {
  if (status !== 200) throw new Error(`${address} answers ${status}`);
  const value: unknown = parseNativeJson(body.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${address} answers no JSON object`);
  return value as Record<string, unknown>;
}

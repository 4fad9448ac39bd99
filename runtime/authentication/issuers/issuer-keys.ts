/** The public keys of an issuer. They are found by OpenID Connect discovery when a token first needs them, cached, and fetched again for unknown keys. */
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { type ExchangeAnswer, PeerConnection } from '../../outbound/exchange.ts';
import { redirectedRead } from '../../outbound/redirected-read.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';

/** Milliseconds for one request to the issuer, and for those to where it leads. */
const TIMEOUT = 30_000;
/** Milliseconds that must pass between two fetches of the keys, so that tokens with invented keys cannot make the server ask the issuer all the time. */
const SHORTEST_INTERVAL = 10_000;
/** Milliseconds after which keys are fetched again, so that revoked ones are forgotten. */
const LONGEST_INTERVAL = 60 * 60 * 1_000;
/** The most bytes of one answer of the issuer. */
const MAX_BYTES = 1024 * 1024;

export interface IssuerAddress {
  /** the issuer's name, as tokens have it, which is an https address */
  readonly url: string;
  /** the address of the discovery document; absent or empty for the usual one below `url` */
  readonly discoveryURL?: string;
  /** PEM text of the authorities of the issuer's certificate; absent for those of the system */
  readonly certificateAuthority?: string | undefined;
}

export type KeySet = ReturnType<typeof createLocalJWKSet>;

export class IssuerKeys {
  readonly #issuer: IssuerAddress;
  readonly #connection: PeerConnection;
  #keys: KeySet | undefined;
  #error: unknown;
  /**
   * the time of the last fetch by `performance.now()`; it does not begin with 0, because in a new process 0 is only a moment ago, so the first fetch would wait
   */
  #askedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(issuer: IssuerAddress) {
    this.#issuer = issuer;
    const { url, certificateAuthority } = issuer;
    this.#connection = new PeerConnection({ server: url, ...(certificateAuthority && { certificateAuthority }) });
  }

  /**
   * Returns the keys. They are fetched if there are none yet, or if they are old. Requests share one fetch.
   * @param known keys among which the wanted one was not found: newer ones are fetched, unless that was done in the last ten seconds
   * @throws Error as long as no fetch has succeeded; later failures leave the keys as they are
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

  /** Reads the address of the keys from the discovery document. @throws Error if the document is about another issuer, or has no https address */
  async #keysAddress(): Promise<string> {
    const { url, discoveryURL } = this.#issuer;
    const { issuer, jwks_uri: keys } = await this.#read(discoveryURL || `${url.replace(/\/$/, '')}/.well-known/openid-configuration`);
    if (issuer !== url) throw new Error(`the issuer calls itself ${JSON.stringify(issuer)}, not ${JSON.stringify(url)}`);
    if (typeof keys !== 'string' || URL.parse(keys)?.protocol !== 'https:')
      throw new Error('the issuer states no https address of its keys');
    return keys;
  }

  async #read(address: string): Promise<Record<string, unknown>> {
    return jsonObject(address, await redirectedRead(this.#connection, { url: new URL(address), timeout: TIMEOUT, maxBytes: MAX_BYTES }));
  }
}

function jsonObject(address: string, { status, body }: ExchangeAnswer): Record<string, unknown> {
  if (status !== 200) throw new Error(`${address} answers ${status}`);
  const value: unknown = parseNativeJson(body.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${address} answers no JSON object`);
  return value as Record<string, unknown>;
}

/** The contract for signing the tokens of service accounts and for finding the keys that verify them, and the implementation that has a key of its own. */
import type { Waiting } from '../../outbound/shared-answer.ts';
import type { Payload } from '../json-web-token.ts';
import type { TokenKey, TokenKeys } from './keys.ts';

/** The public keys as others may read them. Both documents of the issuer's discovery are made from this. */
export interface PublishedKeys {
  /** the set of keys (RFC 7517) as JSON */
  readonly document: string;
  /** the algorithms of the keys, sorted, without repetitions */
  readonly algorithms: readonly string[];
  /** seconds for which others may cache the documents */
  readonly maxAge: number;
}

export interface TokenSigner {
  /** Signs claims. @returns the token. @throws Error if it cannot be signed; the reason of the signal if that is aborted first */
  sign(payload: Payload, waiting?: Waiting): Promise<string>;
  /**
   * Finds the keys that may have signed a token.
   * @param id the id of the key that the token names; undefined or empty if it names none
   * @returns the keys, perhaps none; a promise if another program has to be asked, which rejects only with the reason of the signal
   */
  keysFor(id: string | undefined, waiting?: Waiting): readonly TokenKey[] | Promise<readonly TokenKey[]>;
  /** The keys with which others may verify tokens; undefined if they are not known yet. */
  published(): PublishedKeys | undefined;
  /** Returns the most seconds for which a token may be valid, 0 for no limit. Absent if flags alone determine that. */
  readonly longestLife?: (waiting?: Waiting) => number | Promise<number>;
  /** whether it also signs tokens that never expire, such as those in secrets */
  readonly signsForSecrets: boolean;
}

/** Seconds for which others may cache the documents, as in 1.32. */
const HOUR = 3600;

/** Signs with a key that the server itself has. */
export class OwnTokenSigner implements TokenSigner {
  readonly signsForSecrets = true;
  readonly #keys: TokenKeys;
  readonly #byId: ReadonlyMap<string, readonly TokenKey[]>;
  #published: PublishedKeys | undefined;

  constructor(keys: TokenKeys) {
    this.#keys = keys;
    this.#byId = Map.groupBy(keys.accepted, ({ id }) => id);
  }

  async sign(payload: Payload): Promise<string> {
    const { SignJWT } = await import('jose');
    const { algorithm, id, privateKey } = this.#keys.signing;
    return new SignJWT(payload).setProtectedHeader({ alg: algorithm, kid: id }).sign(privateKey);
  }

  keysFor(id: string | undefined): readonly TokenKey[] {
    return id === undefined || id === '' ? this.#keys.accepted : (this.#byId.get(id) ?? []);
  }

  published(): PublishedKeys {
    this.#published ??= { ...publishedOf(this.#keys.accepted.map(webKey), this.#keys.accepted), maxAge: HOUR };
    return this.#published;
  }
}

/** Makes what is published from keys. @param webKeys the results of `webKey`, one for each key */
export function publishedOf(webKeys: readonly object[], keys: readonly TokenKey[]): Omit<PublishedKeys, 'maxAge'> {
  return { document: JSON.stringify({ keys: webKeys }), algorithms: [...new Set(keys.map(({ algorithm }) => algorithm))].sort() };
}

/** Makes the JSON web key (RFC 7517) with which others can verify tokens. */
export function webKey({ id, algorithm, publicKey }: TokenKey): object {
  const { kty, ...parameters } = publicKey.export({ format: 'jwk' });
  return { use: 'sig', kty, kid: id, alg: algorithm, ...parameters };
}

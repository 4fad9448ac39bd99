/** Who signs the tokens of service accounts, and by which keys they are checked. */
import type { Waiting } from '../../outbound/shared-answer.ts';
import type { Payload } from '../json-web-token.ts';
import type { TokenKey, TokenKeys } from './keys.ts';

/** Both documents of the discovery of the issuer are made of these. */
export interface PublishedKeys {
  /** JSON, as of `publicKeys` */
  readonly document: string;
  readonly algorithms: readonly string[];
  /** seconds for which others may go by them */
  readonly maxAge: number;
}

export interface TokenSigner {
  /** @returns the token. @throws Error; the reason of the signal where that is aborted first */
  sign(payload: Payload, waiting?: Waiting): Promise<string>;
  /**
   * @param id by which a token names its key; undefined or empty: it names none
   * @returns that by which the token may be signed; a promise where somebody has to be asked, which is never rejected but by the reason of the signal
   */
  keysFor(id: string | undefined, waiting?: Waiting): readonly TokenKey[] | Promise<readonly TokenKey[]>;
  /** What others may check tokens by. undefined: nothing yet */
  published(): PublishedKeys | undefined;
  /** seconds for which a token may live; 0: no limit. Absent: flags alone say that */
  readonly longestLife?: (waiting?: Waiting) => number | Promise<number>;
  /** whether it signs tokens without an end, which secrets hold */
  readonly signsForSecrets: boolean;
}

/** Seconds, as in 1.32. */
const HOUR = 3600;

/** Signs by a key that the server has. */
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

/** @param webKeys of `webKey`, one for each key */
export function publishedOf(webKeys: readonly object[], keys: readonly TokenKey[]): Omit<PublishedKeys, 'maxAge'> {
  return { document: JSON.stringify({ keys: webKeys }), algorithms: [...new Set(keys.map(({ algorithm }) => algorithm))].sort() };
}

/** As others need it to check tokens. */
export function webKey({ id, algorithm, publicKey }: TokenKey): object {
  const { kty, ...parameters } = publicKey.export({ format: 'jwk' });
  return { use: 'sig', kty, kid: id, alg: algorithm, ...parameters };
}

/** A signer outside of the server (--service-account-signing-endpoint, KEP-740). It signs tokens by keys that only it has. */
import type { Payload } from '../../authentication/json-web-token.ts';
import type { TokenKey } from '../../authentication/service-accounts/keys.ts';
import type { PublishedKeys, TokenSigner } from '../../authentication/service-accounts/token-signer.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { SharedAnswer, type Waiting } from '../../outbound/shared-answer.ts';
import { formatDuration } from '../../schema/scalar/duration.ts';
import { grpcStatusOf } from '../../storage/encryption/transformation-counts.ts';
import { checkSignature, keyIdOfHead } from './signed-parts.ts';
import { SignerClient } from './signer-client.ts';
import { SignerKeys } from './signer-keys.ts';

export interface SignerFlags {
  readonly 'service-account-signing-endpoint': string;
  /** milliseconds */
  readonly 'service-account-max-token-expiration': number;
  readonly 'service-account-extend-token-expiration': boolean;
}

export interface SignerParts {
  readonly flags: SignerFlags;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** In seconds. The API accepts no requests for tokens with a shorter life. */
const SHORTEST_LIFE = 600n;
/** Lives in seconds of tokens that are mounted into pods: without the extension, and with it. */
const MOUNTED = 3_607;
const EXTENDED = 365 * 24 * 3_600;

export class ExternalSigner implements TokenSigner {
  /** those tokens never expire, but the signer limits the life of tokens */
  readonly signsForSecrets = false;
  readonly #flags: SignerFlags;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #client: SignerClient;
  readonly #keys: SignerKeys;
  /** seconds; undefined until the signer has been asked */
  #longestLife: number | undefined;
  #opening: SharedAnswer<number> | undefined;

  /** The signer need not run yet: it is asked by whatever needs it first. */
  constructor({ flags, log, metrics }: SignerParts) {
    this.#flags = flags;
    this.#log = log;
    this.#metrics = metrics;
    this.#client = new SignerClient(flags['service-account-signing-endpoint'], metrics);
    this.#keys = new SignerKeys(this.#client, { log, metrics });
  }

  /**
   * Asks the signer for its keys and for the longest life of tokens.
   * @throws Error that names the flag, if the answer is late or invalid
   */
  async open(): Promise<void> {
    try {
      await this.longestLife();
    } catch (error) {
      throw new Error(`--service-account-signing-endpoint: ${(error as Error).message}`, { cause: error });
    }
    if (this.#flags['service-account-extend-token-expiration']) this.#warnOfLifetimes(this.#longestLife as number);
  }

  #warnOfLifetimes(longest: number): void {
    const what = 'with --service-account-extend-token-expiration tokens that are mounted into pods live';
    if (longest < MOUNTED)
      this.#log.warn({}, `${what} no longer than others: they ask for ${MOUNTED} seconds, and a token lives for ${longest} at most`);
    else if (longest < EXTENDED) this.#log.warn({}, `${what} for ${longest} seconds, as long as a token may, and not for ${EXTENDED}`);
  }

  longestLife(waiting?: Waiting): number | Promise<number> {
    if (this.#longestLife !== undefined) return this.#longestLife;
    if (this.#opening === undefined || this.#opening.isGivenUp) {
      const opening = new SharedAnswer(() => this.#ask());
      this.#opening = opening;
      opening.whenFailed(() => {
        if (this.#opening === opening) this.#opening = undefined;
      });
    }
    return this.#opening.wait(waiting);
  }

  /** @throws Error */
  async #ask(): Promise<number> {
    if (this.#keys.known === undefined) await this.#keys.refresh();
    const seconds = await this.#client.longestLife();
    if (seconds < SHORTEST_LIFE)
      throw new Error(`the signer signs tokens for ${seconds} seconds, and ${SHORTEST_LIFE} at least are expected`);
    // the flag is in milliseconds
    const flag = BigInt(this.#flags['service-account-max-token-expiration']);
    if (flag > seconds * 1_000n) {
      const [given, signed] = [flag, seconds * 1_000n].map((each) => formatDuration(each * 1_000_000n));
      throw new Error(`--service-account-max-token-expiration=${given} is longer than the signer signs tokens for (${signed})`);
    }
    this.#longestLife = Number(flag > 0n ? flag / 1_000n : seconds);
    return this.#longestLife;
  }

  keysFor(id: string | undefined, waiting?: Waiting): readonly TokenKey[] | Promise<readonly TokenKey[]> {
    const find = (): readonly TokenKey[] | undefined => (id === undefined || id === '' ? this.#keys.known : this.#keys.named(id));
    return find() ?? this.#refreshed(waiting).then(() => find() ?? []);
  }

  /** @throws the reason of the signal, if it is aborted first */
  async #refreshed(waiting: Waiting | undefined): Promise<void> {
    try {
      await this.#keys.refresh(waiting);
    } catch (error) {
      if (waiting?.signal.aborted) throw waiting.signal.reason;
      this.#log.warn({ err: error }, 'a token names a key that is not known, and the signer of tokens does not say its keys');
    }
  }

  published(): PublishedKeys | undefined {
    return this.#keys.published();
  }

  async sign(payload: Payload, waiting?: Waiting): Promise<string> {
    const claims = Buffer.from(JSON.stringify(payload)).toString('base64url');
    let code = 'OK';
    try {
      const { header, signature } = await this.#signed(claims, waiting);
      return `${header}.${claims}.${signature}`;
    } catch (error) {
      code = grpcStatusOf(error);
      throw waiting?.signal.aborted ? waiting.signal.reason : error;
    } finally {
      this.#metrics.counter('apiserver_externaljwt_sign_request_total').inc({ code });
    }
  }

  /** @throws Error in the words of 1.32 */
  async #signed(claims: string, waiting: Waiting | undefined): Promise<{ readonly header: string; readonly signature: string }> {
    const parts = await this.#client.sign(claims, waiting?.signal).catch((error) => Promise.reject(of('while signing jwt', error)));
    try {
      const id = keyIdOfHead(parts);
      await this.keysFor(id, waiting);
      if (this.#keys.isExcluded(id)) throw new Error(`key used for signing JWT (kid: ${id}) is excluded from OIDC discovery docs`);
    } catch (error) {
      throw of('while validating header', error);
    }
    checkSignature(parts);
    return parts;
  }

  close(): void {
    this.#keys.close();
    this.#client.close();
  }
}

function of(what: string, error: unknown): Error {
  return new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

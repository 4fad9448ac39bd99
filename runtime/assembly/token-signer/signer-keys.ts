/** The keys of a signer as it has last said them. They are asked for anew when it wants that, and when a token names one that is not among them. */
import { createPublicKey } from 'node:crypto';
import type { FetchKeysResponse, Key, Timestamp } from '../../../generated/node-interfaces/token-signer.ts';
import { algorithmOf, type TokenKey } from '../../authentication/service-accounts/keys.ts';
import { type PublishedKeys, publishedOf, webKey } from '../../authentication/service-accounts/token-signer.ts';
import { turn } from '../../event-loop/turns.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { SharedAnswer, type Waiting } from '../../outbound/shared-answer.ts';
import { grpcStatusOf } from '../../storage/encryption/transformation-counts.ts';
import { MAX_KEY_ID } from './signed-parts.ts';
import type { SignerClient } from './signer-client.ts';

/** Milliseconds until the signer is asked again that has failed, as in 1.32. */
const AFTER_FAILURE = 10_000;
/** Milliseconds; the timers of Node take none that is longer. */
const LONGEST_WAIT = 2 ** 31 - 1;
/** Keys that are read at once; an answer may have some ten thousand. */
const SLICE = 50;

/** What a date may be in the form of protobuf: the years 1 to 9999. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;
const NANOS = 1_000_000_000;

/** A key in a form that tokens are checked by, and as the signer has said it. */
interface SaidKey {
  readonly id: string;
  readonly der: Buffer;
  readonly isExcluded: boolean;
  /** absent: no token can be checked by it */
  readonly key: TokenKey | undefined;
}

interface SaidKeys {
  readonly all: readonly SaidKey[];
  readonly byId: ReadonlyMap<string, readonly SaidKey[]>;
  /** those that tokens are checked by */
  readonly usable: readonly TokenKey[];
  /** as the signer said it; a hint */
  readonly goodFor: number;
  /** seconds since 1970, of the signer's own */
  readonly dataTime: number;
}

const NONE: SaidKeys = { all: [], byId: new Map(), usable: [], goodFor: 0, dataTime: 0 };

export class SignerKeys {
  readonly #client: SignerClient;
  readonly #log: Log;
  readonly #metrics: Metrics;
  #keys = NONE;
  #documents: Omit<PublishedKeys, 'maxAge'> | undefined;
  /** of `performance.now()`; when they are asked for again */
  #next = 0;
  #timer: NodeJS.Timeout | undefined;
  #asking: SharedAnswer<void> | undefined;
  #isClosed = false;

  constructor(client: SignerClient, { log, metrics }: { readonly log: Log; readonly metrics: Metrics }) {
    this.#client = client;
    this.#log = log;
    this.#metrics = metrics;
  }

  /**
   * Asks the signer, together with all who do so meanwhile. After the first answer it is asked again and again.
   * @throws Error where it has no answer, or one that is wrong; the reason of the signal where that is aborted first
   */
  refresh(waiting?: Waiting): Promise<void> {
    let asking = this.#asking;
    if (asking === undefined || asking.isGivenUp) {
      const asked = new SharedAnswer((signal) => this.#ask(signal).finally(() => this.#asked(asked)));
      asking = this.#asking = asked;
    }
    return asking.wait(waiting);
  }

  #asked(asked: SharedAnswer<void>): void {
    if (this.#asking === asked) this.#asking = undefined;
  }

  /** undefined: the signer has not said any yet */
  get known(): readonly TokenKey[] | undefined {
    return this.#keys === NONE ? undefined : this.#keys.usable;
  }

  /** @returns those of the name; undefined where there is none of it */
  named(id: string): readonly TokenKey[] | undefined {
    return this.#keys.byId.get(id)?.flatMap(({ key }) => key ?? []);
  }

  /** Whether no token may be signed by the key of that name: others would not know it. */
  isExcluded(id: string): boolean {
    return this.#keys.byId.get(id)?.some(({ isExcluded }) => isExcluded) === true;
  }

  published(): PublishedKeys | undefined {
    return this.#documents && { ...this.#documents, maxAge: Math.max(0, Math.floor((this.#next - performance.now()) / 1_000)) };
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #ask(signal: AbortSignal): Promise<void> {
    let code = 'OK';
    try {
      const said = this.#client
        .keys(signal)
        .catch((error) => Promise.reject(of('while getting externally supported jwt signing keys', error)));
      await this.#take(await said, signal);
      this.#metrics.gauge('apiserver_externaljwt_fetch_keys_success_timestamp').set({}, Date.now() / 1_000);
      this.#metrics.gauge('apiserver_externaljwt_fetch_keys_data_timestamp').set({}, this.#keys.dataTime);
    } catch (error) {
      code = grpcStatusOf(error);
      throw of('while fetching token verification keys', error);
    } finally {
      this.#metrics.counter('apiserver_externaljwt_fetch_keys_request_total').inc({ code });
    }
    this.#askAfter(this.#keys.goodFor);
  }

  async #take(said: FetchKeysResponse, signal: AbortSignal): Promise<void> {
    const before = this.#keys;
    const keys = await readKeys(said, before);
    // others may have had newer ones meanwhile
    signal.throwIfAborted();
    this.#keys = keys;
    this.#next = performance.now() + keys.goodFor;
    if (haveChanged(before, keys)) await this.#publish(keys);
  }

  /** What was published before stays where these cannot be, as in 1.32. */
  async #publish(said: SaidKeys): Promise<void> {
    const shown = said.all.filter(({ isExcluded }) => !isExcluded);
    const keys = shown.flatMap(({ key }) => key ?? []);
    if (keys.length === 0 || keys.length < shown.length) {
      const problem =
        keys.length === shown.length
          ? 'none is to be published'
          : 'one to be published is neither RSA nor ECDSA over P-256, P-384 or P-521';
      return this.#log.error({}, `the keys of the signer of tokens are not published: ${problem}`);
    }
    const webKeys: object[] = [];
    for (const [index, key] of keys.entries()) {
      if (index > 0 && index % SLICE === 0) await turn();
      webKeys.push(webKey(key));
    }
    if (this.#keys === said) this.#documents = publishedOf(webKeys, keys);
  }

  #askAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#askAgain(), Math.min(milliseconds, LONGEST_WAIT)).unref();
  }

  async #askAgain(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      if (this.#isClosed) return;
      this.#log.error({ err: error }, 'the signer of tokens has not said its keys: tokens are checked by those that it had before');
      this.#askAfter(AFTER_FAILURE);
    }
  }
}

/** @throws Error in the words of 1.32 */
async function readKeys({ keys, dataTimestamp, refreshHintSeconds }: FetchKeysResponse, before: SaidKeys): Promise<SaidKeys> {
  if (refreshHintSeconds <= 0n) throw new Error(`found invalid refresh hint (${refreshHintSeconds}s)`);
  if (keys.length === 0) throw new Error('found no keys');
  const dataTime = secondsOf(dataTimestamp);
  const all: SaidKey[] = [];
  for (const [index, each] of keys.entries()) {
    if (index > 0 && index % SLICE === 0) await turn();
    all.push(readKey(each, before));
  }
  const byId = Map.groupBy(all, ({ id }) => id);
  return { all, byId, usable: all.flatMap(({ key }) => key ?? []), goodFor: Number(refreshHintSeconds) * 1_000, dataTime };
}

/** One that is there already is not read anew. @throws Error */
function readKey({ keyId, key, excludeFromOidcDiscovery: isExcluded }: Key, before: SaidKeys): SaidKey {
  if (keyId === '' || Buffer.byteLength(keyId) > MAX_KEY_ID)
    throw new Error(`found invalid public key id ${JSON.stringify(keyId.slice(0, MAX_KEY_ID))}`);
  if (key.length === 0) throw new Error('found empty public key');
  const known = before.byId.get(keyId)?.find(({ der }) => der.equals(key));
  if (known !== undefined) return known.isExcluded === isExcluded ? known : { ...known, isExcluded };
  // its own copy: what came holds all other keys too
  const der = Buffer.from(key);
  return { id: keyId, der, isExcluded, key: tokenKeyOf(keyId, der) };
}

/** @throws Error */
function tokenKeyOf(id: string, der: Buffer): TokenKey | undefined {
  let publicKey: TokenKey['publicKey'];
  try {
    publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch (error) {
    throw new Error(`while parsing external public keys: the key ${JSON.stringify(id)} cannot be read`, { cause: error });
  }
  const algorithm = algorithmOf(publicKey);
  return algorithm === undefined ? undefined : { id, algorithm, publicKey };
}

/** @throws Error */
function secondsOf(time: Timestamp | undefined): number {
  if (time === undefined) throw new Error('invalid data timestamp: invalid nil Timestamp');
  const { seconds, nanos } = time;
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND || nanos < 0 || nanos >= NANOS)
    throw new Error(`invalid data timestamp: ${seconds} seconds and ${nanos} nanoseconds are no date`);
  return Number(seconds);
}

/** What is published is made anew then, as in 1.32. */
function haveChanged(before: SaidKeys, now: SaidKeys): boolean {
  if (before.dataTime !== now.dataTime || before.all.length !== now.all.length) return true;
  return before.all.some((each, index) => each !== now.all[index]);
}

function of(what: string, error: unknown): Error {
  return new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

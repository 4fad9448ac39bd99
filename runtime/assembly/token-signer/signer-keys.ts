/**
 * The keys that the signer has named last. The signer is asked again at the intervals that it wants, and when a token names an unknown key.
 */

import { createPublicKey } from 'node:crypto';
import type { FetchKeysResponse, Key, Timestamp } from '../../../generated/node-interfaces/token-signer.ts';
import { algorithmOf, type TokenKey } from '../../authentication/service-accounts/keys.ts';
import { type PublishedKeys, publishedOf, webKey } from '../../authentication/service-accounts/token-signer.ts';
import { LONGEST_TIMER } from '../../contract/longest-timer.ts';
import { turn } from '../../event-loop/turns.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { SharedAnswer, type Waiting } from '../../outbound/shared-answer.ts';
import { grpcStatusOf } from '../../storage/encryption/transformation-counts.ts';
import { MAX_KEY_ID } from './signed-parts.ts';
import type { SignerClient } from './signer-client.ts';

/** Milliseconds until the signer is asked again after a failure, as in 1.32. */
const AFTER_FAILURE = 10_000;
/** Keys that are read in one turn of the event loop. An answer may have some ten thousand. */
const SLICE = 50;

/** The range of a protobuf Timestamp: years 1 to 9999. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;
const NANOS = 1_000_000_000;

/** A key as the signer has sent it, and in the form that checks tokens. */
interface SaidKey {
  readonly id: string;
  readonly der: Buffer;
  readonly isExcluded: boolean;
  /** absent: the server cannot check tokens by a key of this type */
  readonly key: TokenKey | undefined;
}

interface SaidKeys {
  readonly all: readonly SaidKey[];
  readonly byId: ReadonlyMap<string, readonly SaidKey[]>;
  /** the keys by which tokens can be checked */
  readonly usable: readonly TokenKey[];
  /** milliseconds after which the signer wants to be asked again */
  readonly goodFor: number;
  /** when the signer's keys have changed by its own clock, in seconds since 1970 */
  readonly dataTime: number;
}

const NONE: SaidKeys = { all: [], byId: new Map(), usable: [], goodFor: 0, dataTime: 0 };

export class SignerKeys {
  readonly #client: SignerClient;
  readonly #log: Log;
  readonly #metrics: Metrics;
  #keys = NONE;
  #documents: Omit<PublishedKeys, 'maxAge'> | undefined;
  /** when the keys are asked for again, by `performance.now()` */
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
   * Asks the signer, once for all concurrent callers. After the first answer it is asked again at intervals.
   * @throws Error for a failed call or an invalid answer
   * @throws the reason of the signal, if it is aborted first
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

  /** The usable keys; undefined if the signer has not named any yet. */
  get known(): readonly TokenKey[] | undefined {
    return this.#keys === NONE ? undefined : this.#keys.usable;
  }

  /** @returns the usable keys of this name; undefined if the signer has none of this name */
  named(id: string): readonly TokenKey[] | undefined {
    return this.#keys.byId.get(id)?.flatMap(({ key }) => key ?? []);
  }

  /** Whether the key of this name is not published, so that no token may be signed by it: other services could not check the token. */
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
    // a later call may already have set newer keys
    signal.throwIfAborted();
    this.#keys = keys;
    this.#next = performance.now() + keys.goodFor;
    if (haveChanged(before, keys)) await this.#publish(keys);
  }

  /** If some of the keys cannot be published, the former ones stay published, as in 1.32. */
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
    this.#timer = setTimeout(() => void this.#askAgain(), Math.min(milliseconds, LONGEST_TIMER)).unref();
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

/** A known key is not parsed again. @throws Error */
function readKey({ keyId, key, excludeFromOidcDiscovery: isExcluded }: Key, before: SaidKeys): SaidKey {
  if (keyId === '' || Buffer.byteLength(keyId) > MAX_KEY_ID)
    throw new Error(`found invalid public key id ${JSON.stringify(keyId.slice(0, MAX_KEY_ID))}`);
  if (key.length === 0) throw new Error('found empty public key');
  const known = before.byId.get(keyId)?.find(({ der }) => der.equals(key));
  if (known !== undefined) return known.isExcluded === isExcluded ? known : { ...known, isExcluded };
  // a copy, because the received buffer holds all other keys too
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

/** Whether the published keys must be made anew, by the rule of 1.32. */
function haveChanged(before: SaidKeys, now: SaidKeys): boolean {
  if (before.dataTime !== now.dataTime || before.all.length !== now.all.length) return true;
  return before.all.some((each, index) => each !== now.all[index]);
}

function of(what: string, error: unknown): Error {
  return new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

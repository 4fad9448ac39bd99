/**
 * Compacts etcd, as kube-apiserver does and together with it. A key in etcd counts the rounds. Of all servers of one etcd, the first that writes this key
 * in a round compacts to the revision of the round before: so the past is kept for one to two intervals.
 */
import { LONGEST_TIMER } from '../../contract/longest-timer.ts';
import type { EtcdClient } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';

/** The key that counts the rounds, as kube-apiserver names it. It is not below the prefix. */
const ROUNDS_KEY = 'compact_rev_key';

export interface CompactionOptions {
  readonly client: EtcdClient;
  /** milliseconds, > 0 */
  readonly interval: number;
  /** Must not throw. */
  readonly onError: (error: unknown) => void;
}

/** The state of the rounds. */
interface Round {
  /** number of writes of the key */
  readonly count: number;
  /** the newest revision at that time; 0: not known yet */
  readonly revision: number;
}

export class EtcdCompaction {
  readonly #options: CompactionOptions;
  readonly #timer: NodeJS.Timeout;
  #round: Round = { count: 0, revision: 0 };
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: CompactionOptions) {
    this.#options = options;
    this.#timer = setInterval(
      () => {
        this.#underWay = this.#underWay.then(() => this.#advanceUnlessStopped());
      },
      Math.min(options.interval, LONGEST_TIMER),
    ).unref();
  }

  async #advanceUnlessStopped(): Promise<void> {
    try {
      if (!this.#isStopped) await this.advance();
    } catch (error) {
      // a call that was cut off because the client was closed is no error
      if (!this.#isStopped) this.#options.onError(error);
    }
  }

  /** Runs one round. @throws EtcdError */
  async advance(): Promise<void> {
    const { client } = this.#options;
    const { count, revision } = this.#round;
    const {
      succeeded,
      revision: newest,
      responses,
    } = await client.transaction({
      compare: [{ key: ROUNDS_KEY, version: count }],
      success: [{ op: 'put', key: ROUNDS_KEY, value: Buffer.from(String(revision)) }],
      failure: [{ op: 'range', key: ROUNDS_KEY }],
    });
    if (!succeeded) {
      // another server was first in this round
      const [read] = responses;
      this.#round = { count: (read?.op === 'range' && read.kvs[0]?.version) || 0, revision: newest };
      return;
    }
    this.#round = { count: count + 1, revision: newest };
    if (revision > 0) await client.compact(revision).catch(unlessCompacted);
  }

  /** Ends the rounds, and waits for one under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#underWay;
  }
}

/** Whether somebody else has compacted to a later revision. */
function unlessCompacted(error: unknown): void {
  if (!(error instanceof EtcdError && error.isCompacted)) throw error;
}

/**
 * Has etcd forget the past, as kube-apiserver does and together with it: of all servers of one etcd, whoever first writes the key that counts the rounds
 * compacts to the revision that it saw a round before, so that the past is kept for one interval at least, and two at most.
 */
import type { EtcdClient } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';

/** As kube-apiserver calls it: it stands beside the prefix, not below it. */
const ROUNDS_KEY = 'compact_rev_key';

export interface CompactionOptions {
  readonly client: EtcdClient;
  /** milliseconds, > 0 */
  readonly interval: number;
  /** Must not throw. */
  readonly onError: (error: unknown) => void;
}

/** Where the rounds stand. */
interface Round {
  /** how often the key was written */
  readonly count: number;
  /** the newest revision then; 0: not known yet */
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
    this.#timer = setInterval(() => {
      this.#underWay = this.#underWay.then(() => this.#advanceUnlessStopped());
    }, options.interval).unref();
  }

  async #advanceUnlessStopped(): Promise<void> {
    try {
      if (!this.#isStopped) await this.advance();
    } catch (error) {
      // what the end of its client cuts off is no error
      if (!this.#isStopped) this.#options.onError(error);
    }
  }

  /** One round. @throws EtcdError */
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
      // another server has this round
      const [read] = responses;
      this.#round = { count: (read?.op === 'range' && read.kvs[0]?.version) || 0, revision: newest };
      return;
    }
    this.#round = { count: count + 1, revision: newest };
    if (revision > 0) await client.compact(revision).catch(unlessCompacted);
  }

  /** Waits for a round under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#underWay;
  }
}

/** Somebody else has compacted to a later revision. */
function unlessCompacted(error: unknown): void {
  if (!(error instanceof EtcdError && error.isCompacted)) throw error;
}

import type { Environment } from '../tables/environment.ts';
import { MOST_COMMIT_BYTES } from '../write-ahead-log/log-layout.ts';
import { explainFailure, inDoubt } from './failure.ts';
import { Batch, runWithState, Task, type Work } from './write-batch.ts';

/** The milliseconds for which work for waiting writes may occupy the event loop. Writes within that time share a transaction, or a flush. */
const BATCH_MILLISECONDS = 4;
/** The number of waiting writes above which they become one transaction of LMDB instead of commits of the write-ahead log. */
const MOST_DEFERRED = 16;

/** The most milliseconds until LMDB gets deferred writes, unless LMDB cannot be written. */
const DEFERRED_MILLISECONDS = 1_000;
/** The milliseconds until the next attempt if LMDB could not be written. */
const RETRY_MILLISECONDS = 1_000;
/** The milliseconds until the next attempt if the write-ahead log could not be written. */
const DEFERRING_AGAIN_MILLISECONDS = 10_000;
/** The most bytes of a value that may be deferred: with its keys and counters it fits into one commit of the write-ahead log. */
export const MOST_DEFERRED_BYTES = MOST_COMMIT_BYTES / 2;

export interface WriterOptions {
  readonly environment: Environment;
  readonly directory: string;
  /** whether writes that are deferrable may go to the write-ahead log first */
  readonly defers: boolean;
  /** called with each new reason for which the write-ahead log could not be written; it is tried again some time later */
  readonly deferralEnded: (reason: unknown) => void;
  /** called with each new reason for which LMDB could not be written, and with undefined when it can be written again */
  readonly troubled: (reason: Error | undefined) => void;
  /** called once with the reason for which nothing can be written any more, after all waiting writers were told */
  readonly ended: (reason: Error) => void;
  /** called after every batch that has reached the disk, and after its writers were told */
  readonly committed: () => void;
}

/**
 * The write side of one process. Work is queued. When a write transaction has LMDB's lock, it runs all work that has come by then, and while it is flushed the
 * work of the next one is queued. So the more writers there are, the fewer flushes each of them costs.
 *
 *   submit -> queued -> running (event loop, inside the transaction) -> committing (write and flush, in a thread) -> settled
 *
 * Where few deferrable writes are waiting, the way is shorter: their work runs without a transaction and is flushed to the write-ahead log.
 */
export class Writer {
  readonly #options: WriterOptions;
  readonly #environment: Environment;
  readonly #underWay = new Set<Promise<void>>();
  /** number of transactions of LMDB that are under way */
  #transactions = 0;
  #defers: boolean;
  #queue: Task<unknown>[] = [];
  /** a transaction, or a commit of the log, will run what is queued */
  #scheduled = false;
  /** why no more work is taken; undefined: it is */
  #refusal: Error | undefined;
  /** nothing can be written any more: work that was taken is refused too */
  #hasEnded = false;
  /** a batch is being flushed to the write-ahead log; work that is scheduled meanwhile goes on behind it */
  #flushing = false;
  #settling: NodeJS.Timeout | undefined;
  #deferringAgain: NodeJS.Timeout | undefined;
  /** message of the last failure of LMDB, and of the write-ahead log, until they work again */
  #trouble: string | undefined;
  #logTrouble: string | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#environment = options.environment;
    this.#defers = options.defers;
    // LMDB may not have taken deferred writes of an earlier process when the file was opened
    if (options.environment.deferred.isOn) this.#settleSoon();
  }

  /**
   * @param deferrable whether the work makes just one revision, of `MOST_DEFERRED_BYTES` at most, or throws
   * @param over called once, before the promise settles: with the result of `work`, or without it where the write failed or nobody knows. Must not throw
   * @returns the result of `work`, when the write is on the disk and visible
   */
  submit<T>(work: Work<T>, deferrable = false, over: (result?: T) => void = () => {}): Promise<T> {
    if (this.#refusal !== undefined) {
      over();
      return Promise.reject(this.#refusal);
    }
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(new Task<T>(work, deferrable, { over, resolve, reject }) as Task<unknown>);
      this.#schedule();
    });
  }

  /** Waits for work that was submitted, and refuses more. */
  async close(): Promise<void> {
    this.#refusal ??= new Error('the store is closed');
    clearTimeout(this.#settling);
    clearTimeout(this.#deferringAgain);
    // after the end a transaction that LMDB did not begin is never over
    while (!this.#environment.hasEnded && (this.#underWay.size > 0 || this.#queue.length > 0)) {
      await Promise.all(this.#underWay);
      await new Promise(setImmediate);
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#hasEnded) return;
    this.#scheduled = true;
    if (!this.#defers) this.#track(this.#transact());
    // behind all requests of this turn of the event loop, which may bring other writes
    else if (!this.#flushing) setImmediate(() => this.#commitQueued(true));
  }

  /** @param isFirst whether no other write is under way */
  #commitQueued(isFirst = false): void {
    if (this.#flushing || this.#hasEnded) return;
    const isDeferrable = this.#transactions === 0 && this.#queue.length <= MOST_DEFERRED && this.#queue.every((task) => task.deferrable);
    if (!isDeferrable) return this.#track(this.#transact());
    try {
      if (this.#environment.deferred.isFull) this.#settleNow();
    } catch (error) {
      return this.#track(this.#fail(new Batch(), error));
    }
    const committing = this.#commitAhead(isFirst && this.#queue.length === 1);
    if (committing !== undefined) this.#track(committing);
  }

  /** @param isLone whether it is one write, while no other one is under way */
  #commitAhead(isLone: boolean): void | Promise<void> {
    const batch = new Batch();
    const failed = (error: unknown): void | Promise<void> => {
      this.#flushing = false;
      return this.#commitOtherwise(batch, error);
    };
    this.#flushing = true;
    let flushing: Promise<void> | undefined;
    try {
      this.#collect(batch);
      flushing = this.#environment.deferred.flush(isLone);
    } catch (error) {
      return failed(error);
    }
    if (flushing === undefined) return this.#flushed(batch);
    return flushing.then(() => this.#flushed(batch), failed);
  }

  #flushed(batch: Batch): void {
    this.#flushing = false;
    this.#logTrouble = undefined;
    const waits = this.#scheduled;
    this.#settle(batch);
    this.#settleSoon();
    if (!waits) return;
    // at once, so that the next flush runs while the answers to this one are sent
    if (this.#environment.deferred.isFull) setImmediate(() => this.#commitQueued());
    else this.#commitQueued();
  }

  /** Runs queued work. Each task becomes a commit of the write-ahead log, which is not flushed yet. */
  #collect(batch: Batch): void {
    const { deferred, tables } = this.#environment;
    this.#runQueued(batch, (task) => {
      deferred.collect(() =>
        tables.read(() => {
          const before = tables.state().revision;
          batch.run(() => runWithState(tables, (state) => task.run(tables, state)));
          return batch.revision > before ? batch.revision : undefined;
        }),
      );
      return !deferred.isFull;
    });
  }

  /** Fails the batch where its work has failed. Where the write-ahead log cannot be written, LMDB gets this batch, and all others for a while. */
  #commitOtherwise(batch: Batch, error: unknown): void | Promise<void> {
    if (batch.thrown !== undefined) return this.#fail(batch, error);
    this.#deferLater(error);
    for (const task of batch.tasks) task.loggedInVain();
    this.#environment.tables.recent.forget();
    this.#queue.unshift(...batch.tasks);
    this.#scheduled = true;
    return this.#transact();
  }

  #deferLater(error: unknown): void {
    this.#defers = false;
    this.#deferringAgain = setTimeout(() => {
      this.#defers = true;
    }, DEFERRING_AGAIN_MILLISECONDS).unref();
    const trouble = String(error);
    if (this.#logTrouble === trouble) return;
    this.#logTrouble = trouble;
    this.#options.deferralEnded(error);
  }

  /** Hands deferred writes to LMDB: at once where they are many, and soon where they are few. */
  #settleSoon(): void {
    const { deferred } = this.#environment;
    if (deferred.isFull) setImmediate(() => this.#settleDeferred());
    else if (deferred.isPending) this.#settling ??= setTimeout(() => this.#settleDeferred(), DEFERRED_MILLISECONDS).unref();
  }

  #settleDeferred(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    if (this.#refusal !== undefined) return;
    try {
      this.#settleNow();
    } catch (error) {
      // the next writer gets the error; readers see deferred writes together with what LMDB has
      this.#settling ??= setTimeout(() => this.#settleDeferred(), RETRY_MILLISECONDS).unref();
      void this.#explain(error, undefined);
    }
  }

  #settleNow(): void {
    const { deferred } = this.#environment;
    const wasStuck = deferred.isStuck;
    deferred.settle();
    if (wasStuck) this.#works();
  }

  #track(work: Promise<void>): void {
    const over = (): void => void this.#underWay.delete(tracked);
    const tracked: Promise<void> = work.then(over, (error) => {
      over();
      throw error;
    });
    this.#underWay.add(tracked);
  }

  async #transact(): Promise<void> {
    const batch = new Batch();
    this.#transactions++;
    try {
      await this.#environment.transaction(() => this.#runTransaction(batch));
    } catch (error) {
      return this.#fail(batch, error);
    } finally {
      this.#transactions--;
    }
    this.#works();
    this.#settle(batch);
  }

  /** Reports the error of a batch. @returns the error that its writers get */
  async #explain(error: unknown, thrown: unknown): Promise<Error> {
    const { reason, final } = await explainFailure(error, thrown, this.#environment, this.#options.directory);
    if (final) {
      this.#end(reason);
    } else if (reason.message !== this.#trouble) {
      this.#trouble = reason.message;
      this.#options.troubled(reason);
    }
    return reason;
  }

  #end(reason: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#refusal = reason;
    this.#reject(this.#queue.splice(0), reason);
    setImmediate(() => this.#options.ended(reason));
  }

  #works(): void {
    if (this.#trouble === undefined) return;
    this.#trouble = undefined;
    this.#options.troubled(undefined);
  }

  #settle({ tasks, revision }: Batch): void {
    this.#environment.tables.recent.confirm(revision);
    for (const task of tasks) task.settle();
    this.#options.committed();
  }

  async #fail({ tasks, thrown }: Batch, error: unknown): Promise<void> {
    const hasBegun = tasks.length > 0;
    if (!hasBegun) {
      tasks.push(...this.#queue.splice(0));
      this.#scheduled = false;
    }
    this.#environment.tables.recent.forget();
    const reason = await this.#explain(error, thrown);
    const isInDoubt = hasBegun && thrown === undefined && this.#environment.hasEnded;
    this.#reject(tasks, isInDoubt ? inDoubt(reason) : reason);
  }

  /** Of what the log may have all the same nobody knows whether it was written. */
  #reject(tasks: readonly Task<unknown>[], reason: Error): void {
    const { isInDoubt } = this.#environment.deferred;
    for (const task of tasks) task.reject(isInDoubt && task.mayBeLogged ? inDoubt(reason) : reason);
  }

  /** Runs queued work inside a write transaction. */
  #runTransaction(batch: Batch): void {
    const { tables } = this.#environment;
    batch.run(() =>
      runWithState(tables, (state) =>
        this.#runQueued(batch, (task) => {
          task.run(tables, state);
          return true;
        }),
      ),
    );
  }

  /** Moves tasks from the queue to the batch, and runs them. @param run returns whether there is room for more */
  #runQueued(batch: Batch, run: (task: Task<unknown>) => boolean): void {
    const { tasks } = batch;
    const queue = this.#queue;
    const deadline = performance.now() + BATCH_MILLISECONDS;
    try {
      while (tasks.length < queue.length) {
        const task = queue[tasks.length] as Task<unknown>;
        tasks.push(task);
        if (!run(task) || performance.now() >= deadline) break;
      }
    } finally {
      this.#queue = queue.slice(tasks.length);
      this.#scheduled = false;
      // not at once: a transaction that is scheduled inside the callback of another one would join that one
      if (this.#queue.length > 0) setImmediate(() => this.#schedule());
    }
  }
}

import { StorageError } from '../errors.ts';
import type { State } from './codecs.ts';
import type { Environment } from './environment.ts';
import { explainFailure, inDoubt } from './failure.ts';
import { MOST_COMMIT_BYTES } from './log-layout.ts';
import type { Tables } from './tables.ts';

/** What runs inside a write transaction. A StorageError that it throws must come before its first write; any other error stops the writer. */
type Work<T> = (tables: Tables, state: State) => T;

/** Writes that wait share a transaction, or a flush, for as long as they have held the event loop no longer than this. */
const BATCH_MILLISECONDS = 4;
/** Writes that wait at most, to be left to the write-ahead log: of more LMDB makes one transaction. */
const MOST_DEFERRED = 16;

/** Milliseconds at most for which LMDB lacks what is deferred, unless it cannot take it. */
const DEFERRED_MILLISECONDS = 1_000;
/** Milliseconds until LMDB is tried again, when it could not take that. */
const RETRY_MILLISECONDS = 1_000;
/** Milliseconds until the write-ahead log is tried again, when it could not be written. */
const DEFERRING_AGAIN_MILLISECONDS = 10_000;
/** Of a value: with its keys and counters it stays below what one commit of the write-ahead log may take. */
export const MOST_DEFERRED_BYTES = MOST_COMMIT_BYTES / 2;

export interface WriterOptions {
  readonly environment: Environment;
  readonly directory: string;
  /** whether what is deferrable may reach the disk before LMDB has it */
  readonly defers: boolean;
  /** for each new reason: the write-ahead log could not be written; it is tried again some time later */
  readonly deferralEnded: (reason: unknown) => void;
  /** for each new reason: LMDB could not be written; undefined: it can again */
  readonly troubled: (reason: Error | undefined) => void;
  /** why nothing can be written any more; once, when all that waited for it has been told */
  readonly ended: (reason: Error) => void;
  /** after every transaction that reached the disk, once its writers are told */
  readonly committed: () => void;
}

/**
 * The write side of one process. Work is queued; a write transaction, once it has LMDB's lock, runs all work that has come by then, and the
 * flush of one overlaps with the queueing of the next. So the more writers, the fewer flushes for each.
 *
 *   submit -> queued -> running (event loop, inside the transaction) -> committing (write and flush, in a thread) -> settled
 *
 * Where few write, and what they write is deferrable, the way is shorter: their work runs without a transaction, and is flushed to the write-ahead log.
 */
export class Writer {
  readonly #options: WriterOptions;
  readonly #environment: Environment;
  readonly #underWay = new Set<Promise<void>>();
  /** of LMDB, under way */
  #transactions = 0;
  #defers: boolean;
  #queue: Task<unknown>[] = [];
  /** a transaction is on its way that will run what is queued */
  #scheduled = false;
  /** why no more work is taken */
  #refusal: Error | undefined;
  /** what was taken is not done either */
  #hasEnded = false;
  /** a batch is on its way to the write-ahead log; when it is there, what was scheduled meanwhile goes on */
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
    // what LMDB could not take when it was opened
    if (options.environment.deferred.isOn) this.#settleSoon();
  }

  /**
   * @param deferrable work that makes one revision or throws, of `MOST_DEFERRED_BYTES` at most
   * @param over called once, before the promise is settled: with what `work` returned, or without anything where that came to nothing, or nobody knows. Must not throw
   * @returns what `work` returned, once it is on the disk and visible
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

  /** Waits for what was submitted; refuses more. */
  async close(): Promise<void> {
    this.#refusal ??= new Error('the store is closed');
    clearTimeout(this.#settling);
    clearTimeout(this.#deferringAgain);
    // what LMDB did not begin any more is never over
    while (!this.#environment.hasEnded && (this.#underWay.size > 0 || this.#queue.length > 0)) {
      await Promise.all(this.#underWay);
      await new Promise(setImmediate);
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#hasEnded) return;
    this.#scheduled = true;
    if (!this.#defers) this.#track(this.#transact());
    // when all requests that this turn of the event loop brings have been read: other writes may come with them
    else if (!this.#flushing) setImmediate(() => this.#commitQueued(true));
  }

  /** @param isFirst nobody waits for the answer of another write */
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

  /** @param isLone of one write, while nobody waits for another one */
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
    // at once: it reaches the disk while what was written is answered
    if (this.#environment.deferred.isFull) setImmediate(() => this.#commitQueued());
    else this.#commitQueued();
  }

  /** Runs queued work, each of which is a commit of the write-ahead log, and not on the disk yet. */
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

  /** The work itself failed, or the write-ahead log cannot be written: then it is left to LMDB, and so is what follows for a while. */
  #commitOtherwise(batch: Batch, error: unknown): void | Promise<void> {
    if (batch.thrown !== undefined) return this.#fail(batch, error);
    this.#deferLater(error);
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

  /** Has LMDB get what is deferred, before it is much and before long. */
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
      // who writes next is told, and who reads sees it with what LMDB has
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

  /** @returns the reason, for the writers of the transaction */
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
    for (const task of this.#queue.splice(0)) task.reject(reason);
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
    const told = isInDoubt ? inDoubt(reason) : reason;
    for (const task of tasks) task.reject(told);
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

  /** Adds what it takes from the queue to the batch. @param run returns whether there is room for more */
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
      // not here: work that is scheduled inside a transaction callback joins that same transaction
      if (this.#queue.length > 0) setImmediate(() => this.#schedule());
    }
  }
}

/** What one transaction, or one flush, has. */
class Batch {
  readonly tasks: Task<unknown>[] = [];
  /** the newest one when they had run */
  revision = 0;
  /** what ended it, where that was no error of LMDB's */
  thrown: unknown;

  /** @param work returns the newest revision then */
  run(work: () => number): void {
    try {
      this.revision = work();
    } catch (error) {
      this.thrown = error;
      throw error;
    }
  }
}

/** Who waits for a task. */
interface Outcome<T> {
  readonly over: (result?: T) => void;
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
}

class Task<T> {
  readonly deferrable: boolean;
  readonly #work: Work<T>;
  readonly #outcome: Outcome<T>;
  #result: T | undefined;
  #refused: StorageError | undefined;

  constructor(work: Work<T>, deferrable: boolean, outcome: Outcome<T>) {
    this.#work = work;
    this.deferrable = deferrable;
    this.#outcome = outcome;
  }

  /** Again where what it has written came to nothing. */
  run(tables: Tables, state: State): void {
    this.#refused = undefined;
    try {
      this.#result = this.#work(tables, state);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#refused = error;
    }
  }

  settle(): void {
    if (this.#refused !== undefined) return this.reject(this.#refused);
    const result = this.#result as T;
    this.#outcome.over(result);
    this.#outcome.resolve(result);
  }

  reject(error: unknown): void {
    this.#outcome.over();
    this.#outcome.reject(error);
  }
}

/** @returns the newest revision then */
function runWithState(tables: Tables, run: (state: State) => void): number {
  const before = tables.state();
  const state = { ...before };
  run(state);
  if (changed(before, state)) tables.putState(state);
  return state.revision;
}

const changed = (before: State, after: State): boolean =>
  before.revision !== after.revision ||
  before.compacted !== after.compacted ||
  before.liveBytes !== after.liveBytes ||
  before.historyBytes !== after.historyBytes ||
  before.posted !== after.posted;

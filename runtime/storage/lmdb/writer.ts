import { StorageError } from '../errors.ts';
import type { State } from './codecs.ts';
import { explainFailure } from './failure.ts';
import { LoneCommits } from './lone-commits.ts';
import type { Environment, Tables } from './tables.ts';
import { MOST_COMMIT_BYTES } from './write-ahead-log.ts';

/** What runs inside a write transaction. A StorageError that it throws must come before its first write; any other error stops the writer. */
type Work<T> = (tables: Tables, state: State) => T;

/** Writes that wait share a transaction for as long as it has held the event loop no longer than this. */
const TRANSACTION_MILLISECONDS = 4;

/** Milliseconds at most for which LMDB lacks what is deferred, unless it cannot take it. */
const DEFERRED_MILLISECONDS = 50;
/** Milliseconds until LMDB is tried again, when it could not take that. */
const RETRY_MILLISECONDS = 1_000;
/** Of a value: with its keys and counters it stays below what one commit of the write-ahead log may take. */
export const MOST_DEFERRED_BYTES = MOST_COMMIT_BYTES / 2;

export interface WriterOptions {
  readonly environment: Environment;
  readonly directory: string;
  /** whether a write that comes alone is committed on this thread, see `LoneCommits` */
  readonly commitsLoneWrites: boolean;
  /** after every transaction that reached the disk, once its writers are told */
  readonly committed: () => void;
}

/**
 * The write side of one process. Work is queued; a write transaction, once it has LMDB's lock, runs all work that has come by then, and the
 * flush of one overlaps with the queueing of the next. So the more writers, the fewer flushes for each.
 *
 *   submit -> queued -> running (event loop, inside the transaction) -> committing (write and flush, in a thread) -> settled
 *
 * A write that comes alone may be committed without the thread, whose hand-overs take as long as its work, and what is deferrable without LMDB.
 */
export class Writer {
  readonly #options: WriterOptions;
  readonly #environment: Environment;
  readonly #transactions = new Set<Promise<void>>();
  #lone: LoneCommits | undefined;
  #queue: Task[] = [];
  /** a transaction is on its way that will run what is queued */
  #scheduled = false;
  /** why no more work is taken */
  #refusal: Error | undefined;
  #settling: NodeJS.Timeout | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#environment = options.environment;
    this.#lone = options.commitsLoneWrites ? new LoneCommits() : undefined;
  }

  /**
   * @param deferrable work that makes one revision or throws, of `MOST_DEFERRED_BYTES` at most
   * @returns what `work` returned, once it is on the disk and visible
   */
  submit<T>(work: Work<T>, deferrable = false): Promise<T> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(new Task(work, deferrable, resolve as (result: unknown) => void, reject));
      this.#schedule();
    });
  }

  /** Waits for what was submitted; refuses more. */
  async close(): Promise<void> {
    this.#refusal ??= new Error('the store is closed');
    clearTimeout(this.#settling);
    while (this.#transactions.size > 0 || this.#queue.length > 0) {
      await Promise.all(this.#transactions);
      await new Promise(setImmediate);
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const lone = this.#transactions.size === 0 && this.#lone?.isDue() === true ? this.#lone : undefined;
    if (lone === undefined) this.#track(this.#transact(new Batch()));
    // when all requests that this turn of the event loop brings have been read: another write may come with them
    else setImmediate(() => this.#commitAlone(lone));
  }

  #commitAlone(lone: LoneCommits): void {
    const batch = new Batch();
    const [task, other] = this.#queue;
    if (task === undefined || other !== undefined || this.#transactions.size > 0) return this.#track(this.#transact(batch));
    try {
      if (this.#environment.deferred.isFull) this.#environment.deferred.settle();
    } catch (error) {
      return this.#track(this.#fail(batch, error));
    }
    try {
      lone.commit(() => {
        if (task.deferrable) this.#defer(batch);
        else this.#environment.transactionSync(() => this.#runBatch(batch));
      });
    } catch (error) {
      if (task.deferrable && batch.thrown === undefined) return this.#commitInstead(batch);
      return this.#track(this.#fail(batch, error));
    }
    this.#settle(batch);
    this.#settleSoon();
  }

  #defer(batch: Batch): void {
    const { deferred, tables } = this.#environment;
    deferred.commit(() =>
      tables.read(() => {
        const before = tables.state().revision;
        this.#runBatch(batch);
        return batch.revision > before ? batch.revision : undefined;
      }),
    );
  }

  /** The write-ahead log cannot be written: its work is left to LMDB, and so is all that follows. */
  #commitInstead(batch: Batch): void {
    this.#lone = undefined;
    this.#environment.tables.recent.forget();
    this.#queue.unshift(...batch.tasks);
    this.#scheduled = true;
    this.#track(this.#transact(new Batch()));
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
      this.#environment.deferred.settle();
    } catch {
      // what reads or writes next is told
      this.#settling ??= setTimeout(() => this.#settleDeferred(), RETRY_MILLISECONDS).unref();
    }
  }

  #track(work: Promise<void>): void {
    const transaction = work.finally(() => this.#transactions.delete(transaction));
    this.#transactions.add(transaction);
  }

  async #transact(batch: Batch): Promise<void> {
    try {
      await this.#environment.transaction(() => this.#runBatch(batch));
    } catch (error) {
      return this.#fail(batch, error);
    }
    this.#settle(batch);
  }

  #settle({ tasks, revision }: Batch): void {
    this.#environment.tables.recent.confirm(revision);
    for (const task of tasks) task.settle();
    this.#options.committed();
  }

  async #fail({ tasks, thrown }: Batch, error: unknown): Promise<void> {
    if (tasks.length === 0) {
      // it failed before it had begun
      tasks.push(...this.#queue.splice(0));
      this.#scheduled = false;
    }
    this.#environment.tables.recent.forget();
    const { reason, final } = await explainFailure(error, thrown, this.#environment.tables, this.#options.directory);
    if (final) tasks.push(...this.#refuse(reason));
    for (const task of tasks) task.reject(reason);
  }

  #runBatch(batch: Batch): void {
    try {
      batch.revision = this.#run(batch.tasks);
    } catch (error) {
      batch.thrown = error;
      throw error;
    }
  }

  /** Runs queued work inside a write transaction; adds what it took from the queue to `tasks`. @returns the newest revision then */
  #run(tasks: Task[]): number {
    const { tables } = this.#environment;
    const queue = this.#queue;
    try {
      const before = tables.state();
      const state = { ...before };
      const deadline = performance.now() + TRANSACTION_MILLISECONDS;
      while (tasks.length < queue.length) {
        const task = queue[tasks.length] as Task;
        tasks.push(task);
        task.run(tables, state);
        if (performance.now() >= deadline) break;
      }
      if (changed(before, state)) tables.putState(state);
      return state.revision;
    } finally {
      this.#queue = queue.slice(tasks.length);
      this.#scheduled = false;
      // not here: work that is scheduled inside a transaction callback joins that same transaction
      if (this.#queue.length > 0) setImmediate(() => this.#schedule());
    }
  }

  /** @returns the queue, which nothing will run any more */
  #refuse(reason: Error): Task[] {
    this.#refusal = reason;
    return this.#queue.splice(0);
  }
}

/** What one transaction runs. */
class Batch {
  readonly tasks: Task[] = [];
  /** the newest one when they had run */
  revision = 0;
  /** what ended it, where that was no error of LMDB's */
  thrown: unknown;
}

class Task {
  readonly deferrable: boolean;
  readonly reject: (error: unknown) => void;
  readonly #work: Work<unknown>;
  readonly #resolve: (result: unknown) => void;
  #result: unknown;
  #refused: StorageError | undefined;

  constructor(work: Work<unknown>, deferrable: boolean, resolve: (result: unknown) => void, reject: (error: unknown) => void) {
    this.#work = work;
    this.deferrable = deferrable;
    this.#resolve = resolve;
    this.reject = reject;
  }

  run(tables: Tables, state: State): void {
    try {
      this.#result = this.#work(tables, state);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#refused = error;
    }
  }

  settle(): void {
    if (this.#refused === undefined) this.#resolve(this.#result);
    else this.reject(this.#refused);
  }
}

const changed = (before: State, after: State): boolean =>
  before.revision !== after.revision ||
  before.compacted !== after.compacted ||
  before.liveBytes !== after.liveBytes ||
  before.historyBytes !== after.historyBytes ||
  before.posted !== after.posted;

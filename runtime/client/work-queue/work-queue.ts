/** A queue of keys to be worked on. A key waits only once and is never processed twice at a time; failed keys are retried later and later. */
import { setImmediate as nextRound } from 'node:timers/promises';
import { type Clock, PROCESS_CLOCK } from './clock.ts';
import { type RetryLimitOptions, RetryLimits } from './retry-limits.ts';

export interface WorkQueueOptions {
  /** the most keys that are processed at a time */
  readonly workers: number;
  /** Does whatever the key needs now. If it throws, the key is retried. */
  process(key: string): Promise<void>;
  /** clock of the waits; absent: that of the process */
  readonly clock?: Clock;
  /** is called with each failure; what it throws becomes a warning of the process */
  failed(key: string, error: unknown): void;
  readonly retries?: RetryLimitOptions;
  /** is told what happens to keys, for example for metrics */
  readonly observer?: WorkQueueObserver;
  /** resolves when the queue may work for some milliseconds; absent: in the next round of the event loop */
  readonly turn?: () => Promise<void>;
}

/** Is told what happens to keys. */
export interface WorkQueueObserver {
  /** The key begins to wait; it may still be processed too. */
  added(key: string): void;
  begun(key: string): void;
  ended(key: string): void;
  /** A failed key will wait again later. */
  retried(): void;
  /** All waiting keys were dropped. */
  stopped(): void;
}

/** Milliseconds of work after which the event loop gets a turn, so that requests are answered. */
const TURN = 4;

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  readonly #ready = new Set<string>();
  readonly #running = new Set<string>();
  /** keys that were added while they were processed */
  readonly #again = new Set<string>();
  readonly #retries: RetryLimits;
  readonly #delayed = new Map<string, { readonly due: number; cancel(): void }>();
  readonly #workers = new Set<Promise<void>>();
  #turnBegan = 0;
  #stopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? PROCESS_CLOCK;
    this.#retries = new RetryLimits(options.retries ?? {}, this.#clock);
  }

  /** How many keys wait, are processed, or will be retried. */
  get size(): number {
    return this.#ready.size + this.#running.size + this.#delayed.size;
  }

  add(key: string): void {
    if (this.#stopped) return;
    const waiting = this.#running.has(key) ? this.#again : this.#ready;
    if (!waiting.has(key)) this.#options.observer?.added(key);
    waiting.add(key);
    this.#startWorkers();
  }

  #startWorkers(): void {
    if (this.#workers.size < this.#options.workers && this.#workers.size < this.#ready.size) this.#startWorker();
  }

  /** Adds a key after that time. If the key is to be added earlier already, that stays. */
  addAfter(key: string, milliseconds: number): void {
    if (this.#stopped) return;
    const due = this.#clock.now() + milliseconds;
    const waiting = this.#delayed.get(key);
    if (waiting !== undefined) {
      if (waiting.due <= due) return;
      waiting.cancel();
    }
    const cancel = this.#clock.after(milliseconds, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { due, cancel });
  }

  /** How many times in a row the key has failed. */
  failuresOf(key: string): number {
    return this.#retries.failuresOf(key);
  }

  /** Resolves when no key waits or is processed. Keys that will be retried later may remain. */
  async idle(): Promise<void> {
    while (this.#workers.size > 0) await Promise.all(this.#workers);
  }

  /** Begins no more work, and waits for the keys that are being processed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    this.#ready.clear();
    this.#again.clear();
    this.#options.observer?.stopped();
    await Promise.all(this.#workers);
  }

  #startWorker(): void {
    const worker = this.#work().finally(() => {
      this.#workers.delete(worker);
      // A key may have been added when the last worker was about to end.
      if (this.#ready.size > 0 && this.#workers.size < this.#options.workers) this.#startWorker();
    });
    this.#workers.add(worker);
  }

  async #work(): Promise<void> {
    // The caller goes on first, so that the keys of a burst are processed together.
    await this.#turn();
    this.#turnBegan = performance.now();
    for (const key of this.#ready) {
      this.#ready.delete(key);
      await this.#processOne(key);
      if (performance.now() - this.#turnBegan <= TURN) continue;
      await this.#turn();
      this.#turnBegan = performance.now();
    }
  }

  async #processOne(key: string): Promise<void> {
    const { observer } = this.#options;
    this.#running.add(key);
    observer?.begun(key);
    try {
      await this.#options.process(key);
      this.#retries.forget(key);
    } catch (error) {
      this.#retry(key, error);
    }
    this.#running.delete(key);
    observer?.ended(key);
    if (!this.#again.delete(key) || this.#stopped) return;
    this.#ready.add(key);
    this.#startWorkers();
  }

  #retry(key: string, error: unknown): void {
    if (this.#stopped) return;
    try {
      this.#options.failed(key, error);
    } catch (failure) {
      // the key is retried even if reporting the failure fails
      process.emitWarning(failure instanceof Error ? failure : String(failure));
    }
    this.#options.observer?.retried();
    this.addAfter(key, this.#retries.after(key));
  }

  #turn(): Promise<unknown> {
    return this.#options.turn === undefined ? nextRound() : this.#options.turn();
  }
}

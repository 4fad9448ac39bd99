/** Keys that wait for work: each once, none twice at a time, what failed again later and later. */
import { setImmediate as nextRound } from 'node:timers/promises';
import { type Clock, PROCESS_CLOCK } from './clock.ts';
import { type RetryLimitOptions, RetryLimits } from './retry-limits.ts';

export interface WorkQueueOptions {
  /** keys under way at once */
  readonly workers: number;
  /** Does what a key needs now, whatever made it wait. What it throws makes the key wait again. */
  process(key: string): Promise<void>;
  /** by which keys wait; absent: that of the process */
  readonly clock?: Clock;
  /** told of each failure; what it throws is a warning of the process */
  failed(key: string, error: unknown): void;
  readonly retries?: RetryLimitOptions;
  /** absent: nobody is told */
  readonly observer?: WorkQueueObserver;
  /** resolves when it is the queue's turn to work for some milliseconds; absent: with the next round of the event loop */
  readonly turn?: () => Promise<void>;
}

/** Hears what becomes of keys. */
export interface WorkQueueObserver {
  /** It waits from now on; it may be under way still. */
  added(key: string): void;
  begun(key: string): void;
  ended(key: string): void;
  /** One that has failed is to wait again, later. */
  retried(): void;
  /** What waits is forgotten. */
  stopped(): void;
}

/** Milliseconds of work after which other requests have their turn. */
const TURN = 4;

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  readonly #ready = new Set<string>();
  readonly #running = new Set<string>();
  /** added while they were under way */
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

  /** Keys that wait, are under way, or will be tried again. */
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

  /** Adds a key after that time, or sooner where it waits for an earlier one. */
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

  /** Failures in a row that the key has had. */
  failuresOf(key: string): number {
    return this.#retries.failuresOf(key);
  }

  /** Resolves when no key waits or is under way; those that are tried again later may remain. */
  async idle(): Promise<void> {
    while (this.#workers.size > 0) await Promise.all(this.#workers);
  }

  /** Waits for what is under way; nothing more begins. */
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
      // A key may have come when the last worker was about to leave.
      if (this.#ready.size > 0 && this.#workers.size < this.#options.workers) this.#startWorker();
    });
    this.#workers.add(worker);
  }

  async #work(): Promise<void> {
    // Whoever adds keys goes on first: a burst of them is one turn's work.
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
      // the key is tried again whatever becomes of telling so
      process.emitWarning(failure instanceof Error ? failure : String(failure));
    }
    this.#options.observer?.retried();
    this.addAfter(key, this.#retries.after(key));
  }

  #turn(): Promise<unknown> {
    return this.#options.turn === undefined ? nextRound() : this.#options.turn();
  }
}

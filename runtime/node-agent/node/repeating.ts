/** Repeats some work until it is stopped: after the pause that the work asks for, or after a shorter one if it failed. */
import type { Clock } from '../../client/work-queue/clock.ts';

export interface RepeatingOptions {
  readonly clock: Clock;
  /** Does one round; the signal is aborted by `stop`. @returns the milliseconds until the next round */
  readonly work: (signal: AbortSignal) => Promise<number>;
  /** the pauses after failed rounds */
  readonly retries: RetryPauses;
  /** Is called with the error of each failed round. */
  readonly failed: (error: unknown) => void;
}

/** The pauses after failures, in milliseconds: each is twice as long as the one before, and a round that succeeds starts again with the first. */
export interface RetryPauses {
  readonly first: number;
  readonly longest: number;
}

export class Repeating {
  readonly #options: RepeatingOptions;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #isWanted = false;

  constructor(options: RepeatingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Begins the next round at once, or right behind the one under way. */
  soon(): void {
    this.#isWanted = true;
    this.#wake?.();
  }

  /** Aborts the round under way, and waits for its end. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { work, retries, failed } = this.#options;
    const { signal } = this.#ending;
    let pause = retries.first;
    while (!signal.aborted) {
      this.#isWanted = false;
      let next: number;
      try {
        next = await work(signal);
        pause = retries.first;
      } catch (error) {
        if (signal.aborted) return;
        failed(error);
        next = pause;
        pause = Math.min(2 * pause, retries.longest);
      }
      await this.#wait(next);
    }
  }

  async #wait(milliseconds: number): Promise<void> {
    if (this.#isWanted || this.#ending.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const callOff = this.#options.clock.after(milliseconds, resolve);
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
    callOff();
  }
}

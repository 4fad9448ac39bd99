/** Repeats some work until it is stopped: after the pause that the work asks for, or after a shorter one if it failed. */
import type { Clock } from '../../client/work-queue/clock.ts';

export interface RepeatingOptions {
  readonly clock: Clock;
  /** One round. @returns milliseconds until the next one */
  readonly work: (signal: AbortSignal) => Promise<number>;
  /** pauses after failed rounds */
  readonly retries: RetryPauses;
  readonly failed: (error: unknown) => void;
}

/** Milliseconds, doubled with each failure. */
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

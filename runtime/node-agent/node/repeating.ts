/** Work that is done again and again until it is stopped: after a pause where it went well, sooner where it failed. */
import type { Clock } from '../../client/work-queue/clock.ts';

export interface RepeatingOptions {
  readonly clock: Clock;
  /** One round. @returns milliseconds until the next one */
  readonly work: (signal: AbortSignal) => Promise<number>;
  /** of a round that failed */
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

  /** The next round begins at once, or behind the one that is under way. */
  soon(): void {
    this.#isWanted = true;
    this.#wake?.();
  }

  /** Waits for the round under way, which may be aborted. */
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

/** Decides when a failed key is tried again: later after each of its failures, and with a limit for all keys per second. */
import { Rate } from '../timers/rate.ts';
import type { Clock } from './clock.ts';

export interface RetryLimitOptions {
  /** milliseconds before the first retry of a key, doubled with each further one; default 5 */
  readonly first?: number;
  /** the most milliseconds before a retry; default 30,000 */
  readonly longest?: number;
  /** retries of all keys per second on average; absent: no limit */
  readonly perSecond?: number;
  /** retries that may happen at once after a pause; default 100 */
  readonly burst?: number;
}

// Milliseconds until the first retry and until the late ones, which come ever later, and retries of all keys at once.
const FIRST = 5;
const LONGEST = 30_000;
const BURST = 100;
/** After so many failures the time is always the longest one; more doublings would overflow. */
const MOST_DOUBLINGS = 40;

export class RetryLimits {
  readonly #options: RetryLimitOptions;
  readonly #rate: Rate | undefined;
  /** how many times in a row each key has failed */
  readonly #failures = new Map<string, number>();

  constructor(options: RetryLimitOptions, clock: Clock) {
    this.#options = options;
    const { perSecond, burst = BURST } = options;
    this.#rate = perSecond === undefined ? undefined : new Rate(perSecond, burst, () => clock.now());
  }

  /** How many times in a row the key has failed. */
  failuresOf(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Counts a failure. @returns milliseconds until the key may be tried again */
  after(key: string): number {
    const { first = FIRST, longest = LONGEST } = this.#options;
    const failures = this.failuresOf(key);
    this.#failures.set(key, failures + 1);
    return Math.max(Math.min(longest, first * 2 ** Math.min(failures, MOST_DOUBLINGS)), this.#rate?.take() ?? 0);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}

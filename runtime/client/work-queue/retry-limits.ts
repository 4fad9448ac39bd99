/** When a key that failed is tried again: later after each failure of its own, and not many of them in a second. */
import { Rate } from '../timers/rate.ts';
import type { Clock } from './clock.ts';

export interface RetryLimitOptions {
  /** milliseconds before the first retry of a key, doubled with each further one; default 5 */
  readonly first?: number;
  /** milliseconds at most; default 30,000 */
  readonly longest?: number;
  /** retries of all keys in a second, on the average; absent: as many as there are */
  readonly perSecond?: number;
  /** retries at once before that counts; default 100 */
  readonly burst?: number;
}

const FIRST = 5;
const LONGEST = 30_000;
const BURST = 100;
/** Beyond these it is the longest time, whatever the first one is. */
const MOST_DOUBLINGS = 40;

export class RetryLimits {
  readonly #options: RetryLimitOptions;
  readonly #rate: Rate | undefined;
  /** consecutive failures, of keys that have some */
  readonly #failures = new Map<string, number>();

  constructor(options: RetryLimitOptions, clock: Clock) {
    this.#options = options;
    const { perSecond, burst = BURST } = options;
    this.#rate = perSecond === undefined ? undefined : new Rate(perSecond, burst, () => clock.now());
  }

  /** Failures in a row that the key has had. */
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

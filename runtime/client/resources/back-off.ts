/** Computes the time before another attempt: it grows with each failure, and has a random part so that clients do not come back together. */
import { ApiError } from '../objects/api-error.ts';
import { pause } from '../timers/long-timer.ts';

export interface BackOffLimits {
  /** milliseconds after the first failure */
  readonly first: number;
  /** the most milliseconds */
  readonly longest: number;
}

export class BackOff {
  readonly #limits: BackOffLimits;
  #failures = 0;

  constructor(limits: BackOffLimits) {
    this.#limits = limits;
  }

  /** Makes the next failure count as the first one. */
  reset(): void {
    this.#failures = 0;
  }

  /** @returns milliseconds: double those of the failure before, give or take a fifth */
  next(): number {
    const { first, longest } = this.#limits;
    const milliseconds = Math.min(longest, first * 2 ** this.#failures);
    if (milliseconds < longest) this.#failures++;
    return milliseconds * (0.8 + Math.random() * 0.4);
  }

  /** Waits longer if the server has asked for that in the error. @throws the reason of the signal */
  wait(signal?: AbortSignal, error?: unknown): Promise<void> {
    return pause(Math.max(this.next(), error instanceof ApiError ? (error.retryAfter ?? 0) : 0), signal);
  }
}

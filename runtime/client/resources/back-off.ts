/** Computes the time before another attempt: it grows with each failure, and has a random part so that clients do not come back together. */
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

  /** @throws the reason of the signal */
  wait(signal?: AbortSignal): Promise<void> {
    return pause(this.next(), signal);
  }
}

/** How long to wait before something that failed is tried again: longer each time, and never quite as long as others. */
import { pause } from '../timers/long-timer.ts';

export interface BackOffLimits {
  /** milliseconds after the first failure */
  readonly first: number;
  /** milliseconds at most */
  readonly longest: number;
}

export class BackOff {
  readonly #limits: BackOffLimits;
  #failures = 0;

  constructor(limits: BackOffLimits) {
    this.#limits = limits;
  }

  /** What comes now is a first failure again. */
  reset(): void {
    this.#failures = 0;
  }

  /** Milliseconds: double those of the failure before, give or take a fifth. */
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

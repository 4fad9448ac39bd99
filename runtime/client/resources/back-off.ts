/** How long to wait before something that failed is tried again: longer each time, and never quite as long as others. */
import { setTimeout as sleep } from 'node:timers/promises';

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
    const pause = Math.min(longest, first * 2 ** this.#failures);
    if (pause < longest) this.#failures++;
    return pause * (0.8 + Math.random() * 0.4);
  }

  /** @throws the reason of the signal */
  async wait(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await sleep(this.next(), undefined, { ...(signal && { signal }) }).catch(() => {
      throw signal?.reason;
    });
  }
}

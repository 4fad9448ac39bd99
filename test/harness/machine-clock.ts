/** The clocks of this process in the hands of a test: time passes as it says, and the machine's clock is set, as anybody may set it. */
import { mock } from 'node:test';

export const HOUR = 3_600_000;

/** It stands still until the test moves it. */
export class MachineClock {
  readonly #mocks: readonly { restore(): void }[];
  /** milliseconds, whole ones, so that sums of them are exact */
  #elapsed = Math.ceil(performance.now());
  #date = Date.now();

  constructor() {
    this.#mocks = [mock.method(performance, 'now', () => this.#elapsed).mock, mock.method(Date, 'now', () => this.#date).mock];
  }

  /** Both clocks go on. */
  pass(milliseconds: number): void {
    this.#elapsed += milliseconds;
    this.#date += milliseconds;
  }

  /** The machine's clock alone is set. @param milliseconds forward; less than 0: back */
  set(milliseconds: number): void {
    this.#date += milliseconds;
  }

  restore(): void {
    for (const each of this.#mocks) each.restore();
  }
}

/** Runs a test by these clocks. */
export async function withMachineClock(run: (clock: MachineClock) => unknown): Promise<void> {
  const clock = new MachineClock();
  try {
    await run(clock);
  } finally {
    clock.restore();
  }
}

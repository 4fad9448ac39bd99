/** Time of simulated agents: it goes with the machine's, or passes as fast as what is due in it gets done. */
import type { Clock } from '../../runtime/client/work-queue/clock.ts';

interface Timer {
  readonly due: number;
  readonly act: () => void;
}

/** Milliseconds by which time goes on. */
const TICK = 10;
const STEP = 1_000;

export class AgentClock implements Clock {
  #now = 0;
  readonly #timers = new Set<Timer>();
  #onTimer: () => void = () => undefined;

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, act: () => void): () => void {
    const timer = { due: this.#now + milliseconds, act };
    this.#timers.add(timer);
    this.#onTimer();
    return () => void this.#timers.delete(timer);
  }

  /** From now on time goes with the machine's. @returns stops it */
  run(): () => void {
    const begun = performance.now() - this.#now;
    const ticks = setInterval(() => this.#advance(performance.now() - begun), TICK);
    return () => clearInterval(ticks);
  }

  /**
   * Lets so many milliseconds pass, a second at a time: the next one begins when all that was due in the last is done.
   * @param waiting timers that there are when nobody is at work
   */
  async pass(milliseconds: number, waiting: number): Promise<void> {
    for (const end = this.#now + milliseconds; this.#now < end; ) {
      this.#advance(this.#now + STEP);
      await this.#rested(waiting);
    }
  }

  #advance(until: number): void {
    const due = [...this.#timers].filter((timer) => timer.due <= until).sort((a, b) => a.due - b.due);
    for (const timer of due) {
      if (!this.#timers.delete(timer)) continue;
      this.#now = Math.max(this.#now, timer.due);
      timer.act();
    }
    this.#now = until;
  }

  #rested(waiting: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onTimer = () => {
      if (this.#timers.size >= waiting) resolve();
    };
    this.#onTimer();
    return promise;
  }
}

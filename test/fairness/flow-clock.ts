/** Time that tests move. */
import type { FlowClock } from '../../runtime/fairness/flow-clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

export class TestClock implements FlowClock {
  #now = 1_000;
  #order = 0;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, act: () => void): () => void {
    const timer = { at: this.#now + milliseconds, order: this.#order++, act };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Lets so many milliseconds pass, and does what is due in them, in its order. */
  pass(milliseconds: number): void {
    const until = this.#now + milliseconds;
    for (;;) {
      let next: Timer | undefined;
      for (const timer of this.#timers)
        if (timer.at <= until && (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order)))
          next = timer;
      if (next === undefined) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.#now = Math.max(this.#now, next.at);
      next.act();
    }
    this.#now = until;
  }
}

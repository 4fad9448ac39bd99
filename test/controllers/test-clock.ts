/** A clock that stands still until a test moves it. */
import type { DatedClock } from '../../runtime/client/work-queue/clock.ts';

interface Timer {
  readonly due: number;
  readonly act: () => void;
}

export class TestClock implements DatedClock {
  #now: number;
  #set = 0;
  readonly #timers = new Set<Timer>();
  /** delays that were asked for, in order */
  readonly asked: number[] = [];

  /** @param now milliseconds */
  constructor(now = 1_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  date(): number {
    return this.#now + this.#set;
  }

  /** The date alone is set. @param milliseconds forward; less than 0: back */
  set(milliseconds: number): void {
    this.#set += milliseconds;
  }

  after(milliseconds: number, act: () => void): () => void {
    const timer = { due: this.#now + milliseconds, act };
    this.#timers.add(timer);
    this.asked.push(milliseconds);
    return () => void this.#timers.delete(timer);
  }

  /** What is due meanwhile happens at its time. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.act();
    }
    this.#now = end;
  }

  /** Time passes in which nothing can happen, as when a process stands still; what was due happens after it. */
  skip(milliseconds: number): void {
    this.#now += milliseconds;
    this.advance(0);
  }
}

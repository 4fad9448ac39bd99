/** One question to another server that several requests wait for. It is given up when none of them waits any longer. */

import type { TraceParent } from '../contract/trace.ts';

/** Whose end ends the waiting; the signal is looked at only where there is something to wait for. */
export interface Waiting {
  readonly signal: AbortSignal;
  /** for who is asked; absent: they are told of no trace */
  readonly traceParent?: TraceParent | undefined;
}

export class SharedAnswer<T> {
  readonly #answer: Promise<T>;
  readonly #controller = new AbortController();
  /** who waits; one who names no signal waits to the end */
  #waiting = 0;
  #isSettled = false;

  /** @param ask gives up when its signal is aborted */
  constructor(ask: (signal: AbortSignal) => Promise<T>) {
    this.#answer = ask(this.#controller.signal).finally(() => {
      this.#isSettled = true;
    });
    // whoever waits is told; nobody may
    this.#answer.catch(() => {});
  }

  /** Whether it was given up: whoever comes now has to ask anew. */
  get isGivenUp(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Whether nobody has to wait any longer. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Calls `listener` once when there is no answer. Nobody waits by it. */
  whenFailed(listener: () => void): void {
    this.#answer.catch(listener);
  }

  /** @throws what asking throws, and the reason of the signal where that is aborted first */
  wait(waiting?: Waiting): Promise<T> {
    if (this.#isSettled) return this.#answer;
    this.#waiting++;
    if (waiting === undefined) return this.#answer;
    const { signal } = waiting;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(signal.reason);
        if (--this.#waiting === 0) this.#controller.abort(signal.reason);
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      this.#answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }
}

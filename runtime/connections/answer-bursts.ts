/**
 * Answers that are ready one right behind the other leave together, when this round of the event loop has done what it found to do. Each write wakes who reads
 * it, which costs as much as a small get; whoever is awake already costs nothing. An answer that no other one is near leaves at once.
 */
import type { ServerResponse } from 'node:http';

/** Milliseconds within which an answer follows another one. A client that waits for each answer before it asks again does not come as soon as that. */
const NEAR = 0.06;
/** Answers that wait at most: a client that is awake has something to do meanwhile. */
const MOST = 32;

type Ending = Pick<ServerResponse, 'end' | 'destroyed'>;

interface Waiting {
  readonly response: Ending;
  readonly whole: Buffer;
}

export class AnswerBursts {
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  /** when an answer was ready */
  #last = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Ends a response with all that leaves of it, now or in this round of the event loop. Until then nobody may end it, or change the bytes. */
  end(response: Ending, whole: Buffer): void {
    const now = this.#now();
    const isNear = now - this.#last < NEAR;
    this.#last = now;
    if (!isNear && this.#waiting.length === 0) return void response.end(whole);
    if (this.#waiting.length === 0) setImmediate(this.leave);
    this.#waiting.push({ response, whole });
    if (this.#waiting.length >= MOST) this.leave();
  }

  /** Has all that wait leave now. To be called before a connection is ended on which one may wait. */
  readonly leave = (): void => {
    const leaving = this.#waiting;
    this.#waiting = [];
    // of a client that is gone by now nobody waits for one
    for (const { response, whole } of leaving) if (!response.destroyed) response.end(whole);
  };
}

/** The bursts of all connections of this thread. */
export const answerBursts = new AnswerBursts();

/** Limits how many requests of its own this server sends to other servers at a time. There may be any number of servers, each with any number of versions. */
import { turn } from '../event-loop/turns.ts';

/** Most requests to one address at a time. */
const MOST_QUESTIONS = 16;

export class Questions {
  /** by address: the number of requests under way, and those that wait */
  readonly #addresses = new Map<string, { count: number; readonly waiting: (() => void)[] }>();

  /** Waits for a place. @param late ends the wait. @returns a function to call when the request has been answered. @throws the reason of `late` */
  async enter(address: string, late: AbortSignal): Promise<() => void> {
    const at = this.#addresses.get(address) ?? { count: 0, waiting: [] };
    this.#addresses.set(address, at);
    if (at.count < MOST_QUESTIONS) at.count++;
    else await placeIn(at.waiting, late);
    return () => {
      const next = at.waiting.shift();
      if (next !== undefined) return next();
      at.count--;
      if (at.count === 0) this.#addresses.delete(address);
    };
  }
}

function placeIn(waiting: (() => void)[], late: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      late.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = (): void => {
      waiting.splice(waiting.indexOf(begin), 1);
      reject(late.reason);
    };
    late.addEventListener('abort', giveUp, { once: true });
    waiting.push(begin);
  });
}

/** Most requests, to all addresses, that begin at a time. Otherwise all their connections could be ready in one turn of the event loop, and so block it. */
const MOST_BEGINNINGS = 8;
/** Milliseconds after which a request without an answer makes place for another one, because its server may hang. */
const PATIENCE = 50;

export class Beginnings {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  /** Waits for a place. @returns a function to call when the answer begins, or none will come */
  async enter(): Promise<() => void> {
    if (this.#count < MOST_BEGINNINGS) this.#count++;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    // what the caller does next, to find the server and connect to it, takes time too: so it begins in a turn of its own
    await turn();
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#next();
    };
    const timer = setTimeout(end, PATIENCE);
    return end;
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#count--;
    else next();
  }
}

/** When this server's own questions to other servers begin: a server may answer any number of group versions, and there may be any number of servers. */
import { turn } from '../registry/event-loop-turns.ts';

/** Questions to one address at once. */
const MOST_QUESTIONS = 16;

export class Questions {
  /** how many are under way, and who waits, by address */
  readonly #addresses = new Map<string, { count: number; readonly waiting: (() => void)[] }>();

  /** @param late when it is too late to ask. @returns to be called when the question is answered. @throws Error when it is too late */
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

/** Questions that begin at once, whatever their addresses: the connections of all may be ready in one round of the event loop, and each is work then. */
const MOST_BEGINNINGS = 8;
/** Milliseconds after which others begin besides one that has no answer: its server may hang. */
const PATIENCE = 50;

export class Beginnings {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  /** @returns to be called when the answer begins, or there will be none */
  async enter(): Promise<() => void> {
    if (this.#count < MOST_BEGINNINGS) this.#count++;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    // to find a server, and to connect to it, is work too
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

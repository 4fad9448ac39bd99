/**
 * Turns of those who write one object, whatever its version: each reads, decides and writes on the condition that nobody was faster. Of several
 * that do so at the same time one succeeds and the others have worked for nothing; one after the other, each does it once.
 *
 * Turns save work and decide nothing: a write still names the version that it changes, for other processes write as well.
 */

/** Milliseconds; who has waited this long goes ahead without a turn, so that no writer can hold up others for good. */
const LONGEST_WAIT = 1_000;

export class ObjectWriteQueue {
  /** the writers that wait for a key, by the key that another one writes; each is a function that lets the writer go on */
  readonly #lines = new Map<string, (() => void)[]>();
  readonly #longestWait: number;

  constructor(longestWait: number = LONGEST_WAIT) {
    this.#longestWait = longestWait;
  }

  /** Calls `write` when those that came before with the same key are done. @returns what it returns. @throws what it throws */
  async take<T>(key: string, write: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, []);
    else if (!(await this.#wait(line))) return write();
    try {
      return await write();
    } finally {
      this.#next(key);
    }
  }

  /** @returns whether it is their turn; they have waited too long otherwise */
  #wait(line: (() => void)[]): Promise<boolean> {
    return new Promise((resolve) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(begin), 1);
        resolve(false);
      }, this.#longestWait);
      line.push(begin);
    });
  }

  #next(key: string): void {
    const begin = this.#lines.get(key)?.shift();
    if (begin === undefined) this.#lines.delete(key);
    else begin();
  }
}

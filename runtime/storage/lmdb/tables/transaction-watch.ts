/**
 * Notices write transactions that are never over. `lmdb` 3.5.6 keeps its own lock where LMDB could not begin a transaction: whoever writes next in this process
 * would wait for ever, and nobody would be told.
 */
import { WatchedWaits } from '../../../collections/watched-waits.ts';

/** The milliseconds between two looks at the transaction under way. */
const LOOK = 1_000;

export interface WatchOptions {
  /** Returns how many looks may find the same transaction under way until it counts as one that never ends. */
  readonly most: () => number;
  /** Makes the error with which such a transaction is rejected. */
  readonly stuck: () => Error;
  /** milliseconds between two looks; default: a second */
  readonly look?: number | undefined;
}

export class TransactionWatch {
  readonly #options: WatchOptions;
  readonly #waits: WatchedWaits;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#waits = new WatchedWaits(options.look ?? LOOK);
  }

  /** @returns what `transaction` gives. @throws what `stuck` makes, as well */
  until<T>(transaction: Promise<T>): Promise<T> {
    const { most, stuck } = this.#options;
    return new Promise((resolve, reject) => {
      const over = this.#waits.begin((looks) => {
        if (looks <= most()) return false;
        reject(stuck());
        return true;
      });
      transaction.finally(over).then(resolve, reject);
    });
  }
}

/** Shuffle sharding: each flow is dealt a hand of a few queues of its level, so that two flows rarely share all of their queues. */
import { createHash } from 'node:crypto';

/** The most bits of the hash that a hand may need, as in 1.32. */
const MAX_HASH_BITS = 60;
/** The most queues that a hand is dealt of, as in 1.32. */
const MAX_DECK = 2 ** 26;

/** @returns how many bits of a hash it takes to tell all hands of this size apart */
export function requiredEntropyBits(deckSize: number, handSize: number): number {
  return Math.ceil(Math.log2(deckSize) * handSize);
}

export class FlowDealer {
  readonly #deckSize: number;
  readonly #handSize: number;

  /** @throws RangeError for sizes that are not positive or too large, or that need more bits than the hash has */
  constructor(deckSize: number, handSize: number) {
    if (deckSize <= 0 || handSize <= 0) throw new RangeError(`deckSize ${deckSize} or handSize ${handSize} is not positive`);
    if (handSize > deckSize) throw new RangeError(`handSize ${handSize} is greater than deckSize ${deckSize}`);
    if (deckSize > MAX_DECK) throw new RangeError(`deckSize ${deckSize} is impractically large`);
    if (requiredEntropyBits(deckSize, handSize) > MAX_HASH_BITS)
      throw new RangeError(`required entropy bits of deckSize ${deckSize} and handSize ${handSize} is greater than ${MAX_HASH_BITS}`);
    this.#deckSize = deckSize;
    this.#handSize = handSize;
  }

  /** @param hash of 64 bits, not negative. @returns different numbers below the size of the deck, in the order in which they are dealt */
  deal(hash: bigint): readonly number[] {
    const hand: number[] = [];
    const taken: number[] = [];
    let rest = hash;
    for (let dealt = 0; dealt < this.#handSize; dealt++) {
      const left = BigInt(this.#deckSize - dealt);
      const place = Number(rest % left);
      rest /= left;
      // `place` counts only the cards that are left, so the cards before it that were dealt already are added
      let card = place;
      for (const earlier of taken) {
        if (earlier > card) break;
        card++;
      }
      hand.push(card);
      taken.splice(insertionPoint(taken, card), 0, card);
    }
    return hand;
  }
}

/** @param ascending sorted numbers, which do not contain `number` */
function insertionPoint(ascending: readonly number[], number: number): number {
  const index = ascending.findIndex((each) => each > number);
  return index < 0 ? ascending.length : index;
}

/** The hash of a flow is computed as in 1.32, so that all servers deal the same hand. */
export function flowHash(schema: string, distinguisher: string): bigint {
  return createHash('sha256').update(`${schema}\0${distinguisher}`).digest().readBigUInt64LE(0);
}

/** Shuffle sharding: a flow is dealt a few of a level's queues, so that two flows rarely have all of theirs in common. */
import { createHash } from 'node:crypto';

/** Bits of the hash that a hand may need. */
const MAX_HASH_BITS = 60;

/** Bits of a hash that tell all hands of this size apart. */
export function requiredEntropyBits(deckSize: number, handSize: number): number {
  return Math.ceil(Math.log2(deckSize) * handSize);
}

export class FlowDealer {
  readonly #deckSize: number;
  readonly #handSize: number;

  /** @throws RangeError for sizes that no hash can serve */
  constructor(deckSize: number, handSize: number) {
    if (deckSize <= 0 || handSize <= 0) throw new RangeError(`deckSize ${deckSize} or handSize ${handSize} is not positive`);
    if (handSize > deckSize) throw new RangeError(`handSize ${handSize} is greater than deckSize ${deckSize}`);
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
      // the place is one among the cards that are left: those that were taken before it are stepped over
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

/** @param ascending numbers among which this one is not */
function insertionPoint(ascending: readonly number[], number: number): number {
  const index = ascending.findIndex((each) => each > number);
  return index < 0 ? ascending.length : index;
}

/** Of a flow, as 1.32 has it: what one server deals, all do. */
export function flowHash(schema: string, distinguisher: string): bigint {
  return createHash('sha256').update(`${schema}\0${distinguisher}`).digest().readBigUInt64LE(0);
}

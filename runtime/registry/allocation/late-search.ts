/** Looks for something free in a range, of which the lower part is left to what people choose until the upper one is full. */
import { randomInt } from 'node:crypto';
import { chosenFor, type RequestContext } from '../../contract/request-context.ts';
import { turn } from '../../event-loop/turns.ts';

/** The number of random tries before the range is searched in order. */
const RANDOM_TRIES = 16;
/** The number of indexes that a search in order examines in one turn. */
const SLICE = 64;

export interface Searched {
  /** the number of indexes, which begin with 0; at most 2^47 */
  readonly size: number;
  /** how many indexes, from 0 on, are taken only if no other is free */
  readonly reserved: number;
  /** Returns what is at an index, as a text. */
  named(index: number): string;
  /** Tells whether an index is free now. The store does not remember the question. */
  isFree(index: number): boolean;
  /** Takes an index. @returns false if another owner has it */
  take(index: number): Promise<boolean>;
}

/** @returns the index that was taken; undefined when all of both parts are taken */
export async function takeLate(searched: Searched, request: Pick<RequestContext, 'chosen'>): Promise<number | undefined> {
  const { size, reserved } = searched;
  return (await takeAny(searched, reserved, size, request)) ?? takeAny(searched, 0, reserved, request);
}

/** @returns the index that was taken, from `from` (inclusive) to `to` (exclusive); undefined when all are */
async function takeAny(searched: Searched, from: number, to: number, request: Pick<RequestContext, 'chosen'>): Promise<number | undefined> {
  if (to <= from) return undefined;
  const what = `one of ${to - from} from ${searched.named(from)}`;
  for (let attempt = 0; attempt < RANDOM_TRIES; attempt++) {
    const index = chosenFor(request, what, () => randomInt(from, to));
    if (await searched.take(index)) return index;
  }
  for (let index = from; index < to; index++) {
    if ((index - from) % SLICE === 0) await turn();
    // A look-up whose outcome the store remembers would make it forget what it is asked for again and again.
    if (searched.isFree(index) && (await searched.take(index))) return index;
  }
  return undefined;
}

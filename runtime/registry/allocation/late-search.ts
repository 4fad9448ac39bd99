/** Looks for something free in a range, of which the lower part is left to what people choose until the upper one is full. */
import { randomInt } from 'node:crypto';
import { chosenFor, type RequestContext } from '../../contract/request-context.ts';
import { turn } from '../../event-loop/turns.ts';

/** Random tries before the range is searched in order. */
const RANDOM_TRIES = 16;
/** Indexes that a search in order looks at in one turn. */
const SLICE = 64;

export interface Searched {
  /** indexes are 0 to size - 1; at most 2^47 */
  readonly size: number;
  /** how many of them, from 0, are given out last */
  readonly reserved: number;
  /** what is at an index */
  named(index: number): string;
  /** without the store remembering the question */
  isFree(index: number): boolean;
  /** @returns false where another one has it */
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

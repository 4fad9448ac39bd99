/**
 * Differences of two values as 1.32 prints them where it refuses a change: the report of github.com/google/go-cmp, in the form with plain
 * blanks. Lines with `-` are of the old value, lines with `+` of the new one; what is equal is shown short or counted.
 */
import { Comparer, TooManyValues } from './comparison.ts';
import { formatChange } from './format-change.ts';
import type { GoType } from './go-type.ts';
import { layOut } from './text-node.ts';

/** Members that are looked at at most: 4 ms of processor time, of which an edit of one member of a large pod takes a fourth. */
const MAX_PLACES = 60_000;
/** In UTF-16 units. A report names only some changes of each list, but everything in long names. */
const MAX_LENGTH = 64 * 1024;

/** @returns '' for equal values; undefined for values that are too large to be compared here */
export function difference(type: GoType, x: unknown, y: unknown): string | undefined {
  const comparer = new Comparer(MAX_PLACES);
  try {
    const comparison = comparer.compare(type, x, y);
    if (comparison.different === 0) return '';
    const spend = (places: number): void => comparer.spend(places);
    const text = layOut(formatChange(comparison, { sign: '', types: 'emit', verbosity: 0 }, { spend }));
    return text.length > MAX_LENGTH ? `${text.slice(0, text.lastIndexOf('\n', MAX_LENGTH))}\n...\n` : text;
  } catch (error) {
    if (error instanceof TooManyValues) return undefined;
    throw error;
  }
}

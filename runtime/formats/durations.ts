/**
 * Durations of the schema format `duration`: as Go writes them, or numbers with units in words, such as `3 days` or `1d 12h`, as 1.32 reads
 * them.
 */
import { parseDuration } from '../schema/scalar/duration.ts';

const SECOND = 1_000_000_000n;
/** The short names of a unit, the prefix of its long names, and its length in nanoseconds. */
const UNITS: readonly (readonly [short: readonly string[], long: string, nanoseconds: bigint])[] = [
  [['ns'], 'nano', 1n],
  [['us', 'µs'], 'micro', 1_000n],
  [['ms'], 'milli', 1_000_000n],
  [['s'], 'sec', SECOND],
  [['m'], 'min', 60n * SECOND],
  [['h', 'hr'], 'hour', 3_600n * SECOND],
  [['d'], 'day', 86_400n * SECOND],
  [['w', 'wk'], 'week', 604_800n * SECOND],
];
/** A number with more digits after leading zeros exceeds 64 bits. */
const MOST_DIGITS = 19;
const GREATEST = 2n ** 63n - 1n;
const PART = /(?<!\d)(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g;

/**
 * Text between parts, and parts with an unknown unit, are ignored if there are others.
 * @returns nanoseconds in 64 bits; undefined for a text without a known unit
 */
export function wordedDuration(text: string): bigint | undefined {
  let total: bigint | undefined;
  for (const [, written = '', word = ''] of text.matchAll(PART)) {
    const digits = written.replace(/^0+(?=\d)/, '');
    if (digits.length > MOST_DIGITS || BigInt(digits) > GREATEST) return undefined;
    const length = unitLength(word.toLowerCase());
    if (length !== undefined) total = (total ?? 0n) + BigInt(digits) * length;
  }
  return total === undefined ? undefined : BigInt.asIntN(64, total);
}

const unitLength = (word: string): bigint | undefined => UNITS.find(([short, long]) => short.includes(word) || word.startsWith(long))?.[2];

export const isDuration = (text: string): boolean => parseDuration(text) !== undefined || wordedDuration(text) !== undefined;

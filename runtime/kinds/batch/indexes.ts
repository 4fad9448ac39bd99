/** Sets of indexes of an indexed job as text: ascending numbers and ranges such as `1,3-5,7`. */
import { goQuote } from '../../go-text/quote.ts';

type Interval = readonly [first: number, last: number];

/** @returns how many indexes the text names, or what is wrong with it. @param completions the first number that is no index */
export function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let total = 0;
  let previous: number | undefined;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return interval;
    const [first, last] = interval;
    if (previous !== undefined && previous >= first) return notIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return total;
}

/** @returns the first index that both texts name; undefined where there is none. Parts that cannot be read are passed over. */
export function firstOverlap(a: string, b: string, completions: number): number | undefined {
  const left = readable(a, completions);
  const right = readable(b, completions);
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    const [first, last] = left[i] as Interval;
    const [otherFirst, otherLast] = right[j] as Interval;
    if (first <= otherLast && otherFirst <= last) return Math.max(first, otherFirst);
    if (first <= otherFirst) i++;
    else j++;
  }
  return undefined;
}

function readable(text: string, completions: number): Interval[] {
  if (text === '') return [];
  return text
    .split(',')
    .map((part) => parseInterval(part, completions))
    .filter((interval) => typeof interval !== 'string');
}

function parseInterval(text: string, completions: number): Interval | string {
  const limits = text.split('-');
  if (limits.length > 2)
    return `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  const [first, last = first] = limits.map((limit) => parseIndex(limit, completions));
  if (typeof first === 'string') return first;
  if (typeof last === 'string') return last;
  if (limits.length === 2 && (first as number) >= (last as number)) return notIncreasing(first as number, last as number);
  return [first as number, last as number];
}

function parseIndex(text: string, completions: number): number | string {
  if (!/^\+?[0-9]+$/.test(text) || !Number.isSafeInteger(Number(text)))
    return `cannot convert string to integer for index: ${goQuote(text)}`;
  const index = Number(text);
  return index >= completions ? `too large index: ${goQuote(text)}` : index;
}

const notIncreasing = (previous: number, current: number): string => `non-increasing order, previous: ${previous}, current: ${current}`;

/** The estimated costs of standard functions, by the sizes of their arguments. */

import { byFactor, ONE, plus, times } from '../../costs/ranges.ts';
import type { CallEstimate, Overload } from '../../environment/declarations.ts';
import { PATTERN, TRAVERSAL } from './costs.ts';

type Estimate = NonNullable<Overload['estimate']>;

/** Estimates functions that traverse one argument. */
export const traversalOf =
  (index: number): Estimate =>
  (args) => {
    const size = args[index]?.size;
    return size === undefined ? undefined : { cost: byFactor(size, TRAVERSAL) };
  };

export const comparison: Estimate = ([a, b]) => {
  if (a === undefined || b === undefined) return undefined;
  const max = a.size.max < b.size.max ? a.size.max : b.size.max;
  return { cost: byFactor({ min: max > 0n ? 1n : 0n, max }, TRAVERSAL) };
};

const joined =
  (cost: (size: CallEstimate['cost']) => CallEstimate['cost']): Estimate =>
  ([a, b]) => {
    if (a === undefined || b === undefined) return undefined;
    const resultSize = plus(a.size, b.size);
    return { cost: cost(resultSize), resultSize };
  };
export const concatenation: Estimate = joined((size) => byFactor(size, TRAVERSAL));
/** Joining lists costs one unit, however long they are. */
export const listConcatenation: Estimate = joined(() => ONE);

export const membership: Estimate = ([, list]) => (list === undefined ? undefined : { cost: list.size });

export const match: Estimate = ([text, pattern]) =>
  text === undefined || pattern === undefined
    ? undefined
    : { cost: times(byFactor(plus(text.size, ONE), TRAVERSAL), byFactor(pattern.size, PATTERN)) };

export const containment: Estimate = ([text, part]) =>
  text === undefined || part === undefined ? undefined : { cost: times(byFactor(text.size, TRAVERSAL), byFactor(part.size, TRAVERSAL)) };

/** A code point has up to four bytes. 1.32 multiplies in 64 bits. */
export const textToBytes: Estimate = ([text]) =>
  text === undefined
    ? undefined
    : { cost: byFactor(text.size, TRAVERSAL), resultSize: { min: text.size.min, max: BigInt.asUintN(64, text.size.max * 4n) } };
export const bytesToText: Estimate = ([bytes]) =>
  bytes === undefined
    ? undefined
    : { cost: byFactor(bytes.size, TRAVERSAL), resultSize: { min: bytes.size.min / 4n, max: bytes.size.max } };

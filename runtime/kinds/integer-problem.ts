/** What Go's `strconv.ParseInt` says of a text, in base ten and 64 bits. */

import { goQuote } from '../go-text/quote.ts';
import { parseInt64 } from '../schema/scalar/raw-number.ts';

/** @returns the error's text; undefined for a text that is such an integer */
export function integerProblem(text: string): string | undefined {
  if (parseInt64(text) !== undefined) return undefined;
  return `strconv.ParseInt: parsing ${goQuote(text)}: ${/^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax'}`;
}

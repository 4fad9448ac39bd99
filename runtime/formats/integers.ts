/** Decimal integers as texts, as Go's `strconv.ParseInt` reads them. */
import { goQuote } from '../go-text/quote.ts';
import { parseInt64 } from '../schema/scalar/raw-number.ts';

/** @returns the error in Go's words; undefined if the text is an integer of this many bits */
export function integerProblem(text: string, bits: 32 | 64 = 64): string | undefined {
  const problem = (what: string): string => `strconv.ParseInt: parsing ${goQuote(text)}: ${what}`;
  if (!/^[-+]?\d+$/.test(text)) return problem('invalid syntax');
  const value = parseInt64(text);
  return value === undefined || BigInt.asIntN(bits, value) !== value ? problem('value out of range') : undefined;
}

/** @returns what is wrong with a text, in Go's words; undefined for one that is a number from 0 to 65535, without a sign */
export function portNumberProblem(text: string): string | undefined {
  const problem = (what: string): string => `strconv.ParseUint: parsing ${goQuote(text)}: ${what}`;
  if (!/^\d+$/.test(text)) return problem('invalid syntax');
  return Number(text) > 0xffff ? problem('value out of range') : undefined;
}

/** Compiles patterns of users. They run in linear time. */
import type { RE2JS } from 're2js';
import type { Overload } from '../environment/declarations.ts';
import { ErrorValue } from '../values/value.ts';
import { readPattern } from './pattern-syntax.ts';

/** How many computed patterns are cached; constant patterns are compiled with their expression. */
const MAX_KEPT = 100;
/** Longer patterns are not cached: a compiled pattern takes about eighty times its length. */
const MAX_KEPT_LENGTH = 500;
/** Longer patterns are refused, because they compile slowly. */
const MAX_LENGTH = 10_000;
const kept = new Map<string, RE2JS | ErrorValue>();

/** @returns the compiled pattern, or its error */
export function compilePattern(pattern: string): RE2JS | ErrorValue {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  const compiled = compile(pattern);
  if (pattern.length > MAX_KEPT_LENGTH) return compiled;
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string);
  kept.set(pattern, compiled);
  return compiled;
}

/**
 * Makes a function that tells whether a text contains a match. The pattern's own test is faster, but it may build an automaton of up to 8
 * MB for each pattern, so it is used only where it builds none.
 */
export function finderOf(pattern: RE2JS): (text: string) => boolean {
  const { prefixComplete, onepass } = pattern.re2();
  return prefixComplete || onepass !== null ? (text) => pattern.test(text) : (text) => pattern.matcher(text).find();
}

/** Makes `specialize` of an overload whose second argument is a pattern: a constant pattern is compiled once. */
export function statedPattern(running: (pattern: RE2JS) => NonNullable<Overload['run']>): NonNullable<Overload['specialize']> {
  return ([, pattern]) => {
    if (typeof pattern !== 'string') return undefined;
    const compiled = compilePattern(pattern);
    return compiled instanceof ErrorValue ? compiled : running(compiled);
  };
}

function compile(pattern: string): RE2JS | ErrorValue {
  if (pattern.length > MAX_LENGTH) return new ErrorValue(`error parsing regexp: pattern has more than ${MAX_LENGTH} characters`);
  const read = readPattern(pattern);
  return typeof read === 'string' ? new ErrorValue(read) : read;
}

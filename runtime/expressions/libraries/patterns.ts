/** Patterns of users, which run in linear time. */
import type { RE2JS } from 're2js';
import type { Overload } from '../environment/declarations.ts';
import { ErrorValue } from '../values/value.ts';
import { readPattern } from './pattern-syntax.ts';

/** Patterns that are kept for a while, where an expression computes them; those that it states are compiled with it. */
const MAX_KEPT = 100;
/** Characters of a pattern that is kept: what it is compiled to takes about eighty times as much. */
const MAX_KEPT_LENGTH = 500;
/** Characters of a pattern: longer ones take long to compile. */
const MAX_LENGTH = 10_000;
const kept = new Map<string, RE2JS | ErrorValue>();

/** The pattern, or why it is none. */
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
 * Whether a text has what the pattern looks for. The pattern's own test is faster, and builds an automaton that may grow to 8 MB, for each pattern that
 * somebody writes: it is used where it needs none.
 */
export function finderOf(pattern: RE2JS): (text: string) => boolean {
  const { prefixComplete, onepass } = pattern.re2();
  return prefixComplete || onepass !== null ? (text) => pattern.test(text) : (text) => pattern.matcher(text).find();
}

/** Runs a pattern that the expression states, which is compiled once. */
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

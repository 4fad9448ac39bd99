import { readPattern } from '../expressions/libraries/pattern-syntax.ts';
import { NONE } from '../validation/joined.ts';

/** Limit of the characters of a pattern. Longer ones take seconds to compile, and 1.32 refuses them as too large. */
const MOST_CHARACTERS = 64 * 1024;
const TOO_LARGE = 'error parsing regexp: expression too large';

/** @returns the errors of a regular expression */
export function patternProblems(pattern: string): readonly string[] {
  if (pattern === '') return NONE;
  if (pattern.length > MOST_CHARACTERS) return [problem(TOO_LARGE)];
  const read = readPattern(pattern);
  return typeof read === 'string' ? [problem(read)] : NONE;
}

const problem = (reason: string): string => `must be a valid regular expression, but isn't: ${reason}`;

import { readPattern } from '../expressions/libraries/pattern-syntax.ts';
import { NONE } from '../validation/joined.ts';

/** Characters; what is longer takes seconds to compile, and 1.32 finds that it is too large, sooner or later. */
const MOST_CHARACTERS = 64 * 1024;
const TOO_LARGE = 'error parsing regexp: expression too large';

/** @returns what is wrong with a regular expression, if anything */
export function patternProblems(pattern: string): readonly string[] {
  if (pattern === '') return NONE;
  if (pattern.length > MOST_CHARACTERS) return [problem(TOO_LARGE)];
  const read = readPattern(pattern);
  return typeof read === 'string' ? [problem(read)] : NONE;
}

const problem = (reason: string): string => `must be a valid regular expression, but isn't: ${reason}`;

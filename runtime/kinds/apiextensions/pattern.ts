import { RE2JS } from 're2js';
import { NONE } from '../joined.ts';

/** @returns what is wrong with a regular expression, if anything */
export function patternProblems(pattern: string): readonly string[] {
  if (pattern === '') return NONE;
  try {
    RE2JS.compile(pattern);
    return NONE;
  } catch (error) {
    return [`must be a valid regular expression, but isn't: ${error instanceof Error ? error.message : String(error)}`];
  }
}

import { RE2JS } from 're2js';

/** @returns what is wrong with a regular expression; undefined: nothing */
export function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

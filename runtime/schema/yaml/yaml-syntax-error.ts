/** Errors in YAML texts. */
import { JsonSyntaxError } from '../json/json-walk.ts';

/** Its message has the line as 1.32 counts it, unless that is the first one. */
export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
  /** the message without a line */
  readonly problem: string;
  /** where the problem is, counted from 0; undefined if that is not known */
  readonly line: number | undefined;

  /** @param told the line that the message names */
  constructor(problem: string, { line, told = 0 }: { readonly line?: number; readonly told?: number } = {}) {
    super(told === 0 ? problem : `line ${told}: ${problem}`);
    this.problem = problem;
    this.line = line;
  }
}

/** A value that JSON cannot express. */
export class InexpressibleValueError extends JsonSyntaxError {}

/** Characters that make no sense. @param line counted from 0 */
export function newScanningError(problem: string, line: number): YamlSyntaxError {
  return new YamlSyntaxError(problem, { line, told: line === 0 ? 0 : line + 1 });
}

/** Something that stands where it must not. 1.32 names the line before it. @param line counted from 0 */
export function newParsingError(problem: string, line: number): YamlSyntaxError {
  return new YamlSyntaxError(problem, { line, told: line });
}

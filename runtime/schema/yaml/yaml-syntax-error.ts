/** Errors in YAML texts. */
import { JsonSyntaxError } from '../json/json-walk.ts';

/** With its line and column. */
export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
}

/** A value that JSON cannot express. */
export class InexpressibleValueError extends JsonSyntaxError {}

/** @param position of a character in the text */
export function newYamlSyntaxError(problem: string, text: string, position: number): YamlSyntaxError {
  const column = position - (position === 0 ? -1 : Math.max(text.lastIndexOf('\n', position - 1), text.lastIndexOf('\r', position - 1)));
  return new YamlSyntaxError(`${problem} at line ${lineNumbers(text, [position])[0]}, column ${column}`);
}

/** @param positions in any order @returns their lines, counted from 1 */
export function lineNumbers(text: string, positions: readonly number[]): number[] {
  const lines = new Map<number, number>();
  let line = 1;
  let i = 0;
  for (const position of [...positions].sort((a, b) => a - b)) {
    for (; i < position; i++) if (endsLine(text, i)) line++;
    lines.set(position, line);
  }
  return positions.map((position) => lines.get(position) as number);
}

function endsLine(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return code === 0x0a || (code === 0x0d && text.charCodeAt(position + 1) !== 0x0a);
}

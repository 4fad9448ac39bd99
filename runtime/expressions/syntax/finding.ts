/** An error in an expression, with the text and form that cel-go gives it. */

export interface Finding {
  /** offset in the source, -1 before it; undefined for an error without a place */
  readonly at: number | undefined;
  readonly message: string;
}

export interface PlacedFinding extends Finding {
  /** counted from 1; -1 for an error without a place */
  readonly line: number;
  /** code points from the start of the line, counted from 1; 0 for an error without a place, before the text, and in an empty text */
  readonly column: number;
}

/** How many errors are shown; the others are only counted. */
export const SHOWN = 100;
/** Longer lines, in bytes, are not shown. */
const MAX_LINE = 16384;

/** @returns errors sorted by place, those without a place first; the sort is stable */
export function placedFindings(source: string, findings: readonly Finding[]): PlacedFinding[] {
  const sorted = findings.toSorted((a, b) => (a.at ?? -1) - (b.at ?? -1));
  let line = 1;
  let start = 0;
  let end = source.indexOf('\n');
  let counted = 0;
  let column = 1;
  return sorted.map((finding) => {
    const { at } = finding;
    if (at === undefined) return { ...finding, line: -1, column: 0 };
    if (source === '' || at < 0) return { ...finding, line: 1, column: 0 };
    while (end >= 0 && end < at) {
      line++;
      start = end + 1;
      end = source.indexOf('\n', start);
      counted = start;
      column = 1;
    }
    column += codePoints(source, counted, at);
    counted = at;
    return { ...finding, line, column };
  });
}

/** Formats errors such as `ERROR: <input>:1:5: undeclared reference to 'x' (in container '')`, each with its line and a mark below it. */
export function formatFindings(source: string, findings: readonly Finding[]): string {
  const lines = placedFindings(source, findings.slice(0, SHOWN)).map((finding) => formatFinding(source, finding));
  if (findings.length > SHOWN) lines.push(`${findings.length - SHOWN} more errors were truncated`);
  return lines.join('\n');
}

function formatFinding(source: string, { at: found, line, column, message }: PlacedFinding): string {
  const head = `ERROR: <input>:${line}:${column}: ${message}`;
  if (found === undefined || source === '') return head;
  // what is before the text is marked where the text begins
  const at = Math.max(found, 0);
  const start = at - lengthBefore(source, at);
  const end = source.indexOf('\n', at);
  const text = source.slice(start, end < 0 ? source.length : end);
  if (Buffer.byteLength(text) > MAX_LINE) return head;
  const before = Array.from(source.slice(start, at), (character) => (isAscii(character) ? '.' : '．')).join('');
  const mark = isAscii(source.slice(at, at + 1)) ? '^' : '＾';
  return `${head}\n | ${text.replaceAll('\t', ' ')}\n | ${before}${mark}`;
}

function lengthBefore(source: string, at: number): number {
  return at - (at === 0 ? 0 : source.lastIndexOf('\n', at - 1) + 1);
}

function isAscii(character: string): boolean {
  return character === '' || character.charCodeAt(0) < 0x80;
}

/** @returns the number of code points between two offsets */
export function codePoints(source: string, from: number, to: number): number {
  let count = to - from;
  for (let at = from; at < to; at++) {
    const unit = source.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00 && (source.charCodeAt(at + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

/** The text is no valid expression. */
export class SyntaxErrors extends Error {
  /** sorted by place */
  readonly findings: readonly PlacedFinding[];

  constructor(source: string, findings: readonly Finding[]) {
    super(formatFindings(source, findings));
    this.findings = placedFindings(source, findings);
  }
}

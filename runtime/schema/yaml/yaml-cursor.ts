/** A place in a YAML text, which moves on over it. The characters of the text are UTF-16 units; none of them is NUL. */
import { newScanningError } from './yaml-syntax-error.ts';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;
const DOT = 0x2e;
const NEXT_LINE = 0x85;
const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;

export const isBlank = (code: number): boolean => code === SPACE || code === TAB;

/** Version 1.1 of the language has more line breaks than version 1.2. */
export const isBreak = (code: number): boolean =>
  code === LF || code === CR || code === NEXT_LINE || code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR;

/** Whether a character ends a word: a blank, a line break, or the end of the text. */
export const endsWord = (code: number): boolean => code === 0 || isBlank(code) || isBreak(code);

export const endsLine = (code: number): boolean => code === 0 || isBreak(code);

export class Cursor {
  readonly text: string;
  at = 0;
  /** counted from 0 */
  line = 0;
  column = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The code of the character here, or of one further on; 0 behind the end of the text. */
  code(ahead = 0): number {
    const at = this.at + ahead;
    return at < this.text.length ? this.text.charCodeAt(at) : 0;
  }

  /** Goes on within the line. */
  skip(count = 1): void {
    this.at += count;
    this.column += count;
  }

  /** @returns the characters up to `end`, which is on this line */
  take(end: number): string {
    const taken = this.text.slice(this.at, end);
    this.skip(end - this.at);
    return taken;
  }

  /** Goes on behind a line break. @returns what it counts as within a text */
  skipBreak(): string {
    const code = this.code();
    this.at += code === CR && this.code(1) === LF ? 2 : 1;
    this.line++;
    this.column = 0;
    return code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR ? String.fromCharCode(code) : '\n';
  }

  skipBlanks(): void {
    while (isBlank(this.code())) this.skip();
  }

  skipToLineEnd(): void {
    this.skip(this.lineEnd() - this.at);
  }

  /** The offset of the end of the line. */
  lineEnd(): number {
    let end = this.at;
    const { text } = this;
    while (end < text.length && !isBreak(text.charCodeAt(end))) end++;
    return end;
  }

  /** Whether a mark that begins or ends a document stands here. */
  get isAtMark(): boolean {
    if (this.column !== 0) return false;
    const code = this.code();
    return (code === DASH || code === DOT) && this.code(1) === code && this.code(2) === code && endsWord(this.code(3));
  }

  fail(problem: string): never {
    throw newScanningError(problem, this.line);
  }
}

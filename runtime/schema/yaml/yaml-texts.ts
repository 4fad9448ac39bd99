/** Reads texts of YAML in each of their styles: plain, in quotes, and in blocks. */
import { type Cursor, endsLine, endsWord, isBlank, isBreak } from './yaml-cursor.ts';
import { readEscape } from './yaml-escapes.ts';

const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const APOSTROPHE = 0x27;
const PLUS = 0x2b;
const MINUS = 0x2d;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** What ends a plain text within brackets and braces. */
const FLOW_ENDS: ReadonlySet<number> = new Set([...',?[]{}'].map((character) => character.charCodeAt(0)));

/** Line breaks between two words: a single one is a space, of several all but the first stay. */
function folded(breaks: string): string {
  if (!breaks.startsWith('\n')) return breaks;
  return breaks.length === 1 ? ' ' : breaks.slice(1);
}

export interface PlainText {
  readonly text: string;
  /** whether line breaks follow, so that a key may begin */
  readonly endsLine: boolean;
}

/** @param least the column in which the text may go on in a further line */
export function readPlain(cursor: Cursor, least: number, isFlow: boolean): PlainText {
  let text = '';
  let between = '';
  let breaks = '';
  while (!cursor.isAtMark && cursor.code() !== HASH) {
    const end = endOfWords(cursor, isFlow);
    if (end > cursor.at) {
      text += breaks === '' ? between : folded(breaks);
      text += cursor.take(end);
      between = breaks = '';
    }
    const code = cursor.code();
    if (!isBlank(code) && !isBreak(code)) break;
    while (isBlank(cursor.code()) || isBreak(cursor.code())) {
      if (isBreak(cursor.code())) breaks += cursor.skipBreak();
      else {
        if (breaks !== '' && cursor.column < least && cursor.code() === TAB) cursor.fail('found a tab character that violates indentation');
        if (breaks === '') between += cursor.text[cursor.at];
        cursor.skip();
      }
    }
    if (!isFlow && cursor.column < least) break;
  }
  return { text, endsLine: breaks !== '' };
}

/** The offset of the blank, break or indicator that ends a word of a plain text. */
function endOfWords({ text, at }: Cursor, isFlow: boolean): number {
  const { length } = text;
  for (let end = at; ; end++) {
    if (end >= length) return length;
    const code = text.charCodeAt(end);
    if (isBlank(code) || isBreak(code)) return end;
    if (code === COLON && (end + 1 >= length || endsWord(text.charCodeAt(end + 1)))) return end;
    if (isFlow && FLOW_ENDS.has(code)) return end;
  }
}

export function readQuoted(cursor: Cursor): string {
  const quote = cursor.code();
  cursor.skip();
  const parts: string[] = [];
  for (;;) {
    if (cursor.isAtMark) cursor.fail('found unexpected document indicator');
    if (cursor.code() === 0) cursor.fail('found unexpected end of stream');
    const isJoined = readWord(cursor, quote, parts);
    if (cursor.code() === quote) break;
    parts.push(readBetween(cursor, isJoined));
  }
  cursor.skip();
  return parts.join('');
}

/** Reads up to a blank, a break or the quote that ends the text. @returns whether an escaped line break was there, which joins two lines */
function readWord(cursor: Cursor, quote: number, parts: string[]): boolean {
  for (;;) {
    const end = endOfQuotedWord(cursor, quote);
    if (end > cursor.at) parts.push(cursor.take(end));
    const code = cursor.code();
    if (code === APOSTROPHE && quote === APOSTROPHE && cursor.code(1) === APOSTROPHE) {
      parts.push("'");
      cursor.skip(2);
    } else if (code === BACKSLASH && quote === QUOTE) {
      if (isBreak(cursor.code(1))) {
        cursor.skip();
        cursor.skipBreak();
        return true;
      }
      parts.push(readEscape(cursor));
    } else return false;
  }
}

function endOfQuotedWord({ text, at }: Cursor, quote: number): number {
  let end = at;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === quote || (code === BACKSLASH && quote === QUOTE) || isBlank(code) || isBreak(code)) break;
  }
  return end;
}

/** Reads blanks and line breaks between two words within quotes. @param isJoined whether they follow an escaped line break */
function readBetween(cursor: Cursor, isJoined: boolean): string {
  let blanks = '';
  let breaks = '';
  while (isBlank(cursor.code()) || isBreak(cursor.code())) {
    if (isBreak(cursor.code())) breaks += cursor.skipBreak();
    else {
      if (breaks === '' && !isJoined) blanks += cursor.text[cursor.at];
      cursor.skip();
    }
  }
  if (isJoined) return breaks;
  return breaks === '' ? blanks : folded(breaks);
}

/** What the head of a block says: whether its last line breaks go (`-`) or stay (`+`), and how far it is indented beyond what is around it. */
interface BlockHead {
  readonly chomping: number;
  readonly increment: number;
}

/** @param outer the column of the collection around the block; -1 for none. @param isFolded whether its lines are joined to paragraphs */
export function readBlock(cursor: Cursor, outer: number, isFolded: boolean): string {
  cursor.skip();
  const { chomping, increment } = readHead(cursor);
  let { indent, breaks } = readBreaks(cursor, increment === 0 ? 0 : Math.max(outer, 0) + increment, outer);
  const parts: string[] = [];
  let before = '';
  let isIndented = false;
  while (cursor.column === indent && cursor.code() !== 0) {
    const isBlankLine = isBlank(cursor.code());
    const isJoined = isFolded && !isIndented && !isBlankLine && before === '\n';
    parts.push(isJoined ? (breaks === '' ? ' ' : '') : before, breaks, cursor.take(cursor.lineEnd()));
    isIndented = isBlankLine;
    before = cursor.code() === 0 ? '' : cursor.skipBreak();
    ({ indent, breaks } = readBreaks(cursor, indent, outer));
  }
  if (chomping !== MINUS) parts.push(before);
  if (chomping === PLUS) parts.push(breaks);
  return parts.join('');
}

function readHead(cursor: Cursor): BlockHead {
  let chomping = readChomping(cursor);
  const increment = readIncrement(cursor);
  if (chomping === 0 && increment > 0) chomping = readChomping(cursor);
  cursor.skipBlanks();
  if (cursor.code() === HASH) cursor.skipToLineEnd();
  if (!endsLine(cursor.code())) cursor.fail('did not find expected comment or line break');
  if (cursor.code() !== 0) cursor.skipBreak();
  return { chomping, increment };
}

function readChomping(cursor: Cursor): number {
  const code = cursor.code();
  if (code !== PLUS && code !== MINUS) return 0;
  cursor.skip();
  return code;
}

function readIncrement(cursor: Cursor): number {
  const digit = cursor.code() - 0x30;
  if (digit < 0 || digit > 9) return 0;
  if (digit === 0) cursor.fail('found an indentation indicator equal to 0');
  cursor.skip();
  return digit;
}

/**
 * Reads empty lines of a block, and the indentation of the line behind them.
 * @param indent of the block; 0 if its first line is to tell
 */
function readBreaks(cursor: Cursor, indent: number, outer: number): { indent: number; breaks: string } {
  let breaks = '';
  let deepest = 0;
  for (;;) {
    while ((indent === 0 || cursor.column < indent) && cursor.code() === SPACE) cursor.skip();
    deepest = Math.max(deepest, cursor.column);
    if ((indent === 0 || cursor.column < indent) && cursor.code() === TAB)
      cursor.fail('found a tab character where an indentation space is expected');
    if (!isBreak(cursor.code())) break;
    breaks += cursor.skipBreak();
  }
  return { indent: indent === 0 ? Math.max(deepest, outer + 1, 1) : indent, breaks };
}

/** Reads what stands before a node, and before a document: anchors, tags and directives. */
import { type Cursor, endsLine, endsWord, isBlank } from './yaml-cursor.ts';
import { readOctets } from './yaml-escapes.ts';

const HASH = 0x23;
const PERCENT = 0x25;
const DOT = 0x2e;
const NAME = /[0-9A-Za-z_-]*/y;
const LETTERS = /[0-9A-Za-z_;/?:@&=+$,.!~*'()[\]-]*/y;
/** What may follow an anchor besides blanks. */
const BEHIND_ANCHOR = '?:,]}%@`';
const MAX_VERSION_DIGITS = 2;

/** A tag, or what a directive says that the handle stands for. */
export interface TagName {
  /** such as `!` or `!own!`; '' for a tag in full */
  readonly handle: string;
  readonly suffix: string;
}

export type Directive = { readonly version: string } | TagName;

/** Reads what a pattern matches here, which may be nothing. */
function readMatch(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at;
  const [found = ''] = pattern.exec(cursor.text) ?? [];
  cursor.skip(found.length);
  return found;
}

/** Reads the name of an anchor or an alias, and the character before it. */
export function readAnchor(cursor: Cursor): string {
  cursor.skip();
  const name = readMatch(cursor, NAME);
  const code = cursor.code();
  if (name === '' || !(endsWord(code) || BEHIND_ANCHOR.includes(String.fromCharCode(code))))
    cursor.fail('did not find expected alphabetic or numeric character');
  return name;
}

export function readTag(cursor: Cursor): TagName {
  const tag = cursor.text[cursor.at + 1] === '<' ? readWholeTag(cursor) : readShortTag(cursor);
  if (!endsWord(cursor.code())) cursor.fail('did not find expected whitespace or line break');
  return tag;
}

function readWholeTag(cursor: Cursor): TagName {
  cursor.skip(2);
  const suffix = readUri(cursor, '');
  if (cursor.text[cursor.at] !== '>') cursor.fail("did not find the expected '>'");
  cursor.skip();
  return { handle: '', suffix };
}

/** The handle of `!own` is `!`; `!` alone is a tag in full. */
function readShortTag(cursor: Cursor): TagName {
  const handle = readHandle(cursor);
  if (handle.length > 1 && handle.endsWith('!')) return { handle, suffix: readUri(cursor, '') };
  const suffix = readUri(cursor, handle);
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix };
}

function readHandle(cursor: Cursor): string {
  if (cursor.text[cursor.at] !== '!') cursor.fail("did not find expected '!'");
  cursor.skip();
  const name = readMatch(cursor, NAME);
  if (cursor.text[cursor.at] !== '!') return `!${name}`;
  cursor.skip();
  return `!${name}!`;
}

/** @param head what was read as a handle and belongs to the name */
function readUri(cursor: Cursor, head: string): string {
  const parts = [head.slice(1)];
  const start = cursor.at;
  for (;;) {
    parts.push(readMatch(cursor, LETTERS));
    if (cursor.code() !== PERCENT) break;
    parts.push(readOctets(cursor));
  }
  if (cursor.at === start && head === '') cursor.fail('did not find expected tag URI');
  return parts.join('');
}

/** Reads a line that begins with `%`. */
export function readDirective(cursor: Cursor): Directive {
  cursor.skip();
  const name = readMatch(cursor, NAME);
  if (name === '') cursor.fail('could not find expected directive name');
  if (!endsWord(cursor.code())) cursor.fail('found unexpected non-alphabetical character');
  const directive = readArguments(cursor, name);
  cursor.skipBlanks();
  if (cursor.code() === HASH) cursor.skipToLineEnd();
  if (!endsLine(cursor.code())) cursor.fail('did not find expected comment or line break');
  if (cursor.code() !== 0) cursor.skipBreak();
  return directive;
}

function readArguments(cursor: Cursor, name: string): Directive {
  if (name !== 'YAML' && name !== 'TAG') cursor.fail('found unknown directive name');
  cursor.skipBlanks();
  return name === 'YAML' ? { version: readVersion(cursor) } : readTagDirective(cursor);
}

function readVersion(cursor: Cursor): string {
  const major = readNumber(cursor);
  if (cursor.code() !== DOT) cursor.fail("did not find expected digit or '.' character");
  cursor.skip();
  return `${major}.${readNumber(cursor)}`;
}

function readNumber(cursor: Cursor): number {
  const digits = readMatch(cursor, /[0-9]*/y);
  if (digits.length > MAX_VERSION_DIGITS) cursor.fail('found extremely long version number');
  if (digits === '') cursor.fail('did not find expected version number');
  return Number(digits);
}

function readTagDirective(cursor: Cursor): TagName {
  const handle = readHandle(cursor);
  if (handle !== '!' && !handle.endsWith('!')) cursor.fail("did not find expected '!'");
  if (!isBlank(cursor.code())) cursor.fail('did not find expected whitespace');
  cursor.skipBlanks();
  const suffix = readUri(cursor, '');
  if (!endsWord(cursor.code())) cursor.fail('did not find expected whitespace or line break');
  return { handle, suffix };
}

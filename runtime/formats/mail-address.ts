/**
 * Mail addresses as 1.32 reads them: a mailbox of RFC 5322, alone, in angle brackets after a display name, or as the only one of a group.
 * Comments may follow.
 */
import { isIPv4, isIPv6 } from 'node:net';

const WORD = /[\w!#$%&'*+\-/=?^\x60{|}~.\x80-\uffff]+/y;
const SPACE = /[ \t]*/y;
const LITERAL = /\[[^[\]\\]*\]/y;

export function isMailAddress(text: string): boolean {
  const reader = new Reader(text);
  return reader.address(true) === 1 && reader.comments() && reader.isAtEnd;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** @returns the number of mailboxes; undefined if the address is invalid */
  address(mayBeGroup: boolean): number | undefined {
    this.#skipSpace();
    if (this.#mailbox()) {
      this.#skipSpace();
      return this.#next !== '(' || this.#nameInComment() ? 1 : undefined;
    }
    if (this.#next !== '<' && !this.#phrase()) return undefined;
    this.#skipSpace();
    if (mayBeGroup && this.#takes(':')) return this.#group();
    return this.#takes('<') && this.#mailbox() && this.#takes('>') ? 1 : undefined;
  }

  /** @returns false for a comment that is not closed */
  comments(): boolean {
    this.#skipSpace();
    while (this.#next === '(') {
      if (this.#comment() === undefined) return false;
      this.#skipSpace();
    }
    return true;
  }

  #group(): number | undefined {
    this.#skipSpace();
    if (this.#takes(';')) return 0;
    for (let count = 1; ; count++) {
      if (this.address(false) === undefined || !this.comments()) return undefined;
      if (this.#takes(';')) return count;
      if (!this.#takes(',')) return undefined;
    }
  }

  /** Reads a mailbox, or nothing if there is none. */
  #mailbox(): boolean {
    const start = this.#at;
    this.#skipSpace();
    const hasName = this.#next === '"' ? (this.#quoted() ?? '') !== '' : this.#dotted();
    const found = hasName && this.#takes('@') && this.#domain();
    if (!found) this.#at = start;
    return found;
  }

  #domain(): boolean {
    this.#skipSpace();
    if (this.#next !== '[') return this.#dotted();
    const address = this.#pass(LITERAL).slice(1, -1);
    return !address.includes('%') && (isIPv4(address) || isIPv6(address));
  }

  /** Reads words that are separated by single dots. */
  #dotted(): boolean {
    const word = this.#pass(WORD);
    return word !== '' && !word.startsWith('.') && !word.endsWith('.') && !word.includes('..');
  }

  /** Reads the words of a display name, at least one. */
  #phrase(): boolean {
    for (let count = 0; ; count++) {
      if (count > 0 && !this.comments()) return false;
      this.#skipSpace();
      if (this.#next === '"' ? this.#quoted() !== undefined : isReadable(this.#pass(WORD))) continue;
      return count > 0;
    }
  }

  /** @returns the text between the quotes; undefined, without advancing, if it is not printable or not closed */
  #quoted(): string | undefined {
    const start = this.#at + 1;
    for (let i = start; i < this.#text.length; i++) {
      const character = this.#text[i] as string;
      if (character === '"') {
        this.#at = i + 1;
        return this.#text.slice(start, i);
      }
      if (!isPrintable(character === '\\' ? (this.#text[++i] ?? '\0') : character)) return undefined;
    }
    return undefined;
  }

  #nameInComment(): boolean {
    const words = this.#comment()?.split(/[ \t]+/);
    return words?.every((word) => word === '' || isReadable(word)) ?? false;
  }

  /** @returns the text of a comment without escaping backslashes; undefined if it is not closed */
  #comment(): string | undefined {
    const parts: string[] = [];
    let start = this.#at + 1;
    let depth = 1;
    let i = start;
    for (; i < this.#text.length && depth > 0; i++) {
      const character = this.#text[i];
      if (character === '(') depth++;
      else if (character === ')') depth--;
      else if (character === '\\' && i + 1 < this.#text.length) {
        parts.push(this.#text.slice(start, i));
        start = ++i;
      }
    }
    this.#at = i;
    return depth > 0 ? undefined : parts.join('') + this.#text.slice(start, i - 1);
  }

  get #next(): string | undefined {
    return this.#text[this.#at];
  }

  #takes(character: string): boolean {
    if (this.#next !== character) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    this.#pass(SPACE);
  }

  /** @returns the match at the current place; '' if there is none */
  #pass(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}

const isPrintable = (character: string): boolean => character === '\t' || (character >= ' ' && character !== '\x7f');

const ENCODED = /^=\?([^?]+)\?([bq])\?([^?]*)\?=$/i;
const ENCODED_TEXT: Readonly<Record<string, RegExp>> = {
  b: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  q: /^(?:[\t\n\r -<>-~]|=[0-9A-Fa-f]{2})*$/,
};
const KNOWN_CHARACTERS = /^(?:utf-8|iso-8859-1|us-ascii)$/iu;

/**
 * Whether a word can be decoded. A word that is encoded by RFC 2047 must have a character set that 1.32 knows; a malformed one is taken
 * literally.
 */
function isReadable(word: string): boolean {
  const [, characters, encoding = '', text = ''] = ENCODED.exec(word) ?? [];
  if (characters === undefined || KNOWN_CHARACTERS.test(characters)) return word !== '';
  const written = encoding.toLowerCase() === 'b' ? text.replaceAll(/[\r\n]/g, '') : text;
  return !ENCODED_TEXT[encoding.toLowerCase()]?.test(written);
}

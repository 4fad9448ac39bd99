import { type LexicalFinding, Token, type Tokens } from './tokens.ts';

const LETTER = 1;
const DIGIT = 2;
const SPACE = 4;
const HEXADECIMAL = 8;
const QUOTED_PART = 16;
/** the classes of ASCII characters */
const CLASSES = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_]/.test(character)) CLASSES[code] = LETTER;
  if (/[0-9]/.test(character)) CLASSES[code] = DIGIT;
  if (/[\t\n\f\r ]/.test(character)) CLASSES[code] = SPACE;
  if (/[0-9A-Fa-f]/.test(character)) CLASSES[code] = (CLASSES[code] as number) | HEXADECIMAL;
  if (/[A-Za-z0-9_.\-/ ]/.test(character)) CLASSES[code] = (CLASSES[code] as number) | QUOTED_PART;
}

const KEYWORDS: ReadonlyMap<string, Token> = new Map([
  ['in', Token.In],
  ['true', Token.True],
  ['false', Token.False],
  ['null', Token.Null],
]);
const SINGLE = new Uint8Array(128);
for (const [character, token] of [
  ['[', Token.OpenBracket],
  [']', Token.CloseBracket],
  ['{', Token.OpenBrace],
  ['}', Token.CloseBrace],
  ['(', Token.OpenParenthesis],
  [')', Token.CloseParenthesis],
  ['.', Token.Dot],
  [',', Token.Comma],
  ['-', Token.Minus],
  ['!', Token.Not],
  ['?', Token.Question],
  [':', Token.Colon],
  ['+', Token.Plus],
  ['*', Token.Star],
  ['/', Token.Slash],
  ['%', Token.Percent],
  ['<', Token.Less],
  ['>', Token.Greater],
] as const)
  SINGLE[character.charCodeAt(0)] = token;

const TAIL_OF_ESCAPE = /(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y;
const STARTED_ESCAPE = /(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?/y;

/**
 * Splits a text into the longest tokens that fit. It reads every character a bounded number of times.
 * @param quotedNames whether names in backquotes are tokens
 */
export function tokenize(source: string, quotedNames: boolean): Tokens {
  const lexer = new Lexer(source, quotedNames);
  lexer.run();
  return lexer.tokens();
}

class Lexer {
  readonly #source: string;
  readonly #quotedNames: boolean;
  readonly #findings: LexicalFinding[] = [];
  #kinds: Uint8Array;
  #starts: Uint32Array;
  #ends: Uint32Array;
  #count = 0;
  /** offset of the first character that did not fit, of the last text that was no token */
  #failedAt = 0;

  constructor(source: string, quotedNames: boolean) {
    this.#source = source;
    this.#quotedNames = quotedNames;
    const guess = (source.length >> 1) + 8;
    this.#kinds = new Uint8Array(guess);
    this.#starts = new Uint32Array(guess);
    this.#ends = new Uint32Array(guess);
  }

  tokens(): Tokens {
    return {
      source: this.#source,
      count: this.#count,
      kinds: this.#kinds,
      starts: this.#starts,
      ends: this.#ends,
      findings: this.#findings,
    };
  }

  run(): void {
    const source = this.#source;
    let at = 0;
    while (at < source.length) {
      const code = source.charCodeAt(at);
      const kinds = this.#class(at);
      if ((kinds & SPACE) !== 0) at++;
      else if (code === 0x2f && source.charCodeAt(at + 1) === 0x2f) at = this.#endOfLine(at);
      else if ((kinds & LETTER) !== 0) at = this.#word(at, code);
      else if ((kinds & DIGIT) !== 0 || (code === 0x2e && (this.#class(at + 1) & DIGIT) !== 0)) at = this.#number(at);
      else if (code === 0x22 || code === 0x27) at = this.#quoted(at, at, Token.String, false);
      else at = this.#symbol(at, code);
    }
    this.#add(Token.EndOfInput, at, at);
  }

  #add(kind: Token, start: number, end: number): number {
    const index = this.#count++;
    if (index === this.#kinds.length) this.#grow();
    this.#kinds[index] = kind;
    this.#starts[index] = start;
    this.#ends[index] = end;
    return end;
  }

  #grow(): void {
    const length = this.#kinds.length * 2;
    const grown = <T extends Uint8Array | Uint32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#kinds = grown(this.#kinds, new Uint8Array(length));
    this.#starts = grown(this.#starts, new Uint32Array(length));
    this.#ends = grown(this.#ends, new Uint32Array(length));
  }

  /**
   * Reports a text that is no token. As in cel-go, it includes the character that does not fit.
   * @returns the offset where reading goes on
   */
  #fail(from: number, failedAt: number): number {
    const point = this.#source.codePointAt(failedAt);
    const to = point === undefined ? failedAt : failedAt + (point > 0xffff ? 2 : 1);
    this.#findings.push({ from, to, tokensBefore: this.#count });
    return to;
  }

  #class(at: number): number {
    const code = this.#source.charCodeAt(at);
    return code < 128 ? (CLASSES[code] as number) : 0;
  }

  #while(at: number, kinds: number): number {
    let end = at;
    while ((this.#class(end) & kinds) !== 0) end++;
    return end;
  }

  #endOfLine(at: number): number {
    const end = this.#source.indexOf('\n', at);
    return end < 0 ? this.#source.length : end;
  }

  #word(at: number, first: number): number {
    const end = this.#while(at + 1, LETTER | DIGIT);
    if (end - at <= 2) {
      const next = this.#source.charCodeAt(end);
      if (next === 0x22 || next === 0x27) {
        const last = this.#source.charCodeAt(end - 1) | 0x20;
        const isBytes = (first | 0x20) === 0x62 && (end - at === 1 || last === 0x72);
        if (isBytes || (end - at === 1 && last === 0x72)) return this.#quoted(at, end, isBytes ? Token.Bytes : Token.String, last === 0x72);
      }
    }
    return this.#name(at, end);
  }

  #name(at: number, end: number): number {
    const keyword = end - at <= 5 ? KEYWORDS.get(this.#source.slice(at, end)) : undefined;
    return this.#add(keyword ?? Token.Identifier, at, end);
  }

  #number(at: number): number {
    const source = this.#source;
    let end = this.#while(at, DIGIT);
    if (end === at + 1 && source.charCodeAt(at) === 0x30 && source.charCodeAt(end) === 0x78) {
      const hexadecimal = this.#while(end + 1, HEXADECIMAL);
      if (hexadecimal > end + 1) return this.#integer(at, hexadecimal);
    }
    const isFraction = source.charCodeAt(end) === 0x2e && (this.#class(end + 1) & DIGIT) !== 0;
    if (isFraction) end = this.#while(end + 1, DIGIT);
    const exponent = this.#exponent(end);
    return isFraction || exponent > end ? this.#add(Token.Double, at, exponent) : this.#integer(at, end);
  }

  #integer(at: number, end: number): number {
    return (this.#source.charCodeAt(end) | 0x20) === 0x75 ? this.#add(Token.Uint, at, end + 1) : this.#add(Token.Int, at, end);
  }

  #exponent(at: number): number {
    if ((this.#source.charCodeAt(at) | 0x20) !== 0x65) return at;
    const sign = this.#source.charCodeAt(at + 1);
    const digits = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
    const end = this.#while(digits, DIGIT);
    return end > digits ? end : at;
  }

  /**
   * @param at where the token starts
   * @param mark offset of its quotation mark; the letters before it are a name of their own if the text is not closed
   */
  #quoted(at: number, mark: number, kind: Token, raw: boolean): number {
    const source = this.#source;
    const quote = source.charCodeAt(mark);
    if (source.charCodeAt(mark + 1) === quote && source.charCodeAt(mark + 2) === quote) {
      const end = this.#endOfLong(mark + 3, source.slice(mark, mark + 3), raw);
      return this.#add(kind, at, end < 0 ? mark + 2 : end);
    }
    const end = this.#endOfShort(mark + 1, quote, raw);
    if (end >= 0) return this.#add(kind, at, end);
    return mark > at ? this.#name(at, mark) : this.#fail(at, this.#failedAt);
  }

  #endOfLong(from: number, marks: string, raw: boolean): number {
    let end = this.#source.indexOf(marks, from);
    if (raw) return end < 0 ? -1 : end + 3;
    for (let at = from; ; ) {
      const sequence = this.#source.indexOf('\\', at);
      if (end < 0 || sequence < 0 || end < sequence) return end < 0 ? -1 : end + 3;
      at = this.#endOfEscape(sequence + 1);
      if (at < 0) return -1;
      if (end < at) end = this.#source.indexOf(marks, at);
    }
  }

  #endOfShort(from: number, quote: number, raw: boolean): number {
    const source = this.#source;
    let at = from;
    for (;;) {
      const code = source.charCodeAt(at);
      if (code === quote) return at + 1;
      if (at >= source.length || code === 0x0a || code === 0x0d) {
        this.#failedAt = at;
        return -1;
      }
      at++;
      if (code === 0x5c && !raw) {
        at = this.#endOfEscape(at);
        if (at < 0) return -1;
      }
    }
  }

  #endOfEscape(from: number): number {
    TAIL_OF_ESCAPE.lastIndex = from;
    if (TAIL_OF_ESCAPE.test(this.#source)) return TAIL_OF_ESCAPE.lastIndex;
    STARTED_ESCAPE.lastIndex = from;
    STARTED_ESCAPE.test(this.#source);
    this.#failedAt = STARTED_ESCAPE.lastIndex;
    return -1;
  }

  #symbol(at: number, code: number): number {
    const next = this.#source.charCodeAt(at + 1);
    if (next === 0x3d) {
      if (code === 0x3d) return this.#add(Token.Equals, at, at + 2);
      if (code === 0x21) return this.#add(Token.NotEquals, at, at + 2);
      if (code === 0x3c) return this.#add(Token.LessEquals, at, at + 2);
      if (code === 0x3e) return this.#add(Token.GreaterEquals, at, at + 2);
    }
    const single = code < 128 ? (SINGLE[code] as Token) : 0;
    if (single !== 0) return this.#add(single, at, at + 1);
    const isDouble = code === 0x26 || code === 0x7c;
    if (isDouble && next === code) return this.#add(code === 0x26 ? Token.And : Token.Or, at, at + 2);
    if (code === 0x60 && this.#quotedNames) return this.#quotedName(at);
    return this.#fail(at, isDouble || code === 0x3d ? at + 1 : at);
  }

  #quotedName(at: number): number {
    const end = this.#while(at + 1, QUOTED_PART);
    const isWhole = end > at + 1 && this.#source.charCodeAt(end) === 0x60;
    return isWhole ? this.#add(Token.QuotedIdentifier, at, end + 1) : this.#fail(at, end);
  }
}

/**
 * Makes tokens of YAML text. Whether a text is a key shows at the colon behind it, so tokens wait in a queue while the first one may begin a key, and the marks
 * of a key, and of a map that begins with it, are put in before it.
 */
import { Cursor, endsWord, isBlank, isBreak } from './yaml-cursor.ts';
import { newScanningError } from './yaml-syntax-error.ts';
import { type Directive, readAnchor, readDirective, readTag, type TagName } from './yaml-tags.ts';
import { readBlock, readPlain, readQuoted } from './yaml-texts.ts';

/** `?` also stands before a key without a mark, and `blockEnd` where a block is less indented than the one before it. */
export type TokenType =
  | 'end'
  | 'directive'
  | '---'
  | '...'
  | 'blockList'
  | 'blockMap'
  | 'blockEnd'
  | 'anchor'
  | 'alias'
  | 'tag'
  | 'text'
  | '['
  | ']'
  | '{'
  | '}'
  | ','
  | '-'
  | '?'
  | ':';

export interface Token {
  readonly type: TokenType;
  /** where it begins, counted from 0 */
  readonly line: number;
  /** the offset where it begins */
  readonly at: number;
  /** of an anchor, an alias or a text */
  readonly text?: string;
  /** whether a text has neither quotes nor marks */
  readonly isPlain?: boolean;
  readonly tag?: TagName;
  readonly directive?: Directive;
}

/** A place where a key may have begun. */
interface PossibleKey {
  isPossible: boolean;
  /** whether nothing else makes sense there */
  readonly isRequired: boolean;
  /** the number of the token that it begins with */
  readonly token: number;
  readonly at: number;
  readonly line: number;
  readonly column: number;
}

/** The most characters of a key without a mark. */
const MAX_KEY = 1_024;
const HASH = 0x23;
const SPACE = 0x20;
const BYTE_ORDER_MARK = 0xfeff;
/** What begins no plain text. */
const INDICATORS = '-?:,[]{}#&*!|>\'"%@`';

export class Scanner {
  readonly #cursor: Cursor;
  /** the most brackets, or indentations, within each other */
  readonly #maxDepth: number;
  #tokens: Token[] = [];
  #head = 0;
  /** number of the token at the head of the queue */
  #number = 0;
  /** the column of the block; -1 outside of all */
  #indent = -1;
  readonly #indents: number[] = [];
  /** for each bracket that is open, and for what is around them */
  readonly #keys: PossibleKey[] = [];
  /** by the number of their token */
  readonly #keyAt = new Map<number, PossibleKey>();
  #allowsKey = true;

  constructor(text: string, maxDepth: number) {
    this.#cursor = new Cursor(text);
    this.#maxDepth = maxDepth;
    this.#keys.push(this.#newKey(false, false));
  }

  /** The next token, which stays. @throws YamlSyntaxError */
  peek(): Token {
    while (this.#needsMore()) this.#fetch();
    return this.#tokens[this.#head] as Token;
  }

  /** Goes behind the next token. @returns it */
  take(): Token {
    const token = this.peek();
    this.#head++;
    this.#number++;
    if (this.#head === this.#tokens.length) {
      this.#tokens = [];
      this.#head = 0;
    }
    return token;
  }

  #needsMore(): boolean {
    if (this.#head === this.#tokens.length) return true;
    const key = this.#keyAt.get(this.#number);
    return key !== undefined && this.#isPossible(key);
  }

  /** A key stands on one line, and is not long. */
  #isPossible(key: PossibleKey): boolean {
    if (!key.isPossible) return false;
    if (key.line === this.#cursor.line && key.at + MAX_KEY >= this.#cursor.at) return true;
    if (key.isRequired) this.#cursor.fail("could not find expected ':'");
    key.isPossible = false;
    return false;
  }

  get #isFlow(): boolean {
    return this.#keys.length > 1;
  }

  get #nextNumber(): number {
    return this.#number + this.#tokens.length - this.#head;
  }

  #newKey(isPossible: boolean, isRequired: boolean): PossibleKey {
    const { at, line, column } = this.#cursor;
    return { isPossible, isRequired, token: this.#nextNumber, at, line, column };
  }

  #beginKey(): void {
    if (!this.#allowsKey) return;
    const key = this.#newKey(true, !this.#isFlow && this.#indent === this.#cursor.column);
    this.#dropKey();
    this.#keys[this.#keys.length - 1] = key;
    this.#keyAt.set(key.token, key);
  }

  #dropKey(): void {
    const key = this.#keys.at(-1) as PossibleKey;
    if (!key.isPossible) return;
    if (key.isRequired) this.#cursor.fail("could not find expected ':'");
    key.isPossible = false;
    this.#keyAt.delete(key.token);
  }

  #add(type: TokenType, more?: Partial<Token>): void {
    const { at, line } = this.#cursor;
    this.#tokens.push({ type, at, line, ...more });
  }

  /** Puts a token before one that waits; behind all where that one has gone. */
  #insert(type: TokenType, { at, line, token }: Pick<PossibleKey, 'at' | 'line' | 'token'>): void {
    const place = token - this.#number;
    if (place < 0) this.#tokens.push({ type, at, line });
    else this.#tokens.splice(this.#head + place, 0, { type, at, line });
  }

  /** Begins a block if it is more indented. */
  #indentTo(column: number, type: TokenType, before: Pick<PossibleKey, 'at' | 'line' | 'token'>): void {
    if (this.#isFlow || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    if (this.#indents.length > this.#maxDepth) this.#tooDeep();
    this.#insert(type, before);
  }

  #dedentTo(column: number): void {
    if (this.#isFlow) return;
    while (this.#indent > column) {
      this.#add('blockEnd');
      this.#indent = this.#indents.pop() as number;
    }
  }

  #tooDeep(): never {
    throw newScanningError(`exceeded max depth of ${this.#maxDepth}`, this.#cursor.line);
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#dedentTo(cursor.column);
    const code = cursor.code();
    if (code === 0) return this.#fetchEnd();
    const character = cursor.text[cursor.at] as string;
    if (cursor.column === 0 && character === '%') return this.#fetchDirective();
    if (cursor.isAtMark) return this.#fetchMark(character === '-' ? '---' : '...');
    if (!this.#fetchIndicator(character)) this.#fetchText(character);
  }

  /** Goes on over blanks, comments and line breaks. Tabs are none of the indentation of a block. */
  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.at === 0 && cursor.code() === BYTE_ORDER_MARK) cursor.at++;
      const takesTabs = this.#isFlow || !this.#allowsKey;
      while (cursor.code() === SPACE || (takesTabs && isBlank(cursor.code()))) cursor.skip();
      if (cursor.code() === HASH) cursor.skipToLineEnd();
      if (!isBreak(cursor.code())) return;
      cursor.skipBreak();
      if (!this.#isFlow) this.#allowsKey = true;
    }
  }

  #fetchEnd(): void {
    if (this.#cursor.column !== 0) {
      this.#cursor.column = 0;
      this.#cursor.line++;
    }
    this.#endBlocks();
    this.#add('end');
  }

  #endBlocks(): void {
    this.#dedentTo(-1);
    this.#dropKey();
    this.#allowsKey = false;
  }

  #fetchDirective(): void {
    this.#endBlocks();
    const { at, line } = this.#cursor;
    this.#add('directive', { at, line, directive: readDirective(this.#cursor) });
  }

  #fetchMark(type: '---' | '...'): void {
    this.#endBlocks();
    this.#addAndSkip(type, 3);
  }

  #addAndSkip(type: TokenType, length = 1): void {
    this.#add(type);
    this.#cursor.skip(length);
  }

  /** @returns whether an indicator stands here that is a token of its own */
  #fetchIndicator(character: string): boolean {
    switch (character) {
      case '[':
      case '{':
        this.#openBracket(character);
        return true;
      case ']':
      case '}':
        this.#closeBracket(character);
        return true;
      case ',':
        this.#dropKey();
        this.#allowsKey = true;
        this.#addAndSkip(',');
        return true;
    }
    const isAlone = endsWord(this.#cursor.code(1));
    if (character === '-' && isAlone) this.#fetchEntry();
    else if (character === '?' && (this.#isFlow || isAlone)) this.#fetchKey();
    else if (character === ':' && (this.#isFlow || isAlone)) this.#fetchValue();
    else return false;
    return true;
  }

  #openBracket(type: '[' | '{'): void {
    this.#beginKey();
    this.#keys.push(this.#newKey(false, false));
    if (this.#keys.length > this.#maxDepth + 1) this.#tooDeep();
    this.#allowsKey = true;
    this.#addAndSkip(type);
  }

  #closeBracket(type: ']' | '}'): void {
    this.#dropKey();
    if (this.#isFlow) this.#keyAt.delete((this.#keys.pop() as PossibleKey).token);
    this.#allowsKey = false;
    this.#addAndSkip(type);
  }

  /** A mark of a list within brackets is for the parser to refuse. */
  #fetchEntry(): void {
    if (!this.#isFlow) this.#beginBlock('blockList', 'block sequence entries are not allowed in this context');
    this.#dropKey();
    this.#allowsKey = true;
    this.#addAndSkip('-');
  }

  #beginBlock(type: 'blockList' | 'blockMap', problem: string): void {
    if (!this.#allowsKey) this.#cursor.fail(problem);
    const { at, line, column } = this.#cursor;
    this.#indentTo(column, type, { at, line, token: this.#nextNumber });
  }

  #fetchKey(): void {
    if (!this.#isFlow) this.#beginBlock('blockMap', 'mapping keys are not allowed in this context');
    this.#dropKey();
    this.#allowsKey = !this.#isFlow;
    this.#addAndSkip('?');
  }

  #fetchValue(): void {
    const key = this.#keys.at(-1) as PossibleKey;
    if (this.#isPossible(key)) {
      this.#insert('?', key);
      this.#indentTo(key.column, 'blockMap', key);
      key.isPossible = false;
      this.#keyAt.delete(key.token);
      this.#allowsKey = false;
    } else {
      if (!this.#isFlow) this.#beginBlock('blockMap', 'mapping values are not allowed in this context');
      this.#allowsKey = !this.#isFlow;
    }
    this.#addAndSkip(':');
  }

  #fetchText(character: string): void {
    const cursor = this.#cursor;
    if ((character === '|' || character === '>') && !this.#isFlow) {
      this.#dropKey();
      this.#allowsKey = true;
      const { at, line } = cursor;
      this.#add('text', { at, line, isPlain: false, text: readBlock(cursor, this.#indent, character === '>') });
      return;
    }
    if (!'*&!\'"'.includes(character) && !this.#beginsPlain(character)) cursor.fail('found character that cannot start any token');
    this.#beginKey();
    this.#allowsKey = false;
    const { at, line } = cursor;
    this.#tokens.push({ at, line, ...this.#read(character) });
  }

  #read(character: string): Pick<Token, 'type' | 'text' | 'isPlain' | 'tag'> {
    switch (character) {
      case '*':
        return { type: 'alias', text: readAnchor(this.#cursor) };
      case '&':
        return { type: 'anchor', text: readAnchor(this.#cursor) };
      case '!':
        return { type: 'tag', tag: readTag(this.#cursor) };
      case "'":
      case '"':
        return { type: 'text', isPlain: false, text: readQuoted(this.#cursor) };
    }
    const { text, endsLine } = readPlain(this.#cursor, this.#indent + 1, this.#isFlow);
    if (endsLine) this.#allowsKey = true;
    return { type: 'text', isPlain: true, text };
  }

  #beginsPlain(character: string): boolean {
    const next = this.#cursor.code(1);
    if (character === '-') return !isBlank(next);
    if (character === '?' || character === ':') return !this.#isFlow && !endsWord(next);
    return !INDICATORS.includes(character) && !isBlank(character.charCodeAt(0));
  }
}

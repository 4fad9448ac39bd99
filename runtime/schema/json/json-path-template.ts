/**
 * Parses JSONPath templates of client-go, in which columns of custom resources are written. They have more than RFC 9535 and other rules of
 * quotes: `.status.conditions[-1:].type`, `..name`, `['a','b']`, `[?(@.size>1)]`.
 * @see https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */

export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'slice'; readonly slice: TemplateSlice }
  | { readonly kind: 'filter'; readonly left: TemplateList; readonly operator: string; readonly right: TemplateList }
  | { readonly kind: 'union'; readonly lists: readonly TemplateList[] }
  | { readonly kind: 'number'; readonly value: number; readonly isInteger: boolean }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'identifier'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' };

/** Nodes, each of which is applied to the results of the one before it. */
export type TemplateList = readonly TemplateNode[];

/** Bounds of a slice; undefined ones are those of the list. */
export interface TemplateSlice {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly step: number | undefined;
  /** whether `to` was not written, so that it is `from` + 1 */
  readonly isSingle: boolean;
}

export class TemplateError extends Error {}

/** @param path without braces around it @returns undefined if client-go cannot parse it */
export function parseColumnPath(path: string): readonly TemplateList[] | undefined {
  const read = readPath(path);
  return typeof read === 'string' ? undefined : read;
}

/** @param path without braces around it @returns the error of client-go; undefined if it can parse the path */
export function pathProblem(path: string): string | undefined {
  const read = readPath(path);
  return typeof read === 'string' ? read : undefined;
}

function readPath(path: string): readonly TemplateList[] | string {
  try {
    return new TemplateReader(`{${path}}`).actions();
  } catch (error) {
    if (error instanceof TemplateError || error instanceof RangeError) return error.message;
    throw error;
  }
}

const END = '';
const KEY = /^'([^']*)'$/;
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)([^\n]+?)$/;
const LETTER = /^[\p{L}\p{Nd}_]$/u;
const DIGIT = /^\p{Nd}$/u;
const TERMINATORS = new Set(['', ' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}']);

class TemplateReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The actions in braces, and the texts around them as lists of one node. */
  actions(): TemplateList[] {
    const lists: TemplateList[] = [];
    while (this.#at < this.#text.length) {
      const start = this.#text.indexOf('{', this.#at);
      const text = this.#text.slice(this.#at, start < 0 ? undefined : start);
      if (text !== '') lists.push([{ kind: 'text', text }]);
      if (start < 0) break;
      this.#at = start + 1;
      lists.push(this.#action());
    }
    return lists;
  }

  /** Reads up to the closing brace. */
  #action(): TemplateNode[] {
    const nodes: TemplateNode[] = [];
    while (!this.#skip('}')) this.#node(nodes);
    return nodes;
  }

  #node(nodes: TemplateNode[]): void {
    if (this.#skip('[?(')) return void nodes.push(this.#filter());
    if (this.#skip('..')) return this.#recursive(nodes);
    const start = this.#at;
    const character = this.#next();
    if (character === END || character === '\r' || character === '\n') throw new TemplateError('unclosed action');
    if (character === ' ' || character === '@' || character === '$') return;
    if (character === '[') return void nodes.push(...this.#elements());
    if (character === '"' || character === "'") return void nodes.push({ kind: 'text', text: this.#quoted(character) });
    if (character === '.') return void nodes.push(this.#field());
    this.#at = start;
    if (character === '+' || character === '-' || DIGIT.test(character)) return void nodes.push(this.#number());
    if (LETTER.test(character)) return void nodes.push(this.#word());
    throw new TemplateError(`unrecognized character in action: ${goRune(character)}`);
  }

  #recursive(nodes: TemplateNode[]): void {
    if (nodes.at(-1)?.kind === 'recursive') throw new TemplateError('invalid multiple recursive descent');
    nodes.push({ kind: 'recursive' });
    if (LETTER.test(this.#peek())) nodes.push(this.#field());
  }

  #field(): TemplateNode {
    const start = this.#at;
    for (let next = this.#peek(); !TERMINATORS.has(next); next = this.#peek()) {
      this.#next();
      if (next === '\\') this.#next();
    }
    const name = this.#text.slice(start, this.#at);
    return name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') };
  }

  #word(): TemplateNode {
    const start = this.#at;
    while (!TERMINATORS.has(this.#peek())) this.#next();
    const name = this.#text.slice(start, this.#at);
    return name === 'true' || name === 'false' ? { kind: 'boolean', value: name === 'true' } : { kind: 'identifier', name };
  }

  #number(): TemplateNode {
    const start = this.#at;
    this.#next();
    while (this.#peek() === '.' || DIGIT.test(this.#peek())) this.#next();
    const text = this.#text.slice(start, this.#at);
    if (!/^[-+]?(?:\d+\.?\d*|\.\d+)$/.test(text)) throw new TemplateError(`cannot parse number ${text}`);
    return { kind: 'number', value: Number(text), isInteger: /^[-+]?\d{1,18}$/.test(text) };
  }

  #elements(): TemplateNode[] {
    const start = this.#at;
    for (let next = this.#next(); next !== ']'; next = this.#next())
      if (next === END || next === '\n') throw new TemplateError('unterminated array');
    const inner = this.#text.slice(start, this.#at - 1);
    const parts = inner.split(',');
    if (parts.length > 1) return [{ kind: 'union', lists: parts.map((part) => actionOf(`[${part.replace(/^ +| +$/g, '')}]`)) }];
    const key = KEY.exec(inner);
    if (key !== null) return [...actionOf(`.${key[1]}`)];
    return [{ kind: 'slice', slice: sliceOf(inner === '*' ? ':' : inner) }];
  }

  #filter(): TemplateNode {
    const start = this.#at;
    let quote = '';
    let isClosed = false;
    for (let next = this.#next(); next !== ')' || (quote !== '') !== isClosed; next = this.#next()) {
      if (next === END || next === '\n') throw new TemplateError('unterminated filter');
      if (next !== '"' && next !== "'") continue;
      if (quote === '') quote = next;
      else if (next === quote && this.#text[this.#at - 2] !== '\\') isClosed = true;
    }
    if (this.#next() !== ']') throw new TemplateError('unclosed array expect ]');
    const text = this.#text.slice(start, this.#at - 2);
    const [, left, operator, right] = COMPARISON.exec(text) ?? [];
    if (left === undefined || operator === undefined || right === undefined)
      return { kind: 'filter', left: actionOf(text), operator: 'exists', right: [] };
    return { kind: 'filter', left: actionOf(left), operator, right: actionOf(right) };
  }

  #quoted(quote: string): string {
    const start = this.#at;
    for (let next = this.#next(); next !== quote || this.#text[this.#at - 2] === '\\'; next = this.#next())
      if (next === END || next === '\n') throw new TemplateError('unterminated quoted string');
    return unquoted(this.#text.slice(start, this.#at - 1), quote);
  }

  #skip(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #peek(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? END : String.fromCodePoint(code);
  }

  #next(): string {
    const next = this.#peek();
    this.#at += next.length;
    return next;
  }
}

/** The first action of a text that stands in braces. */
const actionOf = (text: string): TemplateList => new TemplateReader(`{${text}}`).actions()[0] ?? [];

function sliceOf(text: string): TemplateSlice {
  const found = SLICE.exec(text);
  if (found === null) throw new TemplateError(`invalid array index ${text}`);
  const [, first = '', second, third] = found;
  const from = first === '' ? undefined : indexOf(first);
  const isSingle = second === undefined;
  const to = isSingle ? (from ?? 0) + 1 : boundOf(second);
  return { from, to, step: third === undefined ? undefined : boundOf(third), isSingle };
}

const boundOf = (part: string): number | undefined => (part === ':' ? undefined : indexOf(part.slice(1)));

function indexOf(text: string): number {
  const index = Number(text);
  if (!/\d/.test(text) || !Number.isSafeInteger(index)) throw new TemplateError(`array index ${text} is not a number`);
  return index;
}

const ESCAPE = /\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))?/g;
const LETTERS: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\' };

/** @param text between the quotes */
function unquoted(text: string, quote: string): string {
  return text.replace(ESCAPE, (sequence, letter?: string, byte?: string, four?: string, eight?: string, octal?: string) => {
    if (letter !== undefined) {
      const character = letter === quote ? quote : LETTERS[letter];
      if (character === undefined) throw new TemplateError('invalid syntax');
      return character;
    }
    const digits = byte ?? four ?? eight;
    const code = digits === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(digits, 16);
    if (!(code <= 0x10ffff)) throw new TemplateError(`invalid syntax: ${sequence}`);
    return String.fromCodePoint(code);
  });
}

/** Formats a character like %#U of Go, such as `U+0023 '#'`. */
function goRune(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} '${character}'`;
}

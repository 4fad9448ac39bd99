/** Parses the first document of a YAML text to events: collections, texts and aliases in their order. */

import { TAG_PREFIX } from './yaml-scalars.ts';
import { Scanner, type Token, type TokenType } from './yaml-scanner.ts';
import { newParsingError, YamlSyntaxError } from './yaml-syntax-error.ts';

interface Place {
  /** where it begins, counted from 0 */
  readonly line: number;
}

interface Named extends Place {
  readonly anchor: string | undefined;
}

export interface TextEvent extends Named {
  readonly type: 'text';
  readonly text: string;
  /** whether it has no quotes and is no block */
  readonly isPlain: boolean;
  /** in full, such as `tag:yaml.org,2002:int` */
  readonly tag: string | undefined;
}

export interface CollectionEvent extends Named {
  readonly type: 'list' | 'map';
}

export interface AliasEvent extends Place {
  readonly type: 'alias';
  /** of the anchor, which the document has before */
  readonly name: string;
}

export interface EndEvent extends Place {
  readonly type: 'end';
}

export type NodeEvent = TextEvent | CollectionEvent | AliasEvent;
export type YamlEvent = NodeEvent | EndEvent;

export interface FirstDocument {
  readonly events: readonly YamlEvent[];
  /** the offset of what follows the document */
  readonly end: number;
}

/** Limit of nested collections, which fits into the stack of the recursive parser. */
const MAX_NESTING = 500;
/**
 * Limit of keys, values and elements, each of which takes about a microsecond. A manifest of three megabytes has fewer; a block of text counts
 * as one.
 */
const MAX_NODES = 500_000;
/** the version of YAML that 1.32 accepts */
const VERSION = '1.1';

/**
 * What 1.32 reads of a text that then makes no sense is refused, where it takes the beginning for all.
 * @throws YamlSyntaxError for invalid syntax, for nesting that is too deep, and as soon as there are too many nodes
 */
export function firstDocument(text: string): FirstDocument {
  return new Parser(text).document();
}

class Parser {
  readonly #scanner: Scanner;
  readonly #events: YamlEvent[] = [];
  readonly #anchors = new Set<string>();
  readonly #tagPrefixes = new Map<string, string>();
  #nodes = 0;
  #depth = 0;

  constructor(text: string) {
    this.#scanner = new Scanner(text, MAX_NESTING);
  }

  document(): FirstDocument {
    const first = this.#scanner.peek();
    if (first.type === 'directive' || first.type === '---') {
      this.#directives();
      if (this.#scanner.peek().type !== '---') throw this.#misses('<document start>');
      this.#scanner.take();
      if (this.#isAtAny('directive', '---', '...', 'end')) this.#empty(this.#scanner.peek().line);
      else this.#node(true, false);
    } else if (first.type !== 'end') this.#node(true, false);
    if (!this.#isAtAny('directive', '---', '...', 'end')) throw this.#misses('<document start>');
    return { events: this.#events, end: this.#scanner.peek().at };
  }

  #directives(): void {
    let hasVersion = false;
    for (let token = this.#scanner.peek(); token.type === 'directive'; token = this.#scanner.peek()) {
      const directive = token.directive as NonNullable<Token['directive']>;
      if ('version' in directive) {
        if (hasVersion) throw newParsingError('found duplicate %YAML directive', token.line);
        if (directive.version !== VERSION) throw newParsingError('found incompatible YAML document', token.line);
        hasVersion = true;
      } else {
        if (this.#tagPrefixes.has(directive.handle)) throw newParsingError('found duplicate %TAG directive', token.line);
        this.#tagPrefixes.set(directive.handle, directive.suffix);
      }
      this.#scanner.take();
    }
  }

  #isAtAny(...types: readonly TokenType[]): boolean {
    return types.includes(this.#scanner.peek().type);
  }

  #misses(expected: string): YamlSyntaxError {
    return newParsingError(`did not find expected ${expected}`, this.#scanner.peek().line);
  }

  #add(event: YamlEvent): void {
    if (event.type !== 'end' && ++this.#nodes > MAX_NODES)
      throw new YamlSyntaxError(`exceeded max of ${MAX_NODES} nodes, of which JSON may have more`);
    this.#events.push(event);
  }

  #empty(line: number): void {
    this.#add({ type: 'text', text: '', isPlain: true, tag: undefined, anchor: undefined, line });
  }

  /** @param isBlock whether collections may be told by their indentation. @param takesEntries whether a list may stand in the column around it */
  #node(isBlock: boolean, takesEntries: boolean): void {
    const scanner = this.#scanner;
    const { line } = scanner.peek();
    if (scanner.peek().type === 'alias') return this.#alias();
    const { anchor, tag } = this.#properties();
    if (anchor !== undefined) this.#anchors.add(anchor);
    const { type, text = '', isPlain = false } = scanner.peek();
    const collection = collectionOf(type, isBlock, takesEntries);
    if (collection !== undefined) return this.#collection(collection, type, anchor, line);
    if (type === 'text') scanner.take();
    else if (anchor === undefined && tag === undefined) throw this.#misses('node content');
    this.#add({ type: 'text', text, isPlain: type === 'text' ? isPlain : tag === undefined, tag, anchor, line });
  }

  #collection(collection: 'list' | 'map', type: TokenType, anchor: string | undefined, line: number): void {
    if (++this.#depth > MAX_NESTING) throw new YamlSyntaxError(`exceeded max depth of ${MAX_NESTING}`);
    this.#add({ type: collection, anchor, line });
    if (type !== '-') this.#scanner.take();
    if (type === '-') this.#entries();
    else if (type === '[') this.#flowList();
    else if (type === '{') this.#flowMap();
    else if (type === 'blockList') this.#blockList();
    else this.#blockMap();
    this.#depth--;
  }

  #end(): void {
    this.#add({ type: 'end', line: this.#scanner.peek().line });
  }

  #alias(): void {
    const { text: name = '', line } = this.#scanner.take();
    if (!this.#anchors.has(name)) throw new YamlSyntaxError(`unknown anchor '${name}' referenced`);
    this.#add({ type: 'alias', name, line });
  }

  /** An anchor and a tag, in either order. */
  #properties(): { readonly anchor: string | undefined; readonly tag: string | undefined } {
    let anchor = this.#takeAnchor();
    const token = this.#scanner.peek();
    if (token.type !== 'tag') return { anchor, tag: undefined };
    this.#scanner.take();
    anchor ??= this.#takeAnchor();
    // what follows is read before the handle is looked up
    this.#scanner.peek();
    return { anchor, tag: this.#tagName(token) };
  }

  #takeAnchor(): string | undefined {
    return this.#scanner.peek().type === 'anchor' ? this.#scanner.take().text : undefined;
  }

  #tagName({ tag, line }: Token): string {
    const { handle, suffix } = tag as NonNullable<Token['tag']>;
    if (handle === '') return suffix;
    const prefix = this.#tagPrefixes.get(handle) ?? DEFAULT_PREFIXES.get(handle);
    if (prefix === undefined) throw newParsingError('found undefined tag handle', line);
    return prefix + suffix;
  }

  /** A list whose marks stand in the column of the key around it. */
  #entries(): void {
    while (this.#scanner.peek().type === '-') this.#nodeBehindMark(false, '-', '?', ':', 'blockEnd');
    this.#end();
  }

  #blockList(): void {
    while (this.#scanner.peek().type === '-') this.#nodeBehindMark(false, '-', 'blockEnd');
    if (this.#scanner.peek().type !== 'blockEnd') throw this.#misses("'-' indicator");
    this.#end();
    this.#scanner.take();
  }

  #blockMap(): void {
    while (this.#scanner.peek().type === '?') {
      this.#nodeBehindMark(true, '?', ':', 'blockEnd');
      if (this.#scanner.peek().type === ':') this.#nodeBehindMark(true, '?', ':', 'blockEnd');
      else this.#empty(this.#scanner.peek().line);
    }
    if (this.#scanner.peek().type !== 'blockEnd') throw this.#misses('key');
    this.#end();
    this.#scanner.take();
  }

  /** Takes a mark, and the node behind it in a block. @param next what follows where there is none */
  #nodeBehindMark(takesEntries: boolean, ...next: readonly TokenType[]): void {
    const { line } = this.#scanner.take();
    if (this.#isAtAny(...next)) this.#empty(line);
    else this.#node(true, takesEntries);
  }

  #flowList(): void {
    for (let isFirst = true; this.#goesOn(']', isFirst); isFirst = false) {
      if (this.#scanner.peek().type === '?') this.#pair();
      else this.#node(false, false);
    }
    this.#end();
    this.#scanner.take();
  }

  /** Takes the comma before a further element. @returns whether there is one */
  #goesOn(close: ']' | '}', isFirst: boolean): boolean {
    if (this.#scanner.peek().type === close) return false;
    if (isFirst) return true;
    if (this.#scanner.peek().type !== ',') throw this.#misses(`',' or '${close}'`);
    this.#scanner.take();
    return this.#scanner.peek().type !== close;
  }

  /** A map of one member that stands in a list without braces. */
  #pair(): void {
    this.#add({ type: 'map', anchor: undefined, line: this.#scanner.take().line });
    if (!this.#isAtAny(':', ',', ']')) this.#node(false, false);
    else this.#empty(this.#scanner.take().line);
    const { type, line } = this.#scanner.peek();
    if (type === ':') this.#scanner.take();
    if (type !== ':' || this.#isAtAny(',', ']')) this.#empty(line);
    else this.#node(false, false);
    this.#end();
  }

  #flowMap(): void {
    for (let isFirst = true; this.#goesOn('}', isFirst); isFirst = false) {
      if (this.#scanner.peek().type !== '?') {
        this.#node(false, false);
        this.#empty(this.#scanner.peek().line);
        continue;
      }
      this.#scanner.take();
      if (this.#isAtAny(':', ',', '}')) this.#empty(this.#scanner.peek().line);
      else this.#node(false, false);
      const hasValue = this.#scanner.peek().type === ':';
      if (hasValue) this.#scanner.take();
      if (!hasValue || this.#isAtAny(',', '}')) this.#empty(this.#scanner.peek().line);
      else this.#node(false, false);
    }
    this.#end();
    this.#scanner.take();
  }
}

/** The collection that begins with a token; undefined for another token, and where the collection may not begin. */
function collectionOf(type: TokenType, isBlock: boolean, takesEntries: boolean): 'list' | 'map' | undefined {
  if (type === '[' || (type === 'blockList' && isBlock) || (type === '-' && takesEntries)) return 'list';
  return type === '{' || (type === 'blockMap' && isBlock) ? 'map' : undefined;
}

const DEFAULT_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['!', '!'],
  ['!!', TAG_PREFIX],
]);

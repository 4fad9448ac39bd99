import { literalValue, NoLiteralValue } from './literal-value.ts';
import type { ListNode, MapNode, Node, StructNode } from './node.ts';
import type { ChainOperator, ChainTerm, NodeBuilder, Place } from './node-builder.ts';
import { ADDITION, OPERATORS, precedence } from './operators.ts';
import { Token, type Tokens } from './tokens.ts';

/** The one-pass parser gives up: the text is nested too deep, or it is no expression. */
export class NotParsed extends Error {}

/**
 * Parses the grammar of CEL (language definition, section Syntax) by recursive descent in one pass. It gives up at the first token that
 * does not fit; another parser then finds the errors to report (recovery/).
 */
export class OnePassParser {
  readonly #tokens: Tokens;
  readonly #kinds: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #builder: NodeBuilder;
  readonly #maxDepth: number;
  #next = 0;
  /** nesting of these grammar rules, counted as the parser of cel-go does */
  #expressions = 0;
  #relations = 0;
  #sums = 0;
  /** height of the node that was made last: how many nodes of the counted kinds are nested in it */
  #height = 0;

  /** @param maxDepth limit of the nesting of a grammar rule, and of the height of a node */
  constructor(tokens: Tokens, builder: NodeBuilder, maxDepth: number) {
    this.#tokens = tokens;
    this.#kinds = tokens.kinds;
    this.#starts = tokens.starts;
    this.#ends = tokens.ends;
    this.#builder = builder;
    this.#maxDepth = maxDepth;
  }

  /** Parses the whole text. @throws NotParsed, and what the builder's report throws */
  whole(): Node {
    const root = this.#expression();
    this.#expect(Token.EndOfInput);
    return root;
  }

  #giveUp(): never {
    throw new NotParsed();
  }

  #expression(): Node {
    if (++this.#expressions > this.#maxDepth) this.#giveUp();
    const from = this.#start();
    const condition = this.#disjunction();
    if (this.#peek() !== Token.Question) {
      this.#expressions--;
      return condition;
    }
    let height = this.#height;
    const at = this.#start();
    this.#next++;
    const id = this.#builder.nextId();
    const then = this.#disjunction();
    height = Math.max(height, this.#height);
    this.#expect(Token.Colon);
    const otherwise = this.#expression();
    this.#grow(height);
    this.#expressions--;
    return this.#builder.plainCall(id, { at, from, to: this.#end() }, '_?_:_', undefined, [condition, then, otherwise]);
  }

  /** Counts a parent of the node that was made last. @param other height of its other children */
  #grow(other: number): void {
    this.#height = Math.max(this.#height, other) + 1;
    if (this.#height > this.#maxDepth) this.#giveUp();
  }

  #disjunction(): Node {
    const from = this.#start();
    const first = this.#conjunction();
    return this.#peek() === Token.Or ? this.#chain(Token.Or, from, first) : first;
  }

  #conjunction(): Node {
    const from = this.#start();
    const first = this.#relation(0);
    return this.#peek() === Token.And ? this.#chain(Token.And, from, first) : first;
  }

  #chain(operator: Token, start: number, first: Node): Node {
    const terms: ChainTerm[] = [{ node: first, from: start, to: this.#end() }];
    const operators: ChainOperator[] = [];
    let height = this.#height;
    while (this.#peek() === operator) {
      const at = this.#start();
      this.#next++;
      const from = this.#start();
      const node = operator === Token.Or ? this.#conjunction() : this.#relation(0);
      height = Math.max(height, this.#height);
      terms.push({ node, from, to: this.#end() });
      operators.push({ id: this.#builder.nextId(), at });
    }
    this.#height = height;
    return this.#builder.chain(operator === Token.Or ? '_||_' : '_&&_', terms, operators);
  }

  /** @param level 0 for a whole chain of comparisons, 1 for the right operand of one */
  #relation(level: 0 | 1): Node {
    if (++this.#relations > this.#maxDepth) this.#giveUp();
    const from = this.#start();
    let node = this.#sum(ADDITION);
    while (level === 0 && this.#peek() >= Token.Equals && this.#peek() <= Token.Greater)
      node = this.#binary(from, node, () => this.#relation(1));
    this.#relations--;
    return node;
  }

  /** @param least the lowest precedence of operators that belong to this sum */
  #sum(least: number): Node {
    if (++this.#sums > this.#maxDepth) this.#giveUp();
    const from = this.#start();
    let node = this.#unary();
    for (let taken = precedence(this.#peek()); taken >= least && taken > 0; taken = precedence(this.#peek())) {
      const next = taken + 1;
      node = this.#binary(from, node, () => this.#sum(next));
    }
    this.#sums--;
    return node;
  }

  #binary(from: number, left: Node, operand: () => Node): Node {
    const height = this.#height;
    const name = OPERATORS[this.#peek()] as string;
    const at = this.#start();
    this.#next++;
    const id = this.#builder.nextId();
    const right = operand();
    this.#grow(height);
    return this.#builder.plainCall(id, { at, from, to: this.#end() }, name, undefined, [left, right]);
  }

  /** A minus before a number belongs to the number, unless other signs precede it. Two equal operators cancel each other out. */
  #unary(): Node {
    const operator = this.#peek();
    if (operator !== Token.Not && (operator !== Token.Minus || this.#isSignedNumber())) return this.#member();
    const at = this.#start();
    const first = this.#next;
    do this.#next++;
    while (this.#peek() === operator);
    if ((this.#next - first) % 2 === 0) return this.#member();
    const id = this.#builder.nextId();
    const operand = this.#member();
    return this.#builder.plainCall(id, { at, from: at, to: this.#end() }, operator === Token.Not ? '!_' : '-_', undefined, [operand]);
  }

  #isSignedNumber(): boolean {
    const kind = this.#kinds[this.#next + 1];
    return kind === Token.Int || kind === Token.Double;
  }

  #member(): Node {
    const from = this.#start();
    let node = this.#primary();
    for (;;) {
      const kind = this.#peek();
      if (kind === Token.Dot) node = this.#selection(from, node);
      else if (kind === Token.OpenBracket) node = this.#index(from, node);
      else return node;
    }
  }

  #selection(from: number, operand: Node): Node {
    const height = this.#height;
    const at = this.#start();
    this.#next++;
    const optional = this.#accept(Token.Question);
    const quoted = this.#accept(Token.QuotedIdentifier);
    if (!quoted) this.#expect(Token.Identifier);
    const name = this.#next - 1;
    const field = quoted ? this.#text(name).slice(1, -1) : this.#text(name);
    if (!optional && !quoted && this.#peek() === Token.OpenParenthesis) return this.#memberCall(from, operand, field);
    this.#grow(height);
    const place = { at, from, to: this.#end() };
    return optional
      ? this.#builder.optionalSelect(place, operand, field, this.#placeOf(name))
      : this.#builder.select(place, operand, field);
  }

  #memberCall(from: number, target: Node, name: string): Node {
    const height = this.#height;
    const id = this.#builder.nextId();
    const at = this.#start();
    const args = this.#arguments();
    this.#grow(height);
    return this.#builder.call(id, { at, from, to: this.#end() }, name, target, args);
  }

  #index(from: number, operand: Node): Node {
    const height = this.#height;
    const id = this.#builder.nextId();
    const at = this.#start();
    this.#next++;
    const optional = this.#accept(Token.Question);
    const key = this.#expression();
    this.#expect(Token.CloseBracket);
    this.#grow(height);
    return this.#builder.index(id, { at, from, to: this.#end() }, operand, key, optional);
  }

  #primary(): Node {
    this.#height = 0;
    switch (this.#peek()) {
      case Token.Dot:
      case Token.Identifier:
        return this.#named();
      case Token.OpenParenthesis:
        return this.#nested();
      case Token.OpenBracket:
        return this.#list();
      case Token.OpenBrace:
        return this.#map();
      default:
        return this.#literal();
    }
  }

  #nested(): Node {
    this.#next++;
    const node = this.#expression();
    this.#expect(Token.CloseParenthesis);
    return node;
  }

  #named(): Node {
    const first = this.#next;
    const dotted = this.#accept(Token.Dot);
    this.#expect(Token.Identifier);
    const brace = this.#braceOfMessage();
    if (brace !== undefined) return this.#struct(first, brace);
    const token = this.#next - 1;
    const name = this.#text(token);
    const from = this.#starts[first] as number;
    const dotAt = dotted ? from : undefined;
    if (this.#peek() !== Token.OpenParenthesis) return this.#builder.identifier({ ...this.#placeOf(token), from }, name, dotAt);
    const at = this.#start();
    const reserved = this.#builder.reservedFunction(name, { at, from, to: this.#end() }, from);
    if (reserved !== undefined) return reserved;
    const id = this.#builder.nextId();
    const args = this.#arguments();
    return this.#builder.call(id, { at, from, to: this.#end() }, dotted ? `.${name}` : name, undefined, args);
  }

  /** @returns the index of the opening brace after the qualified name of a type; undefined if no brace follows */
  #braceOfMessage(): number | undefined {
    let index = this.#next;
    while (this.#kinds[index] === Token.Dot && this.#kinds[index + 1] === Token.Identifier) index += 2;
    return this.#kinds[index] === Token.OpenBrace ? index : undefined;
  }

  #struct(first: number, brace: number): Node {
    let type = '';
    for (let index = first; index < brace; index++) type += this.#text(index);
    const id = this.#builder.nextId();
    const at = this.#starts[brace] as number;
    this.#next = brace + 1;
    const fields: StructNode['fields'][number][] = [];
    this.#separated(Token.CloseBrace, () => fields.push(this.#field()));
    return this.#builder.struct(id, { at, from: this.#starts[first] as number, to: this.#end() }, type, fields);
  }

  #field(): StructNode['fields'][number] {
    const at = this.#start();
    const optional = this.#accept(Token.Question) && this.#builder.allowsOptional(at);
    const quoted = this.#accept(Token.QuotedIdentifier);
    if (!quoted) this.#expect(Token.Identifier);
    const text = this.#text(this.#next - 1);
    const id = this.#builder.nextId();
    const colon = this.#start();
    this.#expect(Token.Colon);
    return { id, name: quoted ? text.slice(1, -1) : text, at: colon, value: this.#expression(), optional };
  }

  #map(): Node {
    const id = this.#builder.nextId();
    const at = this.#start();
    this.#next++;
    const entries: MapNode['entries'][number][] = [];
    this.#separated(Token.CloseBrace, () => entries.push(this.#entry()));
    return this.#builder.map(id, { at, from: at, to: this.#end() }, entries);
  }

  #entry(): MapNode['entries'][number] {
    const id = this.#builder.nextId();
    const at = this.#start();
    const optional = this.#accept(Token.Question) && this.#builder.allowsOptional(at);
    const key = this.#expression();
    const height = this.#height;
    this.#expect(Token.Colon);
    const value = this.#expression();
    this.#height = Math.max(height, this.#height);
    return { id, key, value, optional };
  }

  #list(): Node {
    const id = this.#builder.nextId();
    const at = this.#start();
    this.#next++;
    const elements: ListNode['elements'][number][] = [];
    this.#separated(Token.CloseBracket, () => {
      const markAt = this.#start();
      const optional = this.#accept(Token.Question) && this.#builder.allowsOptional(markAt);
      elements.push({ value: this.#expression(), optional });
    });
    return this.#builder.list(id, { at, from: at, to: this.#end() }, elements);
  }

  /** Parses items between brackets or braces. A comma may follow the last item, or stand alone. */
  #separated(close: Token, item: () => void): void {
    let height = 0;
    if (this.#peek() !== close && this.#peek() !== Token.Comma) {
      do {
        item();
        height = Math.max(height, this.#height);
      } while (this.#peek() === Token.Comma && this.#kinds[this.#next + 1] !== close && this.#accept(Token.Comma));
    }
    this.#accept(Token.Comma);
    this.#expect(close);
    this.#height = height;
  }

  #arguments(): Node[] {
    const args: Node[] = [];
    let height = 0;
    this.#next++;
    if (this.#peek() !== Token.CloseParenthesis) {
      do {
        args.push(this.#expression());
        height = Math.max(height, this.#height);
      } while (this.#accept(Token.Comma));
    }
    this.#expect(Token.CloseParenthesis);
    this.#height = height;
    return args;
  }

  #literal(): Node {
    const first = this.#next;
    const negative = this.#accept(Token.Minus);
    const kind = this.#peek();
    if (negative && kind !== Token.Int && kind !== Token.Double) this.#giveUp();
    if (kind < Token.True || kind > Token.Bytes) this.#giveUp();
    const text = this.#text(this.#next);
    this.#next++;
    const at = this.#starts[first] as number;
    const place = { at, from: at, to: this.#end() };
    try {
      return this.#builder.literal(place, literalValue(kind, text, negative));
    } catch (error) {
      if (error instanceof NoLiteralValue) return this.#builder.refused(place, error.message);
      throw error;
    }
  }

  #peek(): Token {
    return this.#kinds[this.#next] as Token;
  }

  /** @returns the offset of the next token */
  #start(): number {
    return this.#starts[this.#next] as number;
  }

  /** @returns the offset after the last token */
  #end(): number {
    return this.#ends[this.#next - 1] as number;
  }

  #text(index: number): string {
    return this.#tokens.source.slice(this.#starts[index], this.#ends[index]);
  }

  #placeOf(index: number): Place {
    const at = this.#starts[index] as number;
    return { at, from: at, to: this.#ends[index] as number };
  }

  #accept(kind: Token): boolean {
    if (this.#peek() !== kind) return false;
    this.#next++;
    return true;
  }

  #expect(kind: Token): void {
    if (!this.#accept(kind)) this.#giveUp();
  }
}

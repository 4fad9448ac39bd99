/** The grammar of the expression language (Common Expression Language), with its macros. */
import { type Token, tokenize } from './lexer.ts';
import { compileError, type Macro, type Node } from './syntax.ts';

/** Nested parentheses, calls and operators: deeper expressions would fill the stack. */
const MAX_DEPTH = 250;
/** Characters of an expression. */
const MAX_LENGTH = 100_000;
/** The least int has no positive counterpart. */
const BEYOND_INT = 2n ** 63n;
const LEVELS: readonly (readonly string[])[] = [['||'], ['&&'], ['<', '<=', '>=', '>', '==', '!=', 'in'], ['+', '-'], ['*', '/', '%']];
const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while in'.split(' '),
);

/** @throws CompileError */
export function parseExpression(source: string): Node {
  if (source.length > MAX_LENGTH)
    throw compileError('', 0, `expression code point size exceeds limit: size: ${source.length}, limit ${MAX_LENGTH}`);
  return new Parser(source).whole();
}

class Parser {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = tokenize(source);
  }

  whole(): Node {
    const node = this.#expression();
    if (this.#peek().kind !== 'end') throw this.#unexpected();
    return node;
  }

  #expression(): Node {
    if (++this.#depth > MAX_DEPTH) throw compileError(this.#source, this.#peek().at, `expression recursion limit exceeded: ${MAX_DEPTH}`);
    const condition = this.#binary(0);
    const mark = this.#accept('?');
    this.#depth--;
    if (mark === undefined) return condition;
    const then = this.#binary(0);
    this.#expect(':');
    return { op: 'call', name: '_?_:_', target: undefined, args: [condition, then, this.#expression()], at: mark.at };
  }

  #binary(level: number): Node {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const operator = operators.map((text) => this.#accept(text)).find((token) => token !== undefined);
      if (operator === undefined) return left;
      const name = operator.text === 'in' ? '@in' : `_${operator.text}_`;
      left = { op: 'call', name, target: undefined, args: [left, this.#binary(level + 1)], at: operator.at };
    }
  }

  #unary(): Node {
    if (this.#isSigned()) return this.#member();
    const operator = this.#accept('!') ?? this.#accept('-');
    if (operator === undefined) return this.#member();
    if (++this.#depth > MAX_DEPTH) throw compileError(this.#source, operator.at, `expression recursion limit exceeded: ${MAX_DEPTH}`);
    const of = this.#unary();
    this.#depth--;
    if (operator.text === '-' && of.op === 'literal' && of.value === -BEYOND_INT)
      throw compileError(this.#source, operator.at, 'invalid int literal');
    if (operator.text === '-' && of.op === 'literal' && (typeof of.value === 'bigint' || typeof of.value === 'number'))
      return { op: 'literal', value: -of.value, at: operator.at };
    return { op: 'call', name: operator.text === '!' ? '!_' : '-_', target: undefined, args: [of], at: operator.at };
  }

  /** Whether a sign and a number come next: they are one literal, which binds before what follows it. */
  #isSigned(): boolean {
    const { kind, text } = this.#peek();
    const value = this.#tokens[this.#next + 1]?.value;
    return kind === 'symbol' && text === '-' && (typeof value === 'bigint' || typeof value === 'number');
  }

  #member(): Node {
    let node = this.#primary();
    for (;;) {
      if (this.#accept('.') !== undefined) node = this.#selection(node);
      else {
        const bracket = this.#accept('[');
        if (bracket === undefined) return node;
        node = { op: 'call', name: '_[_]', target: undefined, args: [node, this.#expression()], at: bracket.at };
        this.#expect(']');
      }
    }
  }

  #selection(of: Node): Node {
    const field = this.#name();
    const open = this.#accept('(');
    if (open === undefined) return { op: 'select', of, field: field.text, test: false, at: field.at };
    const args = this.#list(')');
    if (MACROS.has(field.text)) {
      const macro = this.#macro(field.text as Macro, of, args, field.at);
      if (macro !== undefined) return macro;
    }
    return { op: 'call', name: field.text, target: of, args, at: open.at };
  }

  #macro(macro: Macro, range: Node, args: readonly Node[], at: number): Node | undefined {
    const [variable, second, third] = args;
    if (args.length !== 2 && !(macro === 'map' && args.length === 3)) return undefined;
    if (variable?.op !== 'name') throw compileError(this.#source, variable?.at ?? at, 'argument must be a simple name');
    return {
      op: 'macro',
      macro,
      range,
      variable: variable.name,
      step: (third ?? second) as Node,
      filter: third === undefined ? undefined : second,
      at,
    };
  }

  #primary(): Node {
    const token = this.#peek();
    if (this.#isSigned()) {
      const number = this.#tokens[this.#next + 1] as Token;
      this.#next += 2;
      return { op: 'literal', value: -(number.value as bigint | number), at: token.at };
    }
    if (token.kind === 'literal') {
      if (token.value === BEYOND_INT) throw compileError(this.#source, token.at, 'invalid int literal');
      this.#next++;
      return { op: 'literal', value: token.value, at: token.at };
    }
    if (token.kind === 'name') return this.#named();
    if (this.#accept('(') !== undefined) {
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    if (this.#accept('[') !== undefined) return { op: 'list', items: this.#list(']'), at: token.at };
    if (this.#accept('{') !== undefined) return { op: 'map', entries: this.#entries(), at: token.at };
    throw this.#unexpected();
  }

  #named(): Node {
    const { text, at } = this.#name();
    if (text === 'true' || text === 'false') return { op: 'literal', value: text === 'true', at };
    if (text === 'null') return { op: 'literal', value: null, at };
    if (RESERVED.has(text)) throw compileError(this.#source, at, `Syntax error: mismatched input '${text}'`);
    const open = this.#accept('(');
    if (open === undefined) return { op: 'name', name: text, at };
    const args = this.#list(')');
    if (text !== 'has') return { op: 'call', name: text, target: undefined, args, at: open.at };
    const [field] = args;
    if (args.length !== 1 || field?.op !== 'select') throw compileError(this.#source, open.at, 'invalid argument to has() macro');
    return { ...field, test: true };
  }

  #list(end: string): Node[] {
    const items: Node[] = [];
    while (this.#accept(end) === undefined) {
      items.push(this.#expression());
      if (this.#accept(',') === undefined) {
        this.#expect(end);
        break;
      }
    }
    return items;
  }

  #entries(): [Node, Node][] {
    const entries: [Node, Node][] = [];
    while (this.#accept('}') === undefined) {
      const key = this.#expression();
      this.#expect(':');
      entries.push([key, this.#expression()]);
      if (this.#accept(',') === undefined) {
        this.#expect('}');
        break;
      }
    }
    return entries;
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #accept(text: string): Token | undefined {
    const token = this.#peek();
    if (token.text !== text || token.kind === 'literal' || token.kind === 'end') return undefined;
    this.#next++;
    return token;
  }

  #expect(text: string): void {
    if (this.#accept(text) === undefined) throw this.#unexpected();
  }

  #name(): Token {
    const token = this.#peek();
    if (token.kind !== 'name') throw this.#unexpected();
    this.#next++;
    return token;
  }

  #unexpected() {
    const { text, at, kind } = this.#peek();
    return compileError(
      this.#source,
      at,
      `Syntax error: ${kind === 'end' ? "mismatched input '<EOF>'" : `extraneous or unexpected input '${text}'`}`,
    );
  }
}

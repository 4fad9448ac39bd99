import { TOKEN_NAMES, Token, type Tokens } from '../tokens.ts';

/** The index of a token in the text, or a negative number for an inserted token. */
export type TokenNumber = number;

export interface TokenAt {
  readonly kind: Token;
  readonly text: string;
  readonly at: number;
  readonly to: number;
}

/** A stream of tokens. A text that is no token is reported when the token after it is first read. */
export class TokenStream {
  readonly #tokens: Tokens;
  readonly #unrecognized: (at: number, text: string) => void;
  readonly #madeUp: TokenAt[] = [];
  #next = 0;
  #seen = -1;
  #told = 0;

  constructor(tokens: Tokens, unrecognized: (at: number, text: string) => void) {
    this.#tokens = tokens;
    this.#unrecognized = unrecognized;
    this.#see(0);
  }

  /** index of the next token */
  get index(): number {
    return this.#next;
  }

  /** @param distance 1 for the next token */
  kind(distance: number): Token {
    const index = Math.min(this.#next + distance - 1, this.#tokens.count - 1);
    this.#see(index);
    return this.#tokens.kinds[index] as Token;
  }

  /** @param distance 1 for the next token, 0 for the one before it */
  number(distance: number): TokenNumber {
    const index = Math.min(Math.max(this.#next + distance - 1, 0), this.#tokens.count - 1);
    this.#see(index);
    return index;
  }

  token(number: TokenNumber): TokenAt {
    if (number < 0) return this.#madeUp[-1 - number] as TokenAt;
    const kind = this.#tokens.kinds[number] as Token;
    const at = this.#tokens.starts[number] as number;
    const to = this.#tokens.ends[number] as number;
    return { kind, text: kind === Token.EndOfInput ? (TOKEN_NAMES[kind] as string) : this.#tokens.source.slice(at, to), at, to };
  }

  makeUp(token: TokenAt): TokenNumber {
    this.#madeUp.push(token);
    return -this.#madeUp.length;
  }

  /** The end of the input is never consumed. */
  consume(): void {
    if (this.#next === this.#tokens.count - 1) return;
    this.#next++;
    this.#see(this.#next);
  }

  /** @returns the text from the next token to a later one, without parts that are no tokens */
  textTo(distance: number): string {
    const { source, starts, ends, findings, count } = this.#tokens;
    const last = Math.min(this.#next + distance - 1, count - 1);
    if (last === this.#next && this.kind(1) === Token.EndOfInput) return TOKEN_NAMES[Token.EndOfInput] as string;
    let from = starts[this.#next] as number;
    let text = '';
    for (const finding of findings) {
      if (finding.tokensBefore <= this.#next || finding.tokensBefore > last) continue;
      text += source.slice(from, finding.from);
      from = finding.to;
    }
    return text + source.slice(from, ends[last]);
  }

  #see(index: number): void {
    if (index <= this.#seen) return;
    this.#seen = index;
    const { findings, source } = this.#tokens;
    for (let next = findings[this.#told]; next !== undefined && next.tokensBefore <= index; next = findings[this.#told]) {
      this.#told++;
      this.#unrecognized(next.from, source.slice(next.from, next.to));
    }
  }
}

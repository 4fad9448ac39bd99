/**
 * A parser that continues after errors by the default strategy of ANTLR 4. An unexpected token is removed if the next one fits; a missing
 * token is inserted if the next one fits after it; otherwise tokens are skipped up to one that can follow one of the open rules. It keeps
 * its own stack.
 */
import { TOKEN_NAMES, Token } from '../tokens.ts';
import type { RuleName } from './grammar.ts';
import type { Branch, CallState, ChoiceState, MatchState, Network, State } from './network.ts';
import { predict } from './prediction.ts';
import type { TokenAt, TokenNumber, TokenStream } from './token-stream.ts';

/** A part of a rule with its label in the grammar: a token, or the context of another rule. */
export interface Part {
  readonly label: string;
  readonly value: TokenNumber | Context;
}

/** What was read of a rule. It is immutable once the rule has ended. */
export interface Context {
  readonly rule: RuleName;
  /** the chosen alternative; undefined if none was chosen, or the rule has only one */
  readonly kind: string | undefined;
  /** the first token */
  readonly start: TokenNumber;
  /** the part before an operator or a suffix */
  readonly left: Context | undefined;
  readonly parts: readonly Part[];
}

export interface RecoveryLimits {
  /** limit of the nesting of grammar rules, and of nodes */
  readonly maxDepth: number;
  /** how often the parser may continue after an error */
  readonly maxRecoveries: number;
  /** how many tokens it may skip each time */
  readonly maxSkippedTokens: number;
}

/** Ends parsing. If it has a message, that has yet to be reported, without a place. */
export class ReadingEnded extends Error {}

export interface RecoveringParserOptions {
  readonly network: Network;
  readonly stream: TokenStream;
  readonly limits: RecoveryLimits;
  /** it may throw */
  readonly report: (at: number, message: string) => void;
}

/** shared by all rules without parts, so it must not be changed */
const NO_PARTS: Part[] = [];

/** An open rule. */
class Frame implements Context {
  readonly rule: RuleName;
  readonly start: TokenNumber;
  readonly left: Context | undefined;
  readonly parent: Frame | undefined;
  readonly call: CallState | undefined;
  kind: string | undefined;
  /** an array is made only for the first part */
  parts: Part[] = NO_PARTS;

  constructor(rule: RuleName, kind: string | undefined, start: TokenNumber, left?: Context, parent?: Frame, call?: CallState) {
    this.rule = rule;
    this.kind = kind;
    this.start = start;
    this.left = left;
    this.parent = parent;
    this.call = call;
  }

  add(label: string, value: TokenNumber | Context): void {
    if (this.parts === NO_PARTS) this.parts = [{ label, value }];
    else this.parts.push({ label, value });
  }

  /** @returns the frame of a rule that continues with what was read so far as its left side */
  continued(): Frame {
    return new Frame(this.rule, undefined, this.start, withoutWrapper(this), this.parent, this.call);
  }
}

/** Why the next tokens do not fit. */
type Mismatch = { readonly kind: 'mismatch' } | { readonly kind: 'noViable'; readonly distance: number };

export class RecoveringParser {
  readonly #options: RecoveringParserOptions;
  readonly #stream: TokenStream;
  readonly #surroundings: { readonly stream: TokenStream; precedence: number };
  /** how often each rule is open, by its number */
  readonly #depths: Uint16Array;
  #frame: Frame;
  #state: State;
  /** whether an error was reported and no expected token was read since; further errors are not reported */
  #recovering = false;
  #recoveries = 0;
  /** the place and states of the last error: if it occurs again, a token is skipped so that parsing advances */
  #lastErrorIndex = -1;
  readonly #lastErrorStates = new Set<number>();

  constructor(options: RecoveringParserOptions) {
    this.#options = options;
    this.#stream = options.stream;
    this.#surroundings = { stream: options.stream, precedence: 0 };
    this.#depths = new Uint16Array(Object.keys(options.network).length);
    this.#frame = this.#newFrame('start', undefined, undefined);
    this.#state = options.network.start.first;
  }

  /** @throws ReadingEnded, and what the report throws */
  parse(): Context {
    for (;;) {
      const state = this.#state;
      if (state.state === 'match') this.#match(state);
      else if (state.state === 'call') this.#call(state);
      else if (state.state === 'choice') this.#choose(state);
      else if (this.#frame.parent === undefined) return this.#frame;
      else this.#leave();
    }
  }

  #newFrame(rule: RuleName, parent: Frame | undefined, call: CallState | undefined): Frame {
    const { kind, number } = this.#options.network[rule];
    const depth = (this.#depths[number] as number) + 1;
    this.#depths[number] = depth;
    const { maxDepth } = this.#options.limits;
    if (depth > maxDepth) throw new ReadingEnded(`expression recursion limit exceeded: ${maxDepth}`);
    return new Frame(rule, kind, this.#stream.index, undefined, parent, call);
  }

  #call(state: CallState): void {
    this.#frame = this.#newFrame(state.rule, this.#frame, state);
    this.#state = this.#options.network[state.rule].first;
  }

  #leave(): void {
    const { parent, call, rule } = this.#frame as Frame & { parent: Frame; call: CallState };
    const { number } = this.#options.network[rule];
    this.#depths[number] = (this.#depths[number] as number) - 1;
    parent.add(call.label, withoutWrapper(this.#frame));
    this.#frame = parent;
    this.#state = call.next;
  }

  #match(state: MatchState): void {
    const value = this.#fits(state) ? this.#taken() : this.#recoveredInline(state);
    if (value === undefined) return this.#abandon({ kind: 'mismatch' });
    if (state.label !== undefined) this.#frame.add(state.label, value);
    this.#state = state.next;
  }

  #fits(state: State): boolean {
    return state.lookahead.tokens[this.#stream.kind(1)] === 1;
  }

  #taken(): TokenNumber {
    const token = this.#stream.index;
    this.#matched();
    this.#stream.consume();
    return token;
  }

  #matched(): void {
    this.#recovering = false;
    this.#lastErrorIndex = -1;
    this.#lastErrorStates.clear();
  }

  #choose(state: ChoiceState): void {
    const mismatch = this.#synchronize(state);
    if (mismatch !== undefined) return this.#abandon(mismatch);
    this.#surroundings.precedence = this.#frame.call?.precedence ?? 0;
    const prediction = predict(state, this.#surroundings);
    if (prediction < 0) return this.#abandon({ kind: 'noViable', distance: -prediction }, state.branchId);
    this.#take(state.branches[prediction] as Branch);
  }

  #take({ kind, precedence, first }: Branch): void {
    if (precedence !== undefined) this.#frame = this.#frame.continued();
    if (kind !== undefined) this.#frame.kind = kind;
    this.#state = first;
  }

  /** @returns by token, 1 for those that may follow the open rules */
  #behind(frame: Frame): Uint8Array {
    const expected = new Uint8Array(TOKEN_NAMES.length);
    let each: Frame | undefined = frame;
    for (; each?.call !== undefined; each = each.parent) {
      const { tokens, end } = each.call.next.lookahead;
      add(expected, tokens);
      if (!end) return expected;
    }
    expected[Token.EndOfInput] = 1;
    return expected;
  }

  /** @returns by token, 1 for those that may come next */
  #expected(state: State): Uint8Array {
    const { tokens, end } = state.lookahead;
    if (!end) return tokens;
    const expected = this.#behind(this.#frame);
    add(expected, tokens);
    return expected;
  }

  /** Checks before a choice, and after each round of a loop, whether the next token fits. */
  #synchronize(state: ChoiceState): Mismatch | undefined {
    if (this.#recovering || state.lookahead.end || this.#fits(state)) return undefined;
    if (!state.withinLoop) return this.#withoutNext(state, () => this.#stream.consume()) ? undefined : { kind: 'mismatch' };
    this.#reportExtraneous(state);
    const expected = Uint8Array.from(this.#expected(state));
    add(expected, this.#recoverySet());
    this.#skipTo(expected, () => this.#stream.consume());
    return undefined;
  }

  #recoveredInline(state: MatchState): TokenNumber | undefined {
    this.#countRecovery();
    const consume = this.#limitedConsume();
    if (this.#withoutNext(state, consume)) {
      const token = this.#stream.index;
      consume();
      return token;
    }
    const behind = this.#expected(state.next);
    return behind[this.#stream.kind(1)] === 1 ? this.#madeUp(state) : undefined;
  }

  /** Removes the next token if the one after it fits. */
  #withoutNext(state: State, consume: () => void): boolean {
    if (this.#expected(state)[this.#stream.kind(2)] !== 1) return false;
    this.#reportExtraneous(state);
    consume();
    this.#matched();
    return true;
  }

  #madeUp(state: MatchState): TokenNumber {
    const expected = this.#expected(state);
    const next = this.#ahead(1);
    this.#tell(next, `missing ${namesOf(expected)} at ${shown(next.text)}`);
    const kind = expected.indexOf(1) as Token;
    const { at, to } = next.kind === Token.EndOfInput ? this.#ahead(0) : next;
    return this.#stream.makeUp({ kind, text: kind <= Token.Null ? `<missing ${TOKEN_NAMES[kind]}>` : '<missing undefined>', at, to });
  }

  #reportExtraneous(state: State): void {
    const token = this.#ahead(1);
    this.#tell(token, `extraneous input ${shown(token.text)} expecting ${namesOf(this.#expected(state))}`);
  }

  #ahead(distance: number): TokenAt {
    return this.#stream.token(this.#stream.number(distance));
  }

  #tell({ at }: TokenAt, message: string): void {
    if (this.#recovering) return;
    this.#recovering = true;
    this.#options.report(at, message);
  }

  /** Reports the error, skips tokens that cannot follow, and leaves the rule. */
  #abandon(mismatch: Mismatch, failedState = this.#state.id): void {
    const state = this.#state;
    if (mismatch.kind === 'noViable') {
      const { distance } = mismatch;
      this.#tell(this.#ahead(distance), `no viable alternative at input ${shown(this.#stream.textTo(distance))}`);
    } else {
      const token = this.#ahead(1);
      this.#tell(token, `mismatched input ${shown(token.text)} expecting ${namesOf(this.#expected(state))}`);
    }
    this.#recover(failedState);
    if (this.#frame.parent !== undefined) this.#leave();
    else this.#state = { state: 'end', id: -1, lookahead: { tokens: new Uint8Array(TOKEN_NAMES.length), end: true } };
  }

  #recover(state: number): void {
    this.#countRecovery();
    const consume = this.#limitedConsume();
    if (this.#lastErrorIndex === this.#stream.index && this.#lastErrorStates.has(state)) consume();
    this.#lastErrorIndex = this.#stream.index;
    this.#lastErrorStates.add(state);
    this.#skipTo(this.#recoverySet(), consume);
  }

  /** By token, 1 for those that may follow one of the open rules within its parent. */
  #recoverySet(): Uint8Array {
    const set = new Uint8Array(TOKEN_NAMES.length);
    for (let each: Frame | undefined = this.#frame; each?.call !== undefined; each = each.parent) add(set, each.call.next.lookahead.tokens);
    return set;
  }

  #skipTo(set: Uint8Array, consume: () => void): void {
    for (let kind = this.#stream.kind(1); kind !== Token.EndOfInput && set[kind] !== 1; kind = this.#stream.kind(1)) consume();
  }

  #countRecovery(): void {
    const { maxRecoveries } = this.#options.limits;
    if (this.#recoveries++ < maxRecoveries) return;
    this.#options.report(this.#ahead(1).at, `error recovery attempt limit exceeded: ${maxRecoveries}`);
    throw new ReadingEnded();
  }

  #limitedConsume(): () => void {
    const { maxSkippedTokens } = this.#options.limits;
    let skipped = 0;
    return () => {
      if (skipped++ >= maxSkippedTokens) throw new ReadingEnded(`error recovery token lookahead limit exceeded: ${maxSkippedTokens}`);
      this.#stream.consume();
    };
  }
}

const WRAPPERS: ReadonlySet<string> = new Set(['calc', 'unary', 'memberExpr', 'primaryExpr', 'nested', 'constantLiteral']);

/** @returns the only part of a context that has no meaning of its own, else the context */
function withoutWrapper(context: Context): Context {
  const { rule, kind, parts } = context;
  const isWrapper = kind === undefined ? rule === 'expr' || rule === 'conditionalOr' || rule === 'conditionalAnd' : WRAPPERS.has(kind);
  const value = isWrapper && parts.length === 1 ? parts[0]?.value : undefined;
  return typeof value === 'object' ? value : context;
}

function add(to: Uint8Array, from: Uint8Array): void {
  for (let kind = 0; kind < to.length; kind++) if (from[kind] === 1) to[kind] = 1;
}

function namesOf(expected: Uint8Array): string {
  const names = TOKEN_NAMES.filter((_name, kind) => expected[kind] === 1);
  return names.length === 1 ? (names[0] as string) : `{${names.join(', ')}}`;
}

function shown(text: string): string {
  return `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;
}

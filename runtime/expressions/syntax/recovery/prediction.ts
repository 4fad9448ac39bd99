/**
 * Chooses between alternatives as ANTLR does, with as many tokens as needed. Its general method searches for the only alternative that
 * fits; these functions return the same results for the decisions of this grammar. If no alternative fits a token, one that was complete
 * before that token is chosen; otherwise none is viable.
 */
import { Token } from '../tokens.ts';
import type { Decision } from './grammar.ts';
import type { Branch, ChoiceState, MatchState, State } from './network.ts';
import type { TokenStream } from './token-stream.ts';

export interface Surroundings {
  readonly stream: TokenStream;
  /** precedence of the rule that decides */
  readonly precedence: number;
}

/** The index of a branch. A negative number says how many tokens ahead no branch fits: -1 for the next token. */
export type Prediction = number;

const NOT_THE_NEXT = -1;
const NOT_THE_SECOND = -2;

type Predict = (state: ChoiceState, surroundings: Surroundings) => Prediction;

export function predict(state: ChoiceState, surroundings: Surroundings): Prediction {
  return PREDICTIONS[state.decision](state, surroundings);
}

const PREDICTIONS: Readonly<Record<Decision, Predict>> = {
  nextToken: byNextToken,
  relationSuffix: byPrecedence,
  calcSuffix: byPrecedence,
  memberSuffix,
  unary,
  moreMinus,
  primary,
  literal,
  moreItems,
};

function has(state: State, token: Token): boolean {
  return state.lookahead.tokens[token] === 1;
}

function firstOf({ branches }: ChoiceState, index: number): State {
  return (branches[index] as Branch).first;
}

function byNextToken({ branches }: ChoiceState, { stream }: Surroundings): Prediction {
  const next = stream.kind(1);
  const found = branches.findIndex(({ first }) => has(first, next));
  if (found >= 0) return found;
  const mustFit = branches[0]?.kind !== undefined;
  return mustFit ? NOT_THE_NEXT : branches.length - 1;
}

function byPrecedence({ branches }: ChoiceState, { stream, precedence }: Surroundings): Prediction {
  const next = stream.kind(1);
  const found = branches.findIndex((each) => each.precedence !== undefined && each.precedence >= precedence && has(each.first, next));
  return found >= 0 ? found : branches.length - 1;
}

const SELECT = 0;
const MEMBER_CALL = 1;
const INDEX = 2;
const NO_SUFFIX = 3;

function memberSuffix(_state: ChoiceState, { stream }: Surroundings): Prediction {
  const next = stream.kind(1);
  if (next === Token.OpenBracket) return INDEX;
  if (next !== Token.Dot) return NO_SUFFIX;
  const second = stream.kind(2);
  if (second === Token.Identifier) return stream.kind(3) === Token.OpenParenthesis ? MEMBER_CALL : SELECT;
  return second === Token.Question || second === Token.QuotedIdentifier ? SELECT : NOT_THE_SECOND;
}

const MEMBER = 0;
const LOGICAL_NOT = 1;
const NEGATE = 2;

function unary(state: ChoiceState, surroundings: Surroundings): Prediction {
  const next = surroundings.stream.kind(1);
  const member = firstOf(state, MEMBER);
  if (next === Token.Minus) return behindMinus(surroundings, member, MEMBER, NEGATE);
  if (next === Token.Not) return LOGICAL_NOT;
  return has(member, next) ? MEMBER : NOT_THE_NEXT;
}

const ONE_MORE = 0;
const NO_MORE = 1;

function moreMinus(state: ChoiceState, surroundings: Surroundings): Prediction {
  const next = surroundings.stream.kind(1);
  const member = firstOf(state, NO_MORE);
  if (next === Token.Minus) return behindMinus(surroundings, member, ONE_MORE, ONE_MORE);
  return has(member, next) ? NO_MORE : NOT_THE_NEXT;
}

/** A minus and a number may be a literal, or an operator with its operand. If both fit, the first alternative is chosen. */
function behindMinus({ stream }: Surroundings, member: State, ofNumber: number, asOperator: number): Prediction {
  const second = stream.kind(2);
  if (second === Token.Int || second === Token.Double) return ofNumber;
  return has(member, second) ? asOperator : NOT_THE_SECOND;
}

const NAME = 0;
const MESSAGE = 4;
const LITERAL = 5;
const BY_BRACKET: ReadonlyMap<Token, number> = new Map([
  [Token.OpenParenthesis, 1],
  [Token.OpenBracket, 2],
  [Token.OpenBrace, 3],
]);

function primary(state: ChoiceState, { stream }: Surroundings): Prediction {
  const next = stream.kind(1);
  const bracket = BY_BRACKET.get(next);
  if (bracket !== undefined) return bracket;
  const dotted = next === Token.Dot;
  if (dotted && stream.kind(2) !== Token.Identifier) return NOT_THE_SECOND;
  if (!dotted && next !== Token.Identifier) return has(firstOf(state, LITERAL), next) ? LITERAL : NOT_THE_NEXT;
  let last = dotted ? 2 : 1;
  while (stream.kind(last + 1) === Token.Dot && stream.kind(last + 2) === Token.Identifier) last += 2;
  return stream.kind(last + 1) === Token.OpenBrace ? MESSAGE : NAME;
}

const INT = 0;
const DOUBLE = 2;

function literal(state: ChoiceState, surroundings: Surroundings): Prediction {
  const { stream } = surroundings;
  if (stream.kind(1) !== Token.Minus) return byNextToken(state, surroundings);
  const second = stream.kind(2);
  if (second === Token.Int) return INT;
  return second === Token.Double ? DOUBLE : NOT_THE_SECOND;
}

/** A comma may follow the last item. */
function moreItems(state: ChoiceState, { stream }: Surroundings): Prediction {
  const comma = firstOf(state, 0) as MatchState;
  return has(comma, stream.kind(1)) && has(comma.next, stream.kind(2)) ? 0 : 1;
}

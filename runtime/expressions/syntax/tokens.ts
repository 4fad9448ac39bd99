/** The tokens of CEL, numbered in the order in which messages of cel-go list them. */
export const Token = {
  EndOfInput: 0,
  Equals: 1,
  NotEquals: 2,
  In: 3,
  Less: 4,
  LessEquals: 5,
  GreaterEquals: 6,
  Greater: 7,
  And: 8,
  Or: 9,
  OpenBracket: 10,
  CloseBracket: 11,
  OpenBrace: 12,
  CloseBrace: 13,
  OpenParenthesis: 14,
  CloseParenthesis: 15,
  Dot: 16,
  Comma: 17,
  Minus: 18,
  Not: 19,
  Question: 20,
  Colon: 21,
  Plus: 22,
  Star: 23,
  Slash: 24,
  Percent: 25,
  True: 26,
  False: 27,
  Null: 28,
  Double: 29,
  Int: 30,
  Uint: 31,
  String: 32,
  Bytes: 33,
  Identifier: 34,
  QuotedIdentifier: 35,
} as const;

export type Token = (typeof Token)[keyof typeof Token];

/** The names of tokens in messages. */
export const TOKEN_NAMES: readonly string[] =
  "<EOF> '==' '!=' 'in' '<' '<=' '>=' '>' '&&' '||' '[' ']' '{' '}' '(' ')' '.' ',' '-' '!' '?' ':' '+' '*' '/' '%' 'true' 'false' 'null' NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER ESC_IDENTIFIER".split(
    ' ',
  );

/** A text that is no token, up to and including the character that does not fit. */
export interface LexicalFinding {
  readonly from: number;
  readonly to: number;
  /** number of tokens before it */
  readonly tokensBefore: number;
}

/** The last token is the end of the input. The arrays may be longer than `count`. */
export interface Tokens {
  readonly source: string;
  readonly count: number;
  readonly kinds: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly findings: readonly LexicalFinding[];
}

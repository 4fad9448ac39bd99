import { Token } from './tokens.ts';

/** The functions that binary operators call. */
export const OPERATORS: Readonly<Partial<Record<Token, string>>> = {
  [Token.Equals]: '_==_',
  [Token.NotEquals]: '_!=_',
  [Token.In]: '@in',
  [Token.Less]: '_<_',
  [Token.LessEquals]: '_<=_',
  [Token.GreaterEquals]: '_>=_',
  [Token.Greater]: '_>_',
  [Token.Plus]: '_+_',
  [Token.Minus]: '_-_',
  [Token.Star]: '_*_',
  [Token.Slash]: '_/_',
  [Token.Percent]: '_%_',
};

/** Precedences of arithmetic operators; higher ones bind tighter. */
export const ADDITION = 1;
export const MULTIPLICATION = 2;

/** @returns 0 for a token that is no arithmetic operator */
export function precedence(kind: Token): number {
  if (kind === Token.Plus || kind === Token.Minus) return ADDITION;
  return kind === Token.Star || kind === Token.Slash || kind === Token.Percent ? MULTIPLICATION : 0;
}

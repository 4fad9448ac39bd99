/**
 * The grammar of cel-go's generated parser (ANTLR 4), by which that parser names what it expects and continues after errors. Rules,
 * alternatives and labels are those of its grammar file, because messages depend on them.
 */
import { Token } from '../tokens.ts';

export type RuleName =
  | 'start'
  | 'expr'
  | 'conditionalOr'
  | 'conditionalAnd'
  | 'relation'
  | 'calc'
  | 'unary'
  | 'member'
  | 'primary'
  | 'exprList'
  | 'listInit'
  | 'fieldInitializerList'
  | 'optField'
  | 'mapInitializerList'
  | 'optExpr'
  | 'fieldName'
  | 'literal';

export type Item =
  | { readonly item: 'token'; readonly kinds: readonly Token[]; readonly label: string | undefined }
  | { readonly item: 'rule'; readonly rule: RuleName; readonly label: string; readonly precedence: number }
  | { readonly item: 'optional' | 'repeated' | 'several'; readonly decision: Decision; readonly items: readonly Item[] };

export interface Alternative {
  readonly kind: string;
  readonly items: readonly Item[];
}

/** An alternative of a left-recursive rule, without the rule at its start. */
export interface Suffix extends Alternative {
  readonly precedence: number;
}

export type Rule =
  | { readonly form: 'sequence'; readonly items: readonly Item[] }
  | { readonly form: 'choice'; readonly decision: Decision; readonly alternatives: readonly Alternative[] }
  | { readonly form: 'suffixed'; readonly decision: Decision; readonly first: Alternative; readonly suffixes: readonly Suffix[] };

/** How an alternative is chosen: by the next token alone, or as prediction.ts says. */
export type Decision =
  | 'nextToken'
  | 'relationSuffix'
  | 'calcSuffix'
  | 'memberSuffix'
  | 'unary'
  | 'moreMinus'
  | 'primary'
  | 'literal'
  | 'moreItems';

const token = (kind: Token | readonly Token[], label?: string): Item => ({ item: 'token', kinds: [kind].flat(), label });
const rule = (name: RuleName, label: string, precedence = 0): Item => ({ item: 'rule', rule: name, label, precedence });
const optional = (...items: Item[]): Item => ({ item: 'optional', decision: 'nextToken', items });
const repeated = (decision: Decision, ...items: Item[]): Item => ({ item: 'repeated', decision, items });
const several = (decision: Decision, ...items: Item[]): Item => ({ item: 'several', decision, items });
const sequence = (...items: Item[]): Rule => ({ form: 'sequence', items });

const RELATIONS = [Token.Less, Token.LessEquals, Token.GreaterEquals, Token.Greater, Token.Equals, Token.NotEquals, Token.In];
const COMMA = token(Token.Comma);
const OPTIONAL_COMMA = optional(COMMA);
const OPTIONAL_DOT = optional(token(Token.Dot, 'dot'));
const OPTIONAL_MARK = optional(token(Token.Question, 'opt'));
const ARGUMENTS = [token(Token.OpenParenthesis, 'open'), optional(rule('exprList', 'args')), token(Token.CloseParenthesis)];

/** @param fieldName the item that names a field: an identifier, or the rule that also accepts quoted names */
function rules(fieldName: Item): Omit<Record<RuleName, Rule>, 'fieldName'> {
  return {
    start: sequence(rule('expr', 'e'), token(Token.EndOfInput)),
    expr: sequence(
      rule('conditionalOr', 'e'),
      optional(token(Token.Question, 'op'), rule('conditionalOr', 'e1'), token(Token.Colon), rule('expr', 'e2')),
    ),
    conditionalOr: sequence(rule('conditionalAnd', 'e'), repeated('nextToken', token(Token.Or, 'ops'), rule('conditionalAnd', 'e1'))),
    conditionalAnd: sequence(rule('relation', 'e'), repeated('nextToken', token(Token.And, 'ops'), rule('relation', 'e1'))),
    relation: {
      form: 'suffixed',
      decision: 'relationSuffix',
      first: { kind: 'calc', items: [rule('calc', 'e')] },
      suffixes: [{ kind: 'operation', precedence: 1, items: [token(RELATIONS, 'op'), rule('relation', 'right', 2)] }],
    },
    calc: {
      form: 'suffixed',
      decision: 'calcSuffix',
      first: { kind: 'unary', items: [rule('unary', 'e')] },
      suffixes: [
        { kind: 'operation', precedence: 2, items: [token([Token.Star, Token.Slash, Token.Percent], 'op'), rule('calc', 'right', 3)] },
        { kind: 'operation', precedence: 1, items: [token([Token.Plus, Token.Minus], 'op'), rule('calc', 'right', 2)] },
      ],
    },
    unary: {
      form: 'choice',
      decision: 'unary',
      alternatives: [
        { kind: 'memberExpr', items: [rule('member', 'e')] },
        { kind: 'logicalNot', items: [several('nextToken', token(Token.Not, 'ops')), rule('member', 'e')] },
        { kind: 'negate', items: [several('moreMinus', token(Token.Minus, 'ops')), rule('member', 'e')] },
      ],
    },
    member: {
      form: 'suffixed',
      decision: 'memberSuffix',
      first: { kind: 'primaryExpr', items: [rule('primary', 'e')] },
      suffixes: [
        { kind: 'select', precedence: 3, items: [token(Token.Dot, 'op'), OPTIONAL_MARK, fieldName] },
        { kind: 'memberCall', precedence: 2, items: [token(Token.Dot, 'op'), token(Token.Identifier, 'id'), ...ARGUMENTS] },
        {
          kind: 'index',
          precedence: 1,
          items: [token(Token.OpenBracket, 'op'), OPTIONAL_MARK, rule('expr', 'index'), token(Token.CloseBracket)],
        },
      ],
    },
    primary: {
      form: 'choice',
      decision: 'primary',
      alternatives: [
        { kind: 'identOrGlobalCall', items: [OPTIONAL_DOT, token(Token.Identifier, 'id'), optional(...ARGUMENTS)] },
        { kind: 'nested', items: [token(Token.OpenParenthesis), rule('expr', 'e'), token(Token.CloseParenthesis)] },
        {
          kind: 'createList',
          items: [token(Token.OpenBracket, 'op'), optional(rule('listInit', 'elems')), OPTIONAL_COMMA, token(Token.CloseBracket)],
        },
        {
          kind: 'createStruct',
          items: [token(Token.OpenBrace, 'op'), optional(rule('mapInitializerList', 'entries')), OPTIONAL_COMMA, token(Token.CloseBrace)],
        },
        {
          kind: 'createMessage',
          items: [
            OPTIONAL_DOT,
            token(Token.Identifier, 'ids'),
            repeated('nextToken', token(Token.Dot), token(Token.Identifier, 'ids')),
            token(Token.OpenBrace, 'op'),
            optional(rule('fieldInitializerList', 'entries')),
            OPTIONAL_COMMA,
            token(Token.CloseBrace),
          ],
        },
        { kind: 'constantLiteral', items: [rule('literal', 'e')] },
      ],
    },
    exprList: sequence(rule('expr', 'e'), repeated('nextToken', COMMA, rule('expr', 'e'))),
    listInit: sequence(rule('optExpr', 'elems'), repeated('moreItems', COMMA, rule('optExpr', 'elems'))),
    fieldInitializerList: sequence(
      rule('optField', 'fields'),
      token(Token.Colon, 'cols'),
      rule('expr', 'values'),
      repeated('moreItems', COMMA, rule('optField', 'fields'), token(Token.Colon, 'cols'), rule('expr', 'values')),
    ),
    optField: sequence(OPTIONAL_MARK, fieldName),
    mapInitializerList: sequence(
      rule('optExpr', 'keys'),
      token(Token.Colon, 'cols'),
      rule('expr', 'values'),
      repeated('moreItems', COMMA, rule('optExpr', 'keys'), token(Token.Colon, 'cols'), rule('expr', 'values')),
    ),
    optExpr: sequence(OPTIONAL_MARK, rule('expr', 'e')),
    literal: {
      form: 'choice',
      decision: 'literal',
      alternatives: [
        { kind: 'literal', items: [optional(token(Token.Minus, 'sign')), token(Token.Int, 'tok')] },
        { kind: 'literal', items: [token(Token.Uint, 'tok')] },
        { kind: 'literal', items: [optional(token(Token.Minus, 'sign')), token(Token.Double, 'tok')] },
        { kind: 'literal', items: [token(Token.String, 'tok')] },
        { kind: 'literal', items: [token(Token.Bytes, 'tok')] },
        { kind: 'literal', items: [token(Token.True, 'tok')] },
        { kind: 'literal', items: [token(Token.False, 'tok')] },
        { kind: 'literal', items: [token(Token.Null, 'tok')] },
      ],
    },
  };
}

/** @param quotedNames whether fields may be named in backquotes */
export function grammar(quotedNames: boolean): Record<RuleName, Rule> {
  const fieldName: Rule = {
    form: 'choice',
    decision: 'nextToken',
    alternatives: [
      { kind: 'simpleName', items: [token(Token.Identifier, 'id')] },
      { kind: 'quotedName', items: [token(Token.QuotedIdentifier, 'id')] },
    ],
  };
  return { ...rules(quotedNames ? rule('fieldName', 'name') : token(Token.Identifier, 'id')), fieldName };
}

/**
 * Compiles and evaluates the expressions that an issuer's configuration has over the claims of a token, and over the user that they name (specification:
 * Expression language).
 */
import { invalid } from '../../contract/field-error.ts';
import type { User } from '../../contract/request-context.ts';
import { type CompiledExpression, CompileError, compileExpression, ExpressionError } from '../../expressions/expression.ts';
import { ofAnyType } from '../../expressions/expression-problems.ts';
import type { Node } from '../../expressions/syntax/node.ts';
import { descendants } from '../../expressions/syntax/walk.ts';
import { ANY, listOf, mapOf, STRING, struct, type Type } from '../../expressions/types/type.ts';
import { jsonValue } from '../../expressions/values/json-values.ts';
import { ListValue, type Value } from '../../expressions/values/value.ts';
import type { Payload } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import type { StatedIssuer } from './stated-issuer.ts';

/** The cost units that one evaluation may use, as in 1.32. */
const BUDGET = 1_000_000;

const CLAIMS: Readonly<Record<string, Type>> = { claims: mapOf(STRING, ANY) };
const USER: Readonly<Record<string, Type>> = {
  user: struct('UserInfo', { username: STRING, uid: STRING, groups: listOf(STRING), extra: mapOf(STRING, listOf(STRING)) }),
};

/** A validation rule: an expression that must give true, and the message of the refusal if it does not. */
interface Rule {
  readonly expression: CompiledExpression;
  readonly message: string;
}

/** The compiled expressions of one issuer. One for a part of the user is undefined if the configuration names a claim for that part instead, or nothing. */
export interface ClaimExpressions {
  readonly username: CompiledExpression | undefined;
  readonly groups: CompiledExpression | undefined;
  readonly uid: CompiledExpression | undefined;
  readonly extra: readonly { readonly key: string; readonly value: CompiledExpression }[];
  readonly claimRules: readonly Rule[];
  readonly userRules: readonly Rule[];
}

/**
 * Compiles all expressions of one issuer, and checks that a name which is an e-mail address is verified.
 * @param at the path of the issuer in the configuration, such as `jwt[0]`
 * @returns the expressions; or a list of sentences about those that are wrong, in the order of 1.32
 */
export function compileExpressions(
  { claimMappings, claimValidationRules = [], userValidationRules = [] }: StatedIssuer,
  at: string,
): ClaimExpressions | readonly string[] {
  const problems: string[] = [];
  const compile = (path: string, source: string, otherType: OtherType, variables = CLAIMS): CompiledExpression | undefined => {
    try {
      return compileExpression(source, { variables, otherType, budget: BUDGET });
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      problems.push(error.toldAt(`${at}.${path}`));
      return undefined;
    }
  };
  const mapping = (member: 'username' | 'groups' | 'uid', otherType: OtherType) => {
    const source = claimMappings[member]?.expression;
    return source ? compile(`claimMappings.${member}.expression`, source, otherType) : undefined;
  };
  const rules = (member: string, stated: readonly { expression?: string; message?: string }[], variables: typeof CLAIMS): Rule[] =>
    stated.flatMap(({ expression: source, message }, index) => {
      const expression = source ? compile(`${member}[${index}].expression`, source, otherThanCondition, variables) : undefined;
      return expression === undefined ? [] : [{ expression, message: message || `validation expression '${source}' failed` }];
    });
  const claimRules = rules('claimValidationRules', claimValidationRules, CLAIMS);
  const mapped = {
    username: mapping('username', ofAnyType),
    groups: mapping('groups', ofAnyType),
    uid: mapping('uid', ofAnyType),
    extra: (claimMappings.extra ?? []).flatMap(({ key, valueExpression }, index) => {
      const value = compile(`claimMappings.extra[${index}].valueExpression`, valueExpression, ofAnyType);
      return value === undefined ? [] : [{ key, value }];
    }),
  };
  const path = `${at}.claimMappings.username.expression`;
  if (namesUnverifiedAddress(mapped, claimRules)) problems.push(unverifiedAddress(path, mapped.username?.source));
  const userRules = rules('userValidationRules', userValidationRules, USER);
  return problems.length > 0 ? problems : { ...mapped, claimRules, userRules };
}

type OtherType = (type: Type) => string | undefined;

/** What 1.32 says of it, without the type that it is. */
const otherThanCondition: OtherType = ({ kind }) => (kind === 'bool' ? undefined : 'must evaluate to bool');

/**
 * Tells whether the user's name comes from the claim `email` while no expression reads `email_verified`: then people could take names by addresses that are not
 * theirs.
 */
function namesUnverifiedAddress({ username, extra }: Pick<ClaimExpressions, 'username' | 'extra'>, claimRules: readonly Rule[]): boolean {
  if (username === undefined || !readsClaim(username, 'email')) return false;
  const checks = [username, ...extra.map(({ value }) => value), ...claimRules.map(({ expression }) => expression)];
  return !checks.some((expression) => readsClaim(expression, 'email_verified'));
}

function unverifiedAddress(path: string, source: string | undefined): string {
  const { field, message } = invalid(
    path,
    source,
    'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
  );
  return `${field}: ${message}`;
}

/** Tells whether an expression reads a claim, as `claims.x` or, for a claim that may be absent, as `claims.?x`. */
const readsClaim = ({ root }: CompiledExpression, claim: string): boolean =>
  descendants(root).some((node) => {
    if (node.kind === 'select') return node.field === claim && isClaims(node.operand);
    if (node.kind !== 'call' || node.function !== '_?._') return false;
    const [operand, field] = node.args;
    return isClaims(operand) && field?.kind === 'literal' && field.value === claim;
  });

const isClaims = (node: Node | undefined): boolean => node?.kind === 'identifier' && node.name === 'claims';

/** Evaluates an expression. The result is a refusal of the token if the evaluation fails. */
export type Evaluate = (expression: CompiledExpression) => Value | Refusal;

function evaluator(variables: Readonly<Record<string, Value>>): Evaluate {
  return (expression) => {
    try {
      return expression.evaluate(variables);
    } catch (error) {
      if (error instanceof ExpressionError) return new Refusal(`oidc: expression '${expression.source}': ${error.message}`);
      throw error;
    }
  };
}

export function claimsEvaluator(claims: Payload): Evaluate {
  return evaluator({ claims: jsonValue(claims) });
}

export function userEvaluator({ name, uid, groups, extra }: User): Evaluate {
  return evaluator({ user: jsonValue({ username: name, uid, groups, extra }) });
}

/** Checks rules in their order. @returns the refusal by the first rule that does not give true; undefined if all do */
export function brokenRule(rules: readonly Rule[], evaluate: Evaluate): Refusal | undefined {
  for (const { expression, message } of rules) {
    const outcome = evaluate(expression);
    if (outcome instanceof Refusal) return outcome;
    if (outcome !== true) return new Refusal(`oidc: ${message}`);
  }
  return undefined;
}

/** Reads the result of an expression that gives a text or a list of texts. Null counts as an empty list, and empty texts are left out. */
export function textsOf(value: Value | Refusal, expression: CompiledExpression): string[] | Refusal {
  if (value instanceof Refusal) return value;
  const all: readonly unknown[] = value instanceof ListValue ? [...value] : value === null ? [] : [value];
  if (!all.every((each) => typeof each === 'string'))
    return new Refusal(`oidc: expression '${expression.source}' gives neither a text nor a list of texts`);
  return all.filter((each) => each !== '');
}

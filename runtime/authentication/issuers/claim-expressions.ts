/** Expressions over the claims of a token, and over the user that they name (specification: Expression language). */
import type { User } from '../../contract/request-context.ts';
import { type CompiledExpression, CompileError, compileExpression, ExpressionError } from '../../expressions/expression.ts';
import type { Node } from '../../expressions/syntax/node.ts';
import { descendants } from '../../expressions/syntax/walk.ts';
import { BOOL, DYN, listOf, mapOf, STRING, struct, type Type } from '../../expressions/types/type.ts';
import { jsonValue } from '../../expressions/values/json-values.ts';
import { ListValue, type Value } from '../../expressions/values/value.ts';
import type { Payload } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import type { StatedIssuer } from './stated-issuer.ts';

/** Cost units of one evaluation, as in 1.32. */
const BUDGET = 1_000_000;

const CLAIMS: Readonly<Record<string, Type>> = { claims: mapOf(STRING, DYN) };
const USER: Readonly<Record<string, Type>> = {
  user: struct('UserInfo', { username: STRING, uid: STRING, groups: listOf(STRING), extra: mapOf(STRING, listOf(STRING)) }),
};

interface Rule {
  readonly expression: CompiledExpression;
  readonly message: string;
}

/** Those of one issuer; undefined where a claim is named instead, or nothing. */
export interface ClaimExpressions {
  readonly username: CompiledExpression | undefined;
  readonly groups: CompiledExpression | undefined;
  readonly uid: CompiledExpression | undefined;
  readonly extra: readonly { readonly key: string; readonly value: CompiledExpression }[];
  readonly claimRules: readonly Rule[];
  readonly userRules: readonly Rule[];
}

/** @throws Error with the path of what does not compile. @param at such as `jwt[0]` */
export function compileExpressions(
  { claimMappings, claimValidationRules = [], userValidationRules = [] }: StatedIssuer,
  at: string,
): ClaimExpressions {
  const compile = (path: string, source: string, result: Type, variables = CLAIMS): CompiledExpression => {
    try {
      return compileExpression(source, { variables, result, budget: BUDGET });
    } catch (error) {
      throw error instanceof CompileError ? new Error(`${at}.${path}: ${error.message}`, { cause: error }) : error;
    }
  };
  const mapping = (member: 'username' | 'groups' | 'uid', result: Type) => {
    const source = claimMappings[member]?.expression;
    return source ? compile(`claimMappings.${member}.expression`, source, result) : undefined;
  };
  const rules = (member: string, stated: readonly { expression?: string; message?: string }[], variables: typeof CLAIMS): Rule[] =>
    stated.flatMap(({ expression, message }, index) =>
      expression
        ? [
            {
              expression: compile(`${member}[${index}].expression`, expression, BOOL, variables),
              message: message || `validation expression '${expression}' failed`,
            },
          ]
        : [],
    );
  const compiled: ClaimExpressions = {
    username: mapping('username', STRING),
    groups: mapping('groups', DYN),
    uid: mapping('uid', STRING),
    extra: (claimMappings.extra ?? []).map(({ key, valueExpression }, index) => ({
      key,
      value: compile(`claimMappings.extra[${index}].valueExpression`, valueExpression, DYN),
    })),
    claimRules: rules('claimValidationRules', claimValidationRules, CLAIMS),
    userRules: rules('userValidationRules', userValidationRules, USER),
  };
  requireVerifiedAddress(compiled, at);
  return compiled;
}

/** Who is named by an e-mail address must have shown that it is theirs. @throws Error */
function requireVerifiedAddress({ username, extra, claimRules }: ClaimExpressions, at: string): void {
  if (username === undefined || !readsClaim(username, 'email')) return;
  const checks = [username, ...extra.map(({ value }) => value), ...claimRules.map(({ expression }) => expression)];
  if (checks.some((expression) => readsClaim(expression, 'email_verified'))) return;
  throw new Error(
    `${at}.claimMappings.username.expression: claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression`,
  );
}

/** Written `claims.x` or, where it may be absent, `claims.?x`. */
const readsClaim = ({ root }: CompiledExpression, claim: string): boolean =>
  descendants(root).some((node) => {
    if (node.kind === 'select') return node.field === claim && isClaims(node.operand);
    if (node.kind !== 'call' || node.function !== '_?._') return false;
    const [operand, field] = node.args;
    return isClaims(operand) && field?.kind === 'literal' && field.value === claim;
  });

const isClaims = (node: Node | undefined): boolean => node?.kind === 'identifier' && node.name === 'claims';

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

/** @returns the first rule's refusal that does not hold */
export function brokenRule(rules: readonly Rule[], evaluate: Evaluate): Refusal | undefined {
  for (const { expression, message } of rules) {
    const outcome = evaluate(expression);
    if (outcome instanceof Refusal) return outcome;
    if (outcome !== true) return new Refusal(`oidc: ${message}`);
  }
  return undefined;
}

/** One text or a list of them; nothing for null and empty ones. */
export function textsOf(value: Value | Refusal, expression: CompiledExpression): string[] | Refusal {
  if (value instanceof Refusal) return value;
  const all: readonly unknown[] = value instanceof ListValue ? [...value] : value === null ? [] : [value];
  if (!all.every((each) => typeof each === 'string'))
    return new Refusal(`oidc: expression '${expression.source}' gives neither a text nor a list of texts`);
  return all.filter((each) => each !== '');
}

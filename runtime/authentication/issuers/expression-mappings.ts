/**
 * Maps the claims of a verified token to a user for an issuer whose configuration has expressions. Parts for which it names claims are read as in
 * `claim-mappings.ts`.
 */
import type { User } from '../../contract/request-context.ts';
import type { Payload } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import { brokenRule, type ClaimExpressions, claimsEvaluator, type Evaluate, textsOf, userEvaluator } from './claim-expressions.ts';
import { brokenClaim, claimedGroups, claimedName, textClaim } from './claim-values.ts';
import type { IssuerConfiguration } from './issuer-configuration.ts';

/**
 * @param credential the beginning of the user's `extra`, to which expressions add
 * @returns the user; or a refusal if the claims name none, or do not meet the rules of the configuration
 */
export function userByExpressions(
  claims: Payload,
  configuration: IssuerConfiguration,
  expressions: ClaimExpressions,
  credential: User['extra'],
): User | Refusal {
  const { claimMappings, claimValidationRules = [] } = configuration;
  const evaluate = claimsEvaluator(claims);
  const broken = brokenClaim(claims, claimValidationRules) ?? brokenRule(expressions.claimRules, evaluate);
  if (broken !== undefined) return broken;
  const { username, groups: groupsExpression, uid: uidExpression } = expressions;
  const name = username === undefined ? claimedName(claims, claimMappings.username) : textOf(evaluate(username));
  if (name instanceof Refusal) return name;
  if (name === '' && username !== undefined) return new Refusal('oidc: the expression for the name of the user gives an empty one');
  const groups =
    groupsExpression === undefined ? claimedGroups(claims, claimMappings.groups) : textsOf(evaluate(groupsExpression), groupsExpression);
  if (groups instanceof Refusal) return groups;
  const { claim } = claimMappings.uid ?? {};
  const uid = uidExpression === undefined ? (claim ? textClaim(claims, claim) : '') : textOf(evaluate(uidExpression));
  if (uid instanceof Refusal) return uid;
  const extra = extraOf(expressions, evaluate);
  if (extra instanceof Refusal) return extra;
  const user: User = { name, uid, groups, extra: { ...credential, ...extra } };
  return brokenRule(expressions.userRules, userEvaluator(user)) ?? user;
}

function textOf(value: ReturnType<Evaluate>): string | Refusal {
  if (typeof value === 'string' || value instanceof Refusal) return value;
  return new Refusal('oidc: an expression gives no text');
}

/** Evaluates the expressions for the user's `extra`. Keys without values are left out. */
function extraOf({ extra }: ClaimExpressions, evaluate: Evaluate): Record<string, string[]> | Refusal {
  const found: Record<string, string[]> = {};
  for (const { key, value } of extra) {
    const values = textsOf(evaluate(value), value);
    if (values instanceof Refusal) return values;
    if (values.length > 0) found[key] = values;
  }
  return found;
}

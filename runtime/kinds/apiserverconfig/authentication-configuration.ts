/** Whose tokens are believed: what a file given with --authentication-config must fulfil. Expressions are compiled by whoever evaluates them. */
import { duplicate, type FieldError, forbidden, invalid, required, tooMany } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import { domainPrefixedPath } from '../../formats/joined-names.ts';
import { invalidShown } from '../../go-text/values.ts';
import { eachItem, invalidParts } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { validateIssuer } from './issuer.ts';

const MOST_AUTHENTICATORS = 64;
const ANONYMOUS_GATE = 'AnonymousAuthConfigurableEndpoints';
const BOTH_SET = "claim and expression can't both be set";

export function rules({ text }: Identity): KindRules {
  const reserved = [text('${groupDomain}'), text('${labelDomain}')];
  return {
    validate: ({ jwt, anonymous }, context) => [
      ...validateAuthenticators(jwt ?? [], reserved),
      ...(anonymous === undefined ? [] : validateAnonymous(anonymous, context)),
    ],
  };
}

/** @param reserved domains whose keys are not for others */
function validateAuthenticators(authenticators: readonly Struct[], reserved: readonly string[]): readonly FieldError[] {
  if (authenticators.length > MOST_AUTHENTICATORS) return [tooMany('jwt', authenticators.length, MOST_AUTHENTICATORS)];
  const issuers = new Set<string>();
  const discoveries = new Set<string>();
  return eachItem(authenticators, 'jwt', ({ issuer, claimMappings, claimValidationRules, userValidationRules }, at) => [
    ...validateIssuer(issuer, `${at}.issuer`),
    ...validateClaimRules(claimValidationRules, `${at}.claimValidationRules`),
    ...validateMappings(claimMappings, `${at}.claimMappings`, reserved),
    ...validateUserRules(userValidationRules, `${at}.userValidationRules`),
    ...again(issuers, issuer.url, `${at}.issuer.url`),
    ...again(discoveries, issuer.discoveryURL, `${at}.issuer.discoveryURL`),
  ]);
}

/** An error where a text is there for the second time. @param seen changed */
function again(seen: Set<string>, value: string | undefined, at: string): readonly FieldError[] {
  if (!value) return [];
  if (seen.has(value)) return [duplicate(at, value)];
  seen.add(value);
  return [];
}

function validateClaimRules(rules: readonly Struct[] | undefined, at: string): readonly FieldError[] {
  const claims = new Set<string>();
  const expressions = new Set<string>();
  return eachItem(rules, at, ({ claim, requiredValue, expression, message }, rule) => {
    if (claim && expression) return [invalid(rule, claim, BOTH_SET)];
    if (claim)
      return [
        ...(message ? [invalid(`${rule}.message`, message, 'may not be specified when claim is set')] : []),
        ...again(claims, claim, `${rule}.claim`),
      ];
    if (!expression) return [required(rule, 'claim or expression is required')];
    return [
      ...(requiredValue ? [invalid(`${rule}.requiredValue`, requiredValue, 'may not be specified when expression is set')] : []),
      ...again(expressions, expression, `${rule}.expression`),
    ];
  });
}

function validateMappings({ username, groups, uid, extra }: Struct, at: string, reserved: readonly string[]): readonly FieldError[] {
  const keys = new Set<string>();
  return [
    ...validateMapping(username, `${at}.username`, true),
    ...validateMapping(groups, `${at}.groups`, false),
    ...(uid.claim && uid.expression ? [invalid(`${at}.uid`, '', BOTH_SET)] : []),
    ...eachItem<Struct>(extra, `${at}.extra`, (mapping, item) => validateExtra(mapping, item, reserved, keys)),
  ];
}

function validateMapping({ claim, prefix, expression }: Struct, at: string, isNeeded: boolean): readonly FieldError[] {
  const hasPrefix = prefix !== undefined && prefix !== null;
  if (claim && expression) return [invalid(at, '', BOTH_SET)];
  if (expression) return hasPrefix ? [invalid(`${at}.prefix`, prefix, 'may not be specified when expression is set')] : [];
  if (!claim) return isNeeded ? [required(at, 'claim or expression is required')] : [];
  return hasPrefix
    ? []
    : [required(`${at}.prefix`, 'prefix is required when claim is set. It can be set to an empty string to disable prefixing')];
}

function validateExtra(
  { key, valueExpression }: Struct,
  at: string,
  reserved: readonly string[],
  keys: Set<string>,
): readonly FieldError[] {
  const path = `${at}.key`;
  const errors = [...(key === '' ? [required(path)] : invalidParts(domainPrefixedPath(key), path))];
  if (key !== key.toLowerCase()) errors.push(invalid(path, key, 'must be lowercase'));
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (reserved.some((each) => domain === each || domain.endsWith(`.${each}`)))
    errors.push(invalid(path, key, `${[...new Set(reserved)].join(', ')} and their subdomains are reserved for use by the cluster`));
  errors.push(...again(keys, key, path));
  if (!valueExpression) errors.push(required(`${at}.valueExpression`));
  return errors;
}

function validateUserRules(rules: readonly Struct[] | undefined, at: string): readonly FieldError[] {
  const expressions = new Set<string>();
  return eachItem(rules, at, ({ expression }, rule) =>
    expression ? again(expressions, expression, `${rule}.expression`) : [required(`${rule}.expression`)],
  );
}

function validateAnonymous({ enabled, conditions = [] }: Struct, { featureEnabled }: RuleContext): readonly FieldError[] {
  const errors = featureEnabled(ANONYMOUS_GATE)
    ? []
    : [forbidden('anonymous', `anonymous is not supported when ${ANONYMOUS_GATE} feature gate is disabled`)];
  if (!enabled && conditions.length > 0)
    errors.push(
      invalidShown('anonymous.conditions', JSON.stringify(conditions), 'enabled should be set to true when conditions are defined'),
    );
  return errors;
}

/** Whose tokens are believed: what their claims say of a user. Expressions are compiled by whoever evaluates them. */
import type { ClaimValidationRule } from '../../../generated/apiserverconfig/v1beta1/types.ts';
import { duplicate, type FieldError, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { NONE } from '../joined.ts';

interface Seen {
  readonly claim: Set<string>;
  readonly expression: Set<string>;
}

/** What rules of one authenticator have named so far. */
export function namedByRules(): Seen {
  return { claim: new Set(), expression: new Set() };
}

/** Each claim and each expression once; a rule that has both is refused already. */
export function namedOnce(
  { claim = '', expression = '' }: ClaimValidationRule,
  _old: unknown,
  _context: RuleContext,
  seen: Seen,
): readonly FieldError[] {
  if ((claim === '') === (expression === '')) return NONE;
  const [name, value] = claim === '' ? (['expression', expression] as const) : (['claim', claim] as const);
  if (seen[name].has(value)) return [duplicate(`.${name}`, value)];
  seen[name].add(value);
  return NONE;
}

/** Keys below domains of the cluster are not for others. */
export function unreservedKey(key: string, _old: string | undefined, { text }: RuleContext): readonly FieldError[] {
  const reserved = new Set([text('${groupDomain}'), text('${labelDomain}')]);
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (![...reserved].some((each) => domain === each || domain.endsWith(`.${each}`))) return NONE;
  return [invalid('', key, `${[...reserved].join(', ')} and their subdomains are reserved for use by the cluster`)];
}

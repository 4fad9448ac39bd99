/** Whose tokens are believed: what their claims say of a user. Expressions are compiled by whoever evaluates them. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { NONE } from '../../validation/joined.ts';

/** Keys below domains of the cluster are not for others. */
export function unreservedKey(key: string, _old: string | undefined, { text }: RuleContext): readonly FieldError[] {
  const reserved = new Set([text('${groupDomain}'), text('${labelDomain}')]);
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (![...reserved].some((each) => domain === each || domain.endsWith(`.${each}`))) return NONE;
  return [invalid('', key, `${[...reserved].join(', ')} and their subdomains are reserved for use by the cluster`)];
}

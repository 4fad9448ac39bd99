import type { WebhookClientConfig } from '../../../generated/apiextensions/v1/types.ts';
import { authoritiesProblem } from '../../certificates/authorities.ts';
import type { FieldError } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { goBytes, goStrings, invalidShown } from '../../go-text/values.ts';
import { NONE } from '../../validation/joined.ts';
import type { DefinitionFacts } from './definition-facts.ts';
import { REVIEW_VERSIONS } from './strictness.ts';

/** A conversion webhook must understand a version of the review that the server speaks. */
export function oneIsKnown(
  versions: readonly string[],
  _old: unknown,
  _context: RuleContext,
  { strictness }: DefinitionFacts,
): readonly FieldError[] {
  if (!strictness.knownReviewVersion || versions.some((version) => REVIEW_VERSIONS.includes(version))) return NONE;
  return [invalidShown('', goStrings(versions), `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}

export function trustedAuthorities(
  { caBundle = '' }: WebhookClientConfig,
  _old: unknown,
  _context: RuleContext,
  { strictness }: DefinitionFacts,
): readonly FieldError[] {
  const problem = caBundle === '' ? undefined : authoritiesProblem(caBundle);
  if (problem === undefined || !strictness.readableAuthorities) return NONE;
  return [invalidShown('.caBundle', goBytes(caBundle), `unable to load root certificates: ${problem}`)];
}

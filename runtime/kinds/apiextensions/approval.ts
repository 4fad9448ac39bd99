import type { CustomResourceDefinition } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { goQuote } from '../../go-text/quote.ts';
import { NONE } from '../../validation/joined.ts';
import { isOfV1beta1 } from './written-version.ts';

type Identity = Pick<RuleContext, 'text'>;

/** Whether a definition's group of the project itself is approved, and the sentence that says so. */
export interface Approval {
  readonly state: 'missing' | 'bypassed' | 'approved' | 'invalid';
  readonly says: string;
}

/** @returns undefined for groups that need no approval */
export function approvalOf({ metadata, spec }: Approved, identity: Identity): Approval | undefined {
  const domains = [identity.text('${groupDomain}'), identity.text('${labelDomain}')];
  if (!domains.some((domain) => spec.group === domain || spec.group.endsWith(`.${domain}`))) return undefined;
  const annotation = annotationOf(identity);
  const value = metadata.annotations?.[annotation] ?? '';
  const state = stateOf(value);
  const needed = `protected groups must have approval annotation "${annotation}"`;
  const see = identity.text('see ${groupReviews}');
  const says = {
    missing: `${needed}, ${see}`,
    bypassed: `not approved: ${goQuote(value)}`,
    approved: `approved in ${value}`,
    invalid: `${needed} with either a URL or a reason starting with "unapproved", ${see}`,
  };
  return { state, says: says[state] };
}

interface Approved {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly group: string };
}

const annotationOf = (identity: Identity): string => identity.text('api-approved.${labelDomain}');

/**
 * Groups of the project itself need the address of the review that approved them, in an annotation; not so in v1beta1.
 * An update that leaves the approval as good or bad as it was is not refused for it.
 */
export function approval(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  context: RuleContext,
): readonly FieldError[] {
  const found = approvalOf(definition, context);
  if (found === undefined || isOfV1beta1(context.request)) return NONE;
  const annotation = annotationOf(context);
  if (old !== undefined && found.state === stateOf(old.metadata.annotations?.[annotation] ?? '')) return NONE;
  const path = `.metadata.annotations[${annotation}]`;
  if (found.state === 'missing') return [required(path, found.says)];
  if (found.state === 'invalid') return [invalid(path, definition.metadata.annotations?.[annotation], found.says)];
  return NONE;
}

function stateOf(annotation: string): Approval['state'] {
  if (annotation === '') return 'missing';
  if (annotation.startsWith('unapproved')) return 'bypassed';
  return /^[^:/]+:\/\/[^/]/.test(annotation) && URL.canParse(annotation) ? 'approved' : 'invalid';
}

import type { CustomResourceDefinition } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { NONE } from '../../validation/joined.ts';

/**
 * Groups of the project itself need the address of the review that approved them, in an annotation.
 * An update that leaves the approval as good or bad as it was is not refused for it.
 */
export function approval(
  { metadata, spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  context: RuleContext,
): readonly FieldError[] {
  const domains = [context.text('${groupDomain}'), context.text('${labelDomain}')];
  if (!domains.some((domain) => spec.group === domain || spec.group.endsWith(`.${domain}`))) return NONE;
  const annotation = context.text('api-approved.${labelDomain}');
  const value = metadata.annotations?.[annotation] ?? '';
  const state = stateOf(value);
  if (old !== undefined && state === stateOf(old.metadata.annotations?.[annotation] ?? '')) return NONE;
  const path = `.metadata.annotations[${annotation}]`;
  const needed = `protected groups must have approval annotation "${annotation}"`;
  const see = context.text('see ${groupReviews}');
  if (state === 'missing') return [required(path, `${needed}, ${see}`)];
  if (state === 'invalid') return [invalid(path, value, `${needed} with either a URL or a reason starting with "unapproved", ${see}`)];
  return NONE;
}

function stateOf(annotation: string): 'missing' | 'bypassed' | 'approved' | 'invalid' {
  if (annotation === '') return 'missing';
  if (annotation.startsWith('unapproved')) return 'bypassed';
  return /^[^:/]+:\/\/[^/]/.test(annotation) && URL.canParse(annotation) ? 'approved' : 'invalid';
}

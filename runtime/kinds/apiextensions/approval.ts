import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';

/**
 * Groups of the project itself need the address of the review that approved them, in an annotation.
 * An update that leaves the approval as good or bad as it was is not refused for it.
 */
export function validateApproval(object: ApiObject, old: ApiObject | undefined, identity: Identity): FieldError[] {
  const domains = [identity.text('${groupDomain}'), identity.text('${labelDomain}')];
  const { group } = object.spec;
  if (!domains.some((domain) => group === domain || group?.endsWith(`.${domain}`))) return [];
  const annotation = identity.text('api-approved.${labelDomain}');
  const value = object.metadata.annotations?.[annotation] ?? '';
  const state = stateOf(value);
  if (old !== undefined && state === stateOf(old.metadata.annotations?.[annotation] ?? '')) return [];
  const path = `metadata.annotations[${annotation}]`;
  const needed = `protected groups must have approval annotation "${annotation}"`;
  const see = `see ${identity.names.groupReviews}`;
  if (state === 'missing') return [required(path, `${needed}, ${see}`)];
  if (state === 'invalid') return [invalid(path, value, `${needed} with either a URL or a reason starting with "unapproved", ${see}`)];
  return [];
}

function stateOf(annotation: string): 'missing' | 'bypassed' | 'approved' | 'invalid' {
  if (annotation === '') return 'missing';
  if (annotation.startsWith('unapproved')) return 'bypassed';
  return /^[^:/]+:\/\/[^/]/.test(annotation) && URL.canParse(annotation) ? 'approved' : 'invalid';
}

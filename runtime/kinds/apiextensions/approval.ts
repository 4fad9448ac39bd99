import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';

/**
 * Groups of the project itself need the address of the review that approved them, in an annotation.
 * An approval that was missing or broken already does not refuse further updates.
 */
export function validateApproval(object: ApiObject, old: ApiObject | undefined, identity: Identity): FieldError[] {
  const domains = [identity.text('${groupDomain}'), identity.text('${labelDomain}')];
  const { group } = object.spec;
  if (!domains.some((domain) => group === domain || group?.endsWith(`.${domain}`))) return [];
  const annotation = identity.text('api-approved.${labelDomain}');
  const value = object.metadata.annotations?.[annotation] ?? '';
  if (old !== undefined && value === (old.metadata.annotations?.[annotation] ?? '')) return [];
  const path = `metadata.annotations[${annotation}]`;
  if (value === '')
    return [
      required(
        path,
        `protected groups must have approval annotation "${annotation}", see https://github.com/${identity.names.labelDomain}/enhancements/pull/1111`,
      ),
    ];
  if (value.startsWith('unapproved') || URL.canParse(value)) return [];
  return [invalid(path, value, 'must be a url or start with "unapproved"')];
}

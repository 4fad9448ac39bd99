/** Access reviews are never stored, so they have no metadata but what their request implies. */
import type { LocalSubjectAccessReview } from '../../../generated/authorization/v1/types.ts';
import type { ObjectMeta } from '../../../generated/meta/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { NONE } from '../../validation/joined.ts';

/** The server itself notes who set which fields. */
export function isBlank(metadata: ObjectMeta): boolean {
  return Object.entries(metadata).every(([member, value]) => member === 'managedFields' || value === undefined || value === null);
}

export function namesNamespaceAlone(metadata: ObjectMeta): readonly FieldError[] {
  return isBlank({ ...metadata, namespace: undefined }) ? NONE : [invalid('', metadata, 'must be empty except for namespace')];
}

export function isOwnNamespace(
  namespace: string,
  _old: unknown,
  _context: unknown,
  _scope: unknown,
  { metadata }: LocalSubjectAccessReview,
): boolean {
  return namespace === (metadata.namespace ?? '');
}

import type { ObjectMeta } from '../../../generated/meta/v1/types.ts';
import type { ResourceClaimTemplate } from '../../../generated/resource/v1beta1/types.ts';
import type { FieldError } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { validateTemplateMetadata } from '../metadata/template-metadata.ts';
import { asksForAdminAccess, dropAdminAccess, type RequestScope, requestScope } from './requests.ts';

export function template(
  { spec }: ResourceClaimTemplate,
  _old: unknown,
  _context: RuleContext,
  outer: RequestScope | undefined,
): RequestScope {
  return requestScope(spec.spec, outer);
}

export const templateMetadata = (metadata: ObjectMeta): readonly FieldError[] => validateTemplateMetadata(metadata, '');

export const rules: KindRules<ResourceClaimTemplate> = {
  prepareForCreate: ({ spec }, context) => dropAdminAccess(spec.spec, false, context),
  prepareForUpdate: ({ spec }, old, context) => dropAdminAccess(spec.spec, asksForAdminAccess(old.spec.spec), context),
};

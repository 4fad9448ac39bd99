import type { FieldError } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { unchanged } from '../immutable.ts';
import { validateTemplateMetadata } from '../metadata/template-metadata.ts';
import type { Struct } from '../struct.ts';
import { asksForAdminAccess, dropAdminAccess, validateClaimSpec } from './device-claim.ts';

function validateSpec({ metadata = {}, spec }: Struct, stored: boolean): FieldError[] {
  return [...validateTemplateMetadata(metadata, 'spec.metadata'), ...validateClaimSpec(spec, 'spec.spec', stored)];
}

/** 1.32 looks at an updated template twice: as at a new one, and as at one that was stored before, since the spec never changes. */
function validateUpdate({ spec }: ApiObject, old: ApiObject): FieldError[] {
  return [...unchanged(spec, old.spec, 'spec'), ...validateSpec(spec, true)];
}

export const rules: KindRules = {
  prepareForCreate: (template, context) => dropAdminAccess(template.spec.spec, false, context),
  prepareForUpdate: (template, old, context) => dropAdminAccess(template.spec.spec, asksForAdminAccess(old.spec.spec), context),
  validate: ({ spec }) => validateSpec(spec, false),
  validateUpdate,
};

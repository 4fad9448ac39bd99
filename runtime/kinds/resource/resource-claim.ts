import type { FieldError } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { unchanged } from '../immutable.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import type { Struct } from '../struct.ts';
import { dropDeviceStatuses, dropUnallocated, validateStatusChange } from './claim-status.ts';
import { asksForAdminAccess, dropAdminAccess, validateClaimSpec } from './device-claim.ts';

/** 1.32 looks at an updated claim twice: as at a new one, and as at one that was stored before, since the spec never changes. */
function validateUpdate({ spec }: ApiObject, old: ApiObject): FieldError[] {
  return [...unchanged(spec, old.spec, 'spec'), ...validateClaimSpec(spec, 'spec', true)];
}

function dropGated(claim: ApiObject, old: ApiObject | undefined, context: RuleContext): void {
  const used = old !== undefined && usesAdminAccess(old);
  dropAdminAccess(claim.spec, used, context);
  if (!used && !context.featureEnabled('DRAAdminAccess'))
    for (const result of results(claim)) if (result.adminAccess !== null) result.adminAccess = null;
  dropDeviceStatuses(claim, old, context);
}

function results({ status }: ApiObject): Struct[] {
  return status?.allocation?.devices?.results ?? [];
}

function usesAdminAccess(claim: ApiObject): boolean {
  return asksForAdminAccess(claim.spec) || results(claim).some((result) => (result.adminAccess ?? null) !== null);
}

export const rules: KindRules = {
  prepareForCreate: (claim, context) => dropGated(claim, undefined, context),
  prepareForUpdate: dropGated,
  prepareForStatusUpdate(claim, old, context) {
    keepMetadata(claim, old);
    dropUnallocated(claim, old, context);
    dropGated(claim, old, context);
  },
  validate: ({ spec }) => validateClaimSpec(spec, 'spec', false),
  validateUpdate,
  validateStatusUpdate: validateStatusChange,
};

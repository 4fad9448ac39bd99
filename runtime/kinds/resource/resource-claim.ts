import type { ResourceClaim } from '../../../generated/resource/v1beta1/types.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import { dropDeviceStatuses, dropUnallocated, results } from './claim-status.ts';
import { asksForAdminAccess, dropAdminAccess } from './requests.ts';

function dropGated(claim: ResourceClaim, old: ResourceClaim | undefined, context: RuleContext): void {
  const used = old !== undefined && usesAdminAccess(old);
  dropAdminAccess(claim.spec, used, context);
  if (!used && !context.featureEnabled('DRAAdminAccess'))
    for (const result of results(claim)) if (result.adminAccess !== null) result.adminAccess = null;
  dropDeviceStatuses(claim, old, context);
}

function usesAdminAccess(claim: ResourceClaim): boolean {
  return asksForAdminAccess(claim.spec) || results(claim).some(({ adminAccess }) => (adminAccess ?? null) !== null);
}

export const rules: KindRules<ResourceClaim> = {
  prepareForCreate: (claim, context) => dropGated(claim, undefined, context),
  prepareForUpdate: dropGated,
  prepareForStatusUpdate(claim, old, context) {
    keepMetadata(claim, old);
    dropUnallocated(claim, old, context);
    dropGated(claim, old, context);
  },
};

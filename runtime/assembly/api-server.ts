/** What a running server is made of: assembled once, changed by none. Who needs something of it says so in an interface of its own. */
import { ObjectMeta } from '../../generated/meta/v1/descriptors.ts';
import type { ChainServer } from '../chain/chain.ts';
import { OWN_WORK } from '../contract/request-context.ts';
import type { ControllerServer } from '../controllers/controller-server.ts';
import { ByteBudget } from '../endpoints/byte-budget.ts';
import { LIST_BUDGET, SPOOL_BUDGET } from '../endpoints/lists/list-budgets.ts';
import { BODY_BUDGET } from '../endpoints/read-body.ts';
import { SharedRuns } from '../endpoints/shared-items.ts';
import { FieldManagers } from '../registry/field-managers.ts';
import { ResourceStores } from '../registry/resource-stores.ts';
import { metadataProblem } from '../schema/codec/codec.ts';

export interface ApiServer extends ChainServer, ControllerServer {}

/** What is made of the other parts. */
type MadeParts = 'bodyBudget' | 'store' | 'fieldManagers' | 'listBudget' | 'spoolBudget' | 'sharedRuns' | 'ruleContext';

export interface ApiServerParts extends Omit<ApiServer, MadeParts> {
  /** containers may ask to be privileged */
  readonly allowsPrivileged: boolean;
}

export function createApiServer(parts: ApiServerParts): ApiServer {
  const stores = new ResourceStores(parts.storage, parts.deletion);
  const { identity, allocator, allowsPrivileged, featureEnabled } = parts;
  const rules = {
    text: identity.text,
    now: Date.now,
    allocator,
    allowsPrivileged,
    featureEnabled,
    metadataProblem: (value: unknown) => metadataProblem(ObjectMeta, identity, value),
  };
  return {
    ...parts,
    fieldManagers: new FieldManagers(parts.identity),
    bodyBudget: new ByteBudget(BODY_BUDGET),
    listBudget: new ByteBudget(LIST_BUDGET),
    spoolBudget: new ByteBudget(SPOOL_BUDGET),
    sharedRuns: new SharedRuns(),
    ruleContext: (dryRun, request = OWN_WORK) => ({ ...rules, dryRun, request }),
    store: (resource) => stores.of(resource),
  };
}

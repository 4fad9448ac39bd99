/** What a running server is made of: assembled once by the entry point, handed to every handler, changed by none. */

import type { Admission } from '../admission/attributes.ts';
import type { AuthenticateToken } from '../authentication/reviews/token-review.ts';
import type { TokenIssuer } from '../authentication/service-accounts/token-issuer.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { Grants } from '../authorization/grants.ts';
import type { Identity } from '../contract/identity.ts';
import type { Allocator, RuleContext } from '../contract/kind.ts';
import { OWN_WORK, type RequestContext } from '../contract/request-context.ts';
import type { Discovery } from '../discovery/discovery.ts';
import type { Negotiator } from '../negotiation/negotiation.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Openapi } from '../openapi/openapi.ts';
import type { DeletionSettings } from '../registry/deletion.ts';
import type { DerivedForms } from '../registry/derived-forms.ts';
import { FieldManagers } from '../registry/field-managers.ts';
import type { ObjectLookup } from '../registry/object-lookup.ts';
import type { Registry } from '../registry/registry.ts';
import type { RegistrySnapshot } from '../registry/registry-snapshot.ts';
import type { Resource } from '../registry/resource.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import { ResourceStores } from '../registry/resource-stores.ts';
import type { WatchHub } from '../registry/watch-hub.ts';
import type { Outbound } from '../relay/outbound.ts';
import type { Storage } from '../storage/storage.ts';
import { ListBudget } from './list-budget.ts';
import { SharedRuns } from './shared-items.ts';

export interface ApiServerParts {
  readonly identity: Identity;
  readonly registry: Registry;
  /** what is served at the store's revision of now, with the definitions up to it */
  readonly latestRegistry: () => RegistrySnapshot;
  readonly storage: Storage;
  /** what is stored, by names */
  readonly objects: ObjectLookup;
  readonly negotiator: Negotiator;
  readonly watchHub: WatchHub;
  readonly derivedForms: DerivedForms;
  readonly admission: Admission;
  readonly allocator: Allocator;
  /** containers may ask to be privileged */
  readonly allowsPrivileged: boolean;
  /** seconds; a watch that asks for no time ends at a random one between this and twice it, so that clients spread; 0: it does not end */
  readonly minWatchSeconds: number;
  /** for every answer; '': none */
  readonly transportSecurity: string;
  readonly deletion: DeletionSettings;
  readonly authorizer: Authorizer;
  readonly grants: Grants;
  readonly metrics: Metrics;
  /** whose token it is, for those who ask */
  readonly authenticateToken: AuthenticateToken;
  /** names of this API, one of which a token must be for */
  readonly apiAudiences: readonly string[];
  readonly serviceAccounts: TokenIssuer;
  /** PEM; by which clients trust this server */
  readonly authority: string;
  readonly discovery: Discovery;
  readonly openapi: Openapi;
  readonly log: Log;
  /** where answers are kept that are too large for the memory until they can be sent; on a disk, for the owner of the process alone */
  readonly spoolDirectory: string;
  /** how nodes, pods and services are reached */
  readonly outbound: Outbound;
  readonly featureEnabled: (gate: string) => boolean;
  /** host and port that clients reach this server at */
  readonly externalAddress: () => string;
}

export interface ApiServer extends ApiServerParts {
  store(resource: Resource): ResourceStore | Promise<ResourceStore>;
  /** who owns which fields of the objects of each resource */
  readonly fieldManagers: FieldManagers;
  readonly listBudget: ListBudget;
  /** of lists that go through a file */
  readonly spoolBudget: ListBudget;
  /** what lists under way have put together, for each other */
  readonly sharedRuns: SharedRuns;
  /** What rules may ask. @param request absent where no client asks */
  ruleContext(dryRun: boolean, request?: RequestContext): RuleContext;
}

/** 64 streams at a time, or one large answer that is put together as a whole; 1.32 lets a request wait for a quarter of its time as well. */
const LIST_BUDGET = { bytes: 64 * 1024 * 1024, waiting: 1_000, patience: 15_000 };
const SPOOL_BUDGET = { ...LIST_BUDGET, bytes: 4 * 1024 ** 3 };

export function createApiServer(parts: ApiServerParts): ApiServer {
  const stores = new ResourceStores(parts.storage, parts.deletion);
  const { identity, allocator, allowsPrivileged, featureEnabled } = parts;
  const rules = { text: identity.text, now: Date.now, allocator, allowsPrivileged, featureEnabled };
  return {
    ...parts,
    fieldManagers: new FieldManagers(parts.identity),
    listBudget: new ListBudget(LIST_BUDGET),
    spoolBudget: new ListBudget(SPOOL_BUDGET),
    sharedRuns: new SharedRuns(),
    ruleContext: (dryRun, request = OWN_WORK) => ({ ...rules, dryRun, request }),
    store: (resource) => stores.of(resource),
  };
}

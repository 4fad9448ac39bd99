import type { Admission } from '../../admission/request/attributes.ts';
import type { Aggregation } from '../../aggregation/aggregation.ts';
import type { TokenIssuer } from '../../authentication/service-accounts/token-issuer.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { Grants } from '../../authorization/grants.ts';
import type { Allocator } from '../../contract/allocation.ts';
import type { Identity } from '../../contract/identity.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import type { RequestContext, User } from '../../contract/request-context.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { ServiceAddresses } from '../../registry/allocation/service-addresses.ts';
import type { DeletionSettings } from '../../registry/resource-store/deletion.ts';
import type { FieldManagers } from '../../registry/resource-store/field-managers.ts';
import type { ResourceStore } from '../../registry/resource-store/resource-store.ts';
import type { Registry } from '../../registry/resources/registry.ts';
import type { RegistrySnapshot } from '../../registry/resources/registry-snapshot.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import type { StorageVersionRegistration } from '../../registry/storage-versions/storage-version-registration.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import type { Status } from '../../status/status.ts';
import type { Storage } from '../../storage/storage.ts';
import type { OwnerSource } from './owner-source.ts';

/** A thread that nobody waits for, which works on long objects. */
export interface OtherThread {
  /**
   * @param request of the API, as a client sends it; `body` becomes JSON
   * @returns why it failed; undefined where it did not
   */
  send(request: {
    readonly method: string;
    readonly path: string;
    readonly contentType: string;
    readonly body: object;
    readonly user: User;
    /** true for a delete about which admission is not asked */
    readonly skipsAdmission?: true;
  }): Promise<Status | undefined>;
}

/** The parts of the server that the controllers in it use. */
export interface ControllerServer {
  readonly identity: Identity;
  readonly registry: Registry;
  readonly storage: Storage;
  /** finds stored objects by their names */
  readonly objects: ObjectLookup;
  readonly fieldManagers: FieldManagers;
  readonly admission: Admission;
  readonly allocator: Allocator;
  /** absent if addresses of services are allocated without objects */
  readonly serviceAddresses?: ServiceAddresses | undefined;
  /** absent if this server does not publish in which versions it stores resources */
  readonly storageVersions?: StorageVersionRegistration | undefined;
  readonly deletion: DeletionSettings;
  readonly authorizer: Authorizer;
  readonly grants: Grants;
  readonly serviceAccounts: TokenIssuer;
  /** PEM text of the authority by which clients trust the server */
  readonly authority: string;
  readonly log: Log;
  readonly featureEnabled: (gate: string) => boolean;
  /** works on long objects on another thread; absent if this thread works on all objects */
  readonly longRequests?: OtherThread | undefined;
  /** Returns what is served with all definitions up to the store's present revision; absent if `registry` always has them. */
  readonly latestRegistry?: (() => RegistrySnapshot) | undefined;
  /** see `DefinitionFollower.underWay`, for the changes that `latestRegistry` has found; absent if there are no definitions */
  readonly definitionsUnderWay?: ((group?: string) => Promise<void> | undefined) | undefined;
  /** absent if nobody counts */
  readonly metrics?: Metrics | undefined;
  /** absent if other API servers are not asked anything */
  readonly aggregation?: Pick<Aggregation, 'listedObjects' | 'ownedObjects' | 'resources' | 'servers' | 'versions'> | undefined;
  /** finds owners at the server that delegates to this one; absent if none does */
  readonly delegatingOwners?: OwnerSource | undefined;
  store(resource: Resource): ResourceStore | Promise<ResourceStore>;
  ruleContext(dryRun: boolean, request?: RequestContext): RuleContext;
}

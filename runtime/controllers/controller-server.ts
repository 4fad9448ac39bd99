import type { Admission } from '../admission/request/attributes.ts';
import type { Aggregation } from '../aggregation/aggregation.ts';
import type { TokenIssuer } from '../authentication/service-accounts/token-issuer.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { Grants } from '../authorization/grants.ts';
import type { Allocator } from '../contract/allocation.ts';
import type { Identity } from '../contract/identity.ts';
import type { RuleContext } from '../contract/kind.ts';
import type { RequestContext, User } from '../contract/request-context.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ServiceAddresses } from '../registry/allocation/service-addresses.ts';
import type { DeletionSettings } from '../registry/deletion.ts';
import type { FieldManagers } from '../registry/field-managers.ts';
import type { ObjectLookup } from '../registry/object-lookup.ts';
import type { Registry } from '../registry/registry.ts';
import type { RegistrySnapshot } from '../registry/registry-snapshot.ts';
import type { Resource } from '../registry/resource.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import type { StorageVersionRegistration } from '../registry/storage-versions/storage-version-registration.ts';
import type { Status } from '../status/status.ts';
import type { Storage } from '../storage/storage.ts';
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
    /** of a delete: admission has no say in it */
    readonly skipsAdmission?: true;
  }): Promise<Status | undefined>;
}

/** What controllers use of the server that they run in. */
export interface ControllerServer {
  readonly identity: Identity;
  readonly registry: Registry;
  readonly storage: Storage;
  /** what is stored, by names */
  readonly objects: ObjectLookup;
  readonly fieldManagers: FieldManagers;
  readonly admission: Admission;
  readonly allocator: Allocator;
  /** absent: addresses of services are given out without objects */
  readonly serviceAddresses?: ServiceAddresses | undefined;
  /** absent: nobody is told in which versions this server stores what */
  readonly storageVersions?: StorageVersionRegistration | undefined;
  readonly deletion: DeletionSettings;
  readonly authorizer: Authorizer;
  readonly grants: Grants;
  readonly serviceAccounts: TokenIssuer;
  /** PEM; by which clients trust the server */
  readonly authority: string;
  readonly log: Log;
  readonly featureEnabled: (gate: string) => boolean;
  /** absent: this thread works on all objects, however long they are */
  readonly longRequests?: OtherThread | undefined;
  /** with the definitions up to the store's revision of now; absent: those of `registry` are */
  readonly latestRegistry?: (() => RegistrySnapshot) | undefined;
  /** as of `DefinitionFollower.underWay`, of what `latestRegistry` has found changed; absent: no definition is */
  readonly definitionsUnderWay?: ((group?: string) => Promise<void> | undefined) | undefined;
  /** absent: nobody counts */
  readonly metrics?: Metrics | undefined;
  /** absent: other API servers are not asked anything */
  readonly aggregation?: Pick<Aggregation, 'listedObjects' | 'resources' | 'servers' | 'versions'> | undefined;
  /** has owners that the server does which delegates to this one; absent: none does */
  readonly delegatingOwners?: OwnerSource | undefined;
  store(resource: Resource): ResourceStore | Promise<ResourceStore>;
  ruleContext(dryRun: boolean, request?: RequestContext): RuleContext;
}

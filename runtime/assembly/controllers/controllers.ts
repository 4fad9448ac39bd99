import type { DatedClock } from '../../client/work-queue/clock.ts';
import type { SigningSettings } from '../../controllers/certificate-requests/certificate-signer.ts';
import type { ControllerName } from '../../controllers/chosen-controllers.ts';
import type { Controller } from '../../controllers/controller/controller.ts';
import type { ControllerServer } from '../../controllers/controller/controller-server.ts';
import type { OwnerSource } from '../../controllers/controller/owner-source.ts';
import type { RemoteObjects } from '../../controllers/garbage-collector/remote-objects.ts';
import type { NodeLifecycleSettings } from '../../controllers/node-lifecycle/node-lifecycle-controller.ts';
import { ControllerGroup } from './controller-group.ts';

/**
 * Which of the servers that share a store runs a controller: each of them, as each kube-apiserver does; the one that leads, as a
 * kube-controller-manager does; or the one that holds the lease for electing among LeaseCandidates (KEP-4355).
 */
export type Place = 'eachServer' | 'leader' | 'coordinator';

/** Settings of single controllers, which come from flags or, where a comment names a default, from tests. */
export interface ControllerSettings {
  readonly nodeLifecycle: NodeLifecycleSettings;
  /** the authority that signs certificates; absent: the signing controller cannot be started */
  readonly signing?: SigningSettings;
  /** milliseconds between checks of owners that other servers have; default: 30 seconds */
  readonly lookElsewhere?: number;
  /** milliseconds between recalculations of all quotas; default: as in 1.32 */
  readonly quotaResync?: number;
  /** milliseconds after which objects that remain of a deleted definition are reported in its conditions; default: as in 1.32 */
  readonly cleanupPatience?: number;
  /** milliseconds between renewals of the server's identity lease; default: as in 1.32 */
  readonly leaseRenewal?: number;
  /** the clock of controllers that wait until a date (abandoned pods, tolerated taints, objects that expire); default: the machine's */
  readonly clock?: DatedClock;
}

export class Controllers {
  readonly #server: ControllerServer;
  readonly #controllers: Controller[] = [];
  /** one group, as long as all controllers can read what they list; a group of its own for each that cannot */
  readonly #groups: ControllerGroup[] = [];
  #stopped = false;

  private constructor(server: ControllerServer) {
    this.#server = server;
  }

  /**
   * Starts the controllers. It does not wait for their first listing, which happens while the server serves.
   * @param names the controllers that flags choose
   * @param places controllers of other places are left out
   * @throws Error if one of the controllers cannot be made; those that were made before it have been stopped then
   */
  static async start(
    server: ControllerServer,
    names: readonly ControllerName[],
    settings: ControllerSettings,
    places: readonly Place[] = ['eachServer', 'leader'],
  ): Promise<Controllers> {
    const controllers = new Controllers(server);
    try {
      await controllers.#makeAll(names, settings, places);
    } catch (error) {
      await controllers.stop();
      throw error;
    }
    controllers.#newGroup(controllers.#controllers).start();
    return controllers;
  }

  async #makeAll(names: readonly ControllerName[], settings: ControllerSettings, places: readonly Place[]): Promise<void> {
    for (const [place, create] of ALWAYS) if (places.includes(place)) this.#add(await create(this.#server, settings));
    for (const name of places.includes(PLACE_OF_CHOSEN) ? names : []) {
      const created: Controller | undefined = await CONTROLLERS[name](this.#server, () => this.#caughtUp(created), settings);
      this.#add(created);
    }
  }

  #add(controller: Controller | undefined): void {
    if (controller !== undefined) this.#controllers.push(controller);
  }

  #newGroup(controllers: readonly Controller[]): ControllerGroup {
    const { storage, log } = this.#server;
    const group = new ControllerGroup(controllers, {
      storage,
      log,
      parted: (parted) => {
        if (this.#stopped) return;
        for (const each of parted) this.#newGroup([each]).startLater();
      },
    });
    this.#groups.push(group);
    return group;
  }

  /** @throws Error if the controllers stop meanwhile */
  async #caughtUp(controller: Controller | undefined): Promise<void> {
    for (;;) {
      if (this.#stopped) throw new Error('the controllers are ending');
      const group = controller && this.#groups.find((each) => each.has(controller));
      if (group === undefined) throw new Error('the controller has not begun');
      const isCaughtUp = await group.caughtUp();
      if (this.#stopped) throw new Error('the controllers are ending');
      if (isCaughtUp) return;
    }
  }

  /** Stops all controllers and waits for the work that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#groups.map((group) => group.stop()));
    await Promise.all(this.#controllers.map((controller) => controller.stop()));
  }
}

/**
 * @param caughtUp resolves when `changed` was called for all that the store held at the time of the call
 * @returns undefined if the resources that the controller is about are not served
 */
type Create = (server: ControllerServer, caughtUp: () => Promise<void>, settings: ControllerSettings) => Promise<Controller | undefined>;

/**
 * Controllers that are part of kube-apiserver in 1.32, and so run whatever --controllers says. Expiring objects are deleted by leases of
 * etcd there, once for all servers, so here the leader deletes them.
 */
const ALWAYS: readonly (readonly [Place, (server: ControllerServer, settings: ControllerSettings) => Promise<Controller | undefined>])[] = [
  ['eachServer', async (server) => (await import('../../controllers/flow-schema-levels.ts')).flowSchemaLevels(server)],
  [
    'eachServer',
    async (server) => (await import('../../controllers/api-services/api-service-availability.ts')).apiServiceAvailability(server),
  ],
  [
    'eachServer',
    async (server) => (await import('../../controllers/api-services/definition-api-services.ts')).definitionApiServices(server),
  ],
  ['eachServer', async (server) => (await import('../../controllers/definitions/definition-names.ts')).definitionNames(server)],
  [
    'eachServer',
    async (server, { cleanupPatience: patience }) =>
      (await import('../../controllers/definitions/definition-cleanup.ts')).definitionCleanup(server, patience),
  ],
  ['leader', async (server, { clock }) => (await import('../../controllers/expiring-objects.ts')).expiringObjects(server, clock)],
  ['eachServer', async (server) => (await import('../../controllers/allocation-repair.ts')).allocationRepair(server)],
  [
    'eachServer',
    async (server) =>
      server.serviceAddresses && (await import('../../controllers/service-cidrs/default-service-cidr.ts')).defaultServiceCidr(server),
  ],
  [
    'eachServer',
    async (server) =>
      server.serviceAddresses && (await import('../../controllers/service-cidrs/ip-address-repair.ts')).ipAddressRepair(server),
  ],
  [
    'eachServer',
    async (server, { leaseRenewal: renewal }) =>
      (await import('../../controllers/election/identity-lease.ts')).identityLease(server, { renewal }),
  ],
  [
    'eachServer',
    async (server) => {
      if (server.storageVersions === undefined) return undefined;
      const { StorageVersionUpdates, storageVersionResources } = await import(
        '../../controllers/storage-versions/storage-version-updates.ts'
      );
      const resources = storageVersionResources(server);
      return resources && new StorageVersionUpdates(server, server.storageVersions, resources);
    },
  ],
  [
    'coordinator',
    async (server, { clock }) => {
      const { electionResources, LeaseElections } = await import('../../controllers/coordinated-election/lease-elections.ts');
      const resources = electionResources(server);
      return resources && new LeaseElections(server, resources, clock);
    },
  ],
  [
    'coordinator',
    async (server, { clock }) => {
      const { electionResources } = await import('../../controllers/coordinated-election/lease-elections.ts');
      const { ExpiredCandidates } = await import('../../controllers/coordinated-election/expired-candidates.ts');
      const resources = electionResources(server);
      return resources && new ExpiredCandidates(server, resources, clock);
    },
  ],
];

/** The controllers that --controllers chooses are part of kube-controller-manager in 1.32. */
const PLACE_OF_CHOSEN: Place = 'leader';

const CONTROLLERS: Readonly<Record<ControllerName, Create>> = {
  async 'clusterrole-aggregation'(server) {
    const { ClusterRoleAggregation } = await import('../../controllers/cluster-role-aggregation.ts');
    return new ClusterRoleAggregation(server);
  },
  async 'validatingadmissionpolicy-status-controller'(server) {
    const { policyStatus } = await import('../../controllers/policy-status/policy-status.ts');
    return policyStatus(server);
  },
  async 'storage-version-gc'(server) {
    const { storageVersionCollector } = await import('../../controllers/storage-versions/storage-version-collector.ts');
    return storageVersionCollector(server);
  },
  async namespace(server) {
    const { NamespaceController } = await import('../../controllers/namespace/namespace-controller.ts');
    return new NamespaceController(server);
  },
  async garbagecollector(server, caughtUp, { lookElsewhere }) {
    const { GarbageCollector } = await import('../../controllers/garbage-collector/garbage-collector.ts');
    return new GarbageCollector(server, caughtUp, await ownersElsewhere(server), lookElsewhere, await objectsElsewhere(server));
  },
  async serviceaccount(server) {
    const { NamespaceObjects } = await import('../../controllers/namespace-objects.ts');
    const { DEFAULT_ACCOUNT } = await import('../../controllers/service-accounts/kept-objects.ts');
    return new NamespaceObjects(server, DEFAULT_ACCOUNT);
  },
  async 'serviceaccount-token'(server) {
    const { SecretTokens } = await import('../../controllers/service-accounts/secret-tokens.ts');
    return new SecretTokens(server);
  },
  async 'root-ca-cert-publisher'(server) {
    const { NamespaceObjects } = await import('../../controllers/namespace-objects.ts');
    const { rootCertificates } = await import('../../controllers/service-accounts/kept-objects.ts');
    return new NamespaceObjects(server, rootCertificates(server.authority, server.identity.text));
  },
  async 'pvc-protection'(server) {
    const { ProtectedObjects } = await import('../../controllers/storage-protection/protected-objects.ts');
    const { claimProtection } = await import('../../controllers/storage-protection/volumes-and-claims.ts');
    return new ProtectedObjects(server, claimProtection(server));
  },
  async 'pv-protection'(server) {
    const { ProtectedObjects } = await import('../../controllers/storage-protection/protected-objects.ts');
    const { volumeProtection } = await import('../../controllers/storage-protection/volumes-and-claims.ts');
    return new ProtectedObjects(server, volumeProtection(server));
  },
  async 'volumeattributesclass-protection-controller'(server) {
    if (!server.featureEnabled('VolumeAttributesClass')) return undefined;
    const { ProtectedObjects } = await import('../../controllers/storage-protection/protected-objects.ts');
    const { attributesClassProtection } = await import('../../controllers/storage-protection/attributes-classes.ts');
    const protection = attributesClassProtection(server);
    return protection && new ProtectedObjects(server, protection);
  },
  async podgc(server, _caughtUp, { clock }) {
    const { AbandonedPods } = await import('../../controllers/abandoned-pods.ts');
    return new AbandonedPods(server, clock);
  },
  async tokencleaner(server) {
    const { TokenCleaner } = await import('../../controllers/bootstrap-tokens/token-cleaner.ts');
    return new TokenCleaner(server);
  },
  async bootstrapsigner(server) {
    const { ClusterInfoSigner } = await import('../../controllers/bootstrap-tokens/cluster-info-signer.ts');
    return new ClusterInfoSigner(server);
  },
  async nodelifecycle(server, caughtUp, { nodeLifecycle }) {
    const { NodeLifecycleController } = await import('../../controllers/node-lifecycle/node-lifecycle-controller.ts');
    return new NodeLifecycleController(server, nodeLifecycle, caughtUp);
  },
  async resourcequota(server, _caughtUp, { clock, quotaResync }) {
    return (await import('../../controllers/resource-quota/resource-quota-controller.ts')).resourceQuotaController(
      server,
      quotaResync,
      clock,
    );
  },
  async 'taint-eviction'(server, _caughtUp, { clock }) {
    const { TaintEvictionController } = await import('../../controllers/taint-eviction/taint-eviction-controller.ts');
    return new TaintEvictionController(server, clock);
  },
  async csrapproving(server) {
    const { certificateApprover } = await import('../../controllers/certificate-requests/certificate-approver.ts');
    return certificateApprover(server);
  },
  async csrsigning(server, _caughtUp, { signing }) {
    const { certificateSigner } = await import('../../controllers/certificate-requests/certificate-signer.ts');
    if (signing === undefined) throw new Error('there is no authority to sign certificates with');
    return certificateSigner(server, signing);
  },
  async csrcleaner(server, _caughtUp, { clock }) {
    const { CertificateRequestCleaner } = await import('../../controllers/certificate-requests/certificate-request-cleaner.ts');
    return new CertificateRequestCleaner(server, clock);
  },
};

/**
 * The source of owners that this server does not store: the delegating server for an aggregated server, else the API servers behind this
 * one.
 */
async function ownersElsewhere({ delegatingOwners, aggregation, identity }: ControllerServer): Promise<OwnerSource | undefined> {
  if (delegatingOwners !== undefined || aggregation === undefined) return delegatingOwners;
  const { RemoteOwners } = await import('../../controllers/garbage-collector/remote-owners.ts');
  return new RemoteOwners(aggregation, identity);
}

/** The objects of the API servers behind this one; undefined for a server that asks none. */
async function objectsElsewhere({ aggregation, identity, log }: ControllerServer): Promise<RemoteObjects | undefined> {
  if (aggregation === undefined) return undefined;
  const { RemoteObjects } = await import('../../controllers/garbage-collector/remote-objects.ts');
  const loadRequests = async () =>
    new (await import('../../controllers/garbage-collector/remote-requests.ts')).RemoteRequests(aggregation, identity);
  return new RemoteObjects(aggregation, loadRequests, log);
}

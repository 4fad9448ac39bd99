/**
 * The duties that one process has on behalf of all servers of a store: objects that every cluster has, controllers, the index, compaction where
 * the past is the same one for all of them.
 */
import { ensureDefaultPolicy, type PolicySource } from '../authorization/rbac/default-policy.ts';
import { keyPairProblem } from '../certificates/key-pair.ts';
import { type ControllerName, chosenControllers } from '../controllers/chosen-controllers.ts';
import { makeFirstRevision } from '../delegation/first-revision.ts';
import { readFlagFile } from '../files/flag-file.ts';
import type { CertificateAndKey } from '../server/certificates/certificate-request.ts';
import type { ServedStorage } from '../storage/storage.ts';
import { ensureSystemNamespaces, lookAfterSystemObjects, makeSystemObjects } from '../system-objects/start.ts';
import type { ControllerSettings } from './controllers/controllers.ts';
import type { LongRequestsOver } from './controllers/elected-controllers.ts';
import type { Health } from './health.ts';
import type { ApiServer } from './parts/api-server.ts';
import type { Endings } from './setup/endings.ts';
import type { Flags } from './setup/flags.ts';
import { coordinationElection, coordinationTimes, type LeaderElectionSettings, leaderElection } from './setup/leader-election-flags.ts';
import { keepHistory } from './store/kept-history.ts';
import { storeFailures } from './store/store-failures.ts';
import { verifyWhenIdle } from './store/store-verification.ts';

/** Begins to keep the objects of this server itself, such as the service that leads to it. @returns a function that ends it */
type KeepOwn = () => Promise<() => Promise<void>>;

/** Milliseconds between renewals of the identity lease of a server that shares its store with no other. The lease lasts an hour. */
const LONE_RENEWAL = 600_000;

export interface DutyParts {
  readonly server: ApiServer;
  readonly storage: ServedStorage;
  readonly flags: Flags;
  /** the authority that signs client certificates, unless flags name another one */
  readonly clientSigner: CertificateAndKey;
  readonly policy: PolicySource;
  readonly health: Health;
  readonly keepOwn: KeepOwn;
  readonly longRequestsOver: LongRequestsOver;
  /** whether `prepareSystem` has already made the system objects and default roles of this store with the same flags */
  readonly prepared: boolean;
  readonly alone: boolean;
  /** names this start of the server */
  readonly startId: string;
  /** whether this is an aggregated server; the delegating server has the objects that every cluster has */
  readonly isAggregated: boolean;
  readonly startProgress: (doing: string) => void;
  /** gets a function for each duty that must be ended */
  readonly endings: Endings;
}

/**
 * Begins the duties. Resolves when the objects exist on which clients may rely from the first request.
 * @throws Error for unknown controllers
 */
export async function startDuties({ server, storage, flags, clientSigner, alone, endings, ...cluster }: DutyParts): Promise<void> {
  const { log } = server;
  const chosen = controllersOf(flags, server);
  const settings = controllerSettings(flags, clientSigner);
  const coordination = coordinationOf(server, flags);
  await (cluster.isAggregated ? makeFirstRevision(storage) : makeCluster(server, cluster, endings));
  if (storage.hasOwnPast === undefined) keepHistory(server, storage, flags, endings);
  const index = storage.keepIndex(storeFailures(log, 'indexing failed'));
  endings.add(() => index.stop());
  const verification = verifyWhenIdle(server, storage, flags['store-verification-interval']);
  endings.add(async () => verification.stop());
  const controllers = startControllers({
    server,
    storage,
    longRequestsOver: cluster.longRequestsOver,
    startId: cluster.startId,
    election: leaderElection(flags),
    coordination: cluster.isAggregated ? undefined : coordination,
    names: chosen,
    settings: { ...settings, ...(alone && { leaseRenewal: LONE_RENEWAL }) },
  });
  controllers.catch((error) => log.error({ err: error }, 'controllers do not run'));
  endings.add(() => begun(controllers, (running) => running.stop()));
  if (cluster.isAggregated) return;
  const { health } = cluster;
  const own = cluster.keepOwn();
  own.catch((error) => log.error({ err: error }, 'objects of this server are not kept'));
  endings.add(() => begun(own, (stop) => stop()));
  // what cannot begin has been logged, and its checks go on failing
  await Promise.all([
    begun(own, async () => health.done('ownObjects', 'peerLease')),
    begun(controllers, async () => health.done('controllers', 'identityLease', 'serviceRanges')),
  ]);
  if (server.storageVersions === undefined) return;
  cluster.startProgress('registers the versions in which it stores resources');
  await controllers;
  await server.storageVersions.completion;
  health.done('storageVersions');
}

/** Makes the objects that every cluster has. @param endings gets the functions that end their repair */
async function makeCluster(
  server: ApiServer,
  { policy, health, prepared, startProgress }: Pick<DutyParts, 'policy' | 'health' | 'prepared' | 'startProgress'>,
  endings: Endings,
): Promise<void> {
  startProgress('makes namespaces of the system');
  await ensureSystemNamespaces(server);
  health.done('namespaces');
  startProgress('makes objects of the system');
  if (!prepared) await makeSystemObjects(server);
  await makeServiceAddresses(server, endings);
  endings.add(lookAfterSystemObjects(server));
  health.done('objects');
  startProgress('makes default roles');
  if (!prepared) await ensureDefaultPolicy(server, policy);
  health.done('roles');
}

/**
 * Makes the default ServiceCIDR, and the IPAddresses of services that are older than the feature gate, before the first service is created.
 */
async function makeServiceAddresses(server: ApiServer, endings: Endings): Promise<void> {
  if (server.serviceAddresses === undefined) return;
  const { makeDefaultServiceCidr } = await import('../controllers/service-cidrs/default-service-cidr.ts');
  await makeDefaultServiceCidr(server);
  const { ipAddressRepair } = await import('../controllers/service-cidrs/ip-address-repair.ts');
  const repair = ipAddressRepair(server);
  if (repair === undefined) return;
  endings.add(() => repair.stop());
  await repair.look();
  await repair.rest();
}

/**
 * Makes the objects that every cluster has, except namespaces, and what controllers would derive from them.
 * @throws Error for unknown controllers
 */
export async function prepareSystem(server: ApiServer, flags: Flags, policy: PolicySource): Promise<void> {
  await makeSystemObjects(server);
  await ensureDefaultPolicy(server, policy);
  const { settleSystemObjects } = await import('../controllers/settle-system-objects.ts');
  await settleSystemObjects(server, controllersOf(flags, server));
}

/** @throws Error for unknown controllers */
function controllersOf(flags: Flags, server: ApiServer): ControllerName[] {
  const chosen = chosenControllers(flags.controllers, server.featureEnabled('SeparateTaintEvictionController'));
  return chosen.filter((name) => (name === 'garbagecollector' ? flags['enable-garbage-collector'] : !flags['delegated-authentication']));
}

const SIGNING_FILES = ['cluster-signing-cert-file', 'cluster-signing-key-file'] as const;

/** @returns undefined if no flag names an authority. @throws Error that names the flag */
function signingAuthority(flags: Flags): CertificateAndKey | undefined {
  const [certificate, key] = SIGNING_FILES.map((flag) => (flags[flag] === '' ? undefined : readFlagFile(flag, flags[flag])));
  if ((certificate === undefined) !== (key === undefined)) throw new Error(`--${SIGNING_FILES.join(' and --')} need each other`);
  if (certificate === undefined || key === undefined) return undefined;
  const problem = keyPairProblem(certificate, key);
  if (problem !== undefined) throw new Error(`--${SIGNING_FILES.join(' and --')}: ${problem}`);
  return { certificate, key };
}

/** Ends what was begun. If the beginning has failed, which was logged, there is nothing to end. */
async function begun<T>(beginning: Promise<T>, end: (begun: T) => Promise<void>): Promise<void> {
  await beginning.then(end, () => {});
}

interface ControllerParts extends Pick<DutyParts, 'server' | 'storage' | 'longRequestsOver' | 'startId'> {
  /** absent: all controllers run here */
  readonly election: LeaderElectionSettings | undefined;
  /** absent: no candidates for leases are elected here */
  readonly coordination: LeaderElectionSettings | undefined;
  readonly names: readonly ControllerName[];
  readonly settings: ControllerSettings;
}

/** Loads and starts the controllers. The start of the server does not wait for them. */
async function startControllers(parts: ControllerParts): Promise<{ stop(): Promise<void> }> {
  const running = [await startChosen(parts), await startCoordination(parts)];
  return {
    async stop() {
      await Promise.all(running.map((each) => each?.stop()));
    },
  };
}

async function startChosen({ election, ...parts }: ControllerParts): Promise<{ stop(): Promise<void> }> {
  const { server, names, settings } = parts;
  const { Controllers } = await import('./controllers/controllers.ts');
  const lease = election && (await import('../controllers/election/leader-lease.ts')).leaderLease(server, election);
  if (election === undefined || lease === undefined) {
    if (election !== undefined) server.log.warn({}, 'leases are not served here, so each server of this etcd runs all controllers');
    return Controllers.start(server, names, settings);
  }
  const { ElectedControllers } = await import('./controllers/elected-controllers.ts');
  const own = await Controllers.start(server, names, settings, ['eachServer']);
  const elected = new ElectedControllers({ ...parts, election, lease, place: 'leader' });
  return {
    async stop() {
      await elected.stop();
      await own.stop();
    },
  };
}

/**
 * Elects among LeaseCandidates. As in 1.32, the server that holds a lease does so; a lone server takes it too, because clients may read the
 * lease.
 */
async function startCoordination({ coordination: election, ...parts }: ControllerParts): Promise<{ stop(): Promise<void> } | undefined> {
  const { server } = parts;
  if (election === undefined) return undefined;
  const { electionResources } = await import('../controllers/coordinated-election/lease-elections.ts');
  const { leaderLease } = await import('../controllers/election/leader-lease.ts');
  const { serverWriter } = await import('../controllers/writes/server-writer.ts');
  const lease = electionResources(server) && leaderLease(server, election, serverWriter(server));
  if (lease === undefined) {
    const group = server.identity.text('coordination.${groupDomain}');
    server.log.warn({}, `candidates for leases are not served, so nobody is elected: add --runtime-config=${group}/v1alpha2=true`);
    return undefined;
  }
  const { ElectedControllers } = await import('./controllers/elected-controllers.ts');
  return new ElectedControllers({ ...parts, election, lease, place: 'coordinator' });
}

/** The name that 1.32 gives the lease of the server that elects among LeaseCandidates. */
const COORDINATOR = 'leader-election-controller';

/** @returns undefined if the feature gate is off. @throws Error that names the flag */
function coordinationOf({ identity, featureEnabled }: ApiServer, flags: Flags): LeaderElectionSettings | undefined {
  if (featureEnabled('CoordinatedLeaderElection')) return coordinationElection(flags, identity.text('${systemNamespace}'), COORDINATOR);
  coordinationTimes(flags);
  return undefined;
}

/** @throws Error that names the flag whose file cannot be used */
function controllerSettings(flags: Flags, clientSigner: CertificateAndKey): ControllerSettings {
  return {
    signing: { authority: signingAuthority(flags) ?? clientSigner, lifetime: flags['cluster-signing-duration'] },
    quotaResync: flags['resource-quota-sync-period'],
    nodeLifecycle: {
      period: flags['node-monitor-period'],
      grace: { usual: flags['node-monitor-grace-period'], startup: flags['node-startup-grace-period'] },
      disruption: {
        rate: flags['node-eviction-rate'],
        secondaryRate: flags['secondary-node-eviction-rate'],
        largeZone: flags['large-cluster-size-threshold'],
        unhealthyShare: flags['unhealthy-zone-threshold'],
      },
    },
  };
}

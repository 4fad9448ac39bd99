/**
 * Builds the chain of one process that every request goes through, with the parts that only some flags ask for: audit, traces, pages,
 * refusals at the end.
 */
import type { Auditor } from '../audit/auditor.ts';
import type { ApiApplication } from '../chain/application.ts';
import { createApp } from '../chain/chain.ts';
import type { ChainParts, Debugging } from '../chain/chain-parts.ts';
import { Deadlines } from '../chain/deadlines.ts';
import { requestLog } from '../chain/request-log.ts';
import type { ShutdownRefusal } from '../endpoints/answers/shutdown-refusal.ts';
import type { crossOrigin } from '../endpoints/cross-origin.ts';
import type { Profiler } from '../observability/profiler.ts';
import { newBadRequest } from '../status/status.ts';
import { type SnapshotSource, StoreSnapshots } from '../storage/snapshot/store-snapshot.ts';
import type { FolderStorage, ServedStorage } from '../storage/storage.ts';
import type { Tracing } from '../tracing/create-tracing.ts';
import { flowControlOf } from './flow-control.ts';
import type { Health } from './health.ts';
import type { ApiServer } from './parts/api-server.ts';
import type { Parts } from './parts/create-parts.ts';
import type { Endings } from './setup/endings.ts';
import { isInEtcd } from './setup/etcd-flags.ts';
import { peerSettings } from './setup/peer-flags.ts';
import type { ServerCredentials } from './setup/server-credentials.ts';
import type { Setup } from './setup/setup.ts';

export interface RequestChain {
  readonly app: ApiApplication;
  /** knows the requests under way and their deadlines */
  readonly deadlines: Deadlines;
  /** refuses new requests while the server ends; absent: --shutdown-send-retry-after is not set */
  readonly refusal: ShutdownRefusal | undefined;
  readonly debugging: Debugging;
}

interface RequestChainParts extends Parts {
  readonly storage: ServedStorage;
  readonly setup: Setup;
  readonly credentials: ServerCredentials;
  readonly health: Health;
}

/**
 * @param endings gets a function for each part that must be closed
 * @throws Error that names the flag or the file that is wrong
 */
export async function createRequestChain(parts: RequestChainParts, endings: Endings): Promise<RequestChain> {
  const { server, storage, setup, featureEnabled } = parts;
  const { values: flags } = setup.parsed;
  const crossOrigin = await crossOriginOf(flags['cors-allowed-origins']);
  const refusal = await refusalOf(flags['shutdown-send-retry-after']);
  const auditor = await auditorOf(parts);
  endings.add(() => auditor?.close());
  const deadlines = new Deadlines();
  const tracing = await tracingOf(parts);
  endings.add(() => tracing?.close());
  if (tracing !== undefined) storage.traceCalls?.(tracing.serviceCalls);
  const flowControl = await flowControlOf(server, flags, flags['delegated-authentication']);
  endings.add(async () => flowControl.close());
  const debugging = debuggingOf(setup);
  const app = createApp({
    server,
    authenticator: parts.authenticator,
    ...(auditor && { auditor }),
    ...(await tracedBy(tracing, featureEnabled)),
    ...(flags.profiling && { debugging }),
    pages: await pagesOf(featureEnabled, setup, server.registry.release),
    ...snapshotsOf(storage, setup, parts.credentials.directory),
    ...(setup.otherFigures && { otherFigures: setup.otherFigures }),
    health: parts.health,
    requestTimeout: flags['request-timeout'],
    deadlines,
    turns: flowControl,
    ...(flowControl.levels && { priorityLevels: flowControl.levels }),
    ...(await barrierOf(server)),
    ...(await peersOf(parts, endings)),
    ...(refusal && { refusal }),
    ...(crossOrigin && { crossOrigin }),
    observer: requestLog(setup.log),
  });
  return { app, deadlines, refusal, debugging };
}

/** The code is loaded only if --shutdown-send-retry-after is set. */
async function refusalOf(isWanted: boolean): Promise<ShutdownRefusal | undefined> {
  if (!isWanted) return undefined;
  const { ShutdownRefusal } = await import('../endpoints/answers/shutdown-refusal.ts');
  return new ShutdownRefusal();
}

/** @param directory where snapshots are written. @returns {} for a store that has no snapshots */
function snapshotsOf(storage: ServedStorage, { parsed, identity }: Setup, directory: string): { readonly snapshots?: SnapshotSource } {
  if ('copyTo' in storage) return { snapshots: new StoreSnapshots(storage as FolderStorage, identity.dialect, directory) };
  return isInEtcd(parsed.values) ? { snapshots: ETCDS_OWN } : {};
}

const ETCDS_OWN: SnapshotSource = {
  take() {
    throw newBadRequest('etcd has the store of this server: etcdctl takes snapshots of it');
  },
};

/** The profiler is loaded when the first profile is asked for. */
function debuggingOf({ setLogLevels }: Setup): Debugging {
  let loaded: Promise<Profiler> | undefined;
  return {
    profiler() {
      loaded ??= import('../observability/profiler.ts').then(({ Profiler }) => new Profiler());
      return loaded;
    },
    ...(setLogLevels && { setLogLevels }),
  };
}

/** The paths that the page /statusz links to. */
const ENDPOINTS = { healthz: '', livez: '', metrics: '', readyz: '', 'sli metrics': '/metrics/slis' };

/** The pages /flagz and /statusz. They are loaded only if their feature gates are on. */
async function pagesOf(
  featureEnabled: (gate: string) => boolean,
  { parsed, identity }: Setup,
  release: string,
): Promise<ChainParts['pages'] & object> {
  const [hasFlags, hasStatus] = [featureEnabled('ComponentFlagz'), featureEnabled('ComponentStatusz')];
  if (!hasFlags && !hasStatus) return {};
  const [{ componentPage }, { flagsPage, statusPage }, { flagsData }, { oldestRelease }, { PROGRAM_VERSION }] = await Promise.all([
    import('../endpoints/handlers/pages/component-page.ts'),
    import('../server/component-pages.ts'),
    import('../../generated/flags.ts'),
    import('../../generated/releases.ts'),
    import('../server/program-version.ts'),
  ]);
  const component = identity.text('${serverName}');
  const [started, begun] = [Date.now(), performance.now()];
  const status = { started, nodeVersion: process.version, programVersion: PROGRAM_VERSION, release, oldestRelease, endpoints: ENDPOINTS };
  return {
    ...(hasFlags && { '/flagz': componentPage(() => flagsPage(component, flagsData, parsed.values)) }),
    ...(hasStatus && { '/statusz': componentPage(() => statusPage(component, { ...status, up: performance.now() - begun })) }),
  };
}

const AUDIT_FLAGS = ['audit-policy-file', 'audit-log-path', 'audit-webhook-config-file'] as const;

/** Makes the auditor, which is loaded only if a flag asks for it. @throws Error that names the flag or the file that is wrong */
async function auditorOf({ server, fileKinds, egress, setup }: RequestChainParts): Promise<Auditor | undefined> {
  const { parsed, identity, log, followedFiles } = setup;
  const { values: flags } = parsed;
  if (AUDIT_FLAGS.every((name) => flags[name] === '')) return undefined;
  const { createAudit } = await import('../audit/create-audit.ts');
  const { negotiator, metrics } = server;
  return createAudit({ flags, identity, fileKinds, negotiator, log, metrics, followedFiles, egress });
}

/** The code is loaded only if --tracing-config-file is set. @throws Error that names the flag or the file that is wrong */
async function tracingOf({ server, fileKinds, featureEnabled, egress, setup }: RequestChainParts): Promise<Tracing | undefined> {
  const { parsed, identity, log } = setup;
  const file = parsed.values['tracing-config-file'];
  if (file === '') return undefined;
  const [{ createTracing }, { identityName }, { hostname }, { PROGRAM_VERSION }] = await Promise.all([
    import('../tracing/create-tracing.ts'),
    import('../controllers/election/identity-lease.ts'),
    import('node:os'),
    import('../server/program-version.ts'),
  ]);
  const instance = featureEnabled('APIServerIdentity') ? identityName(identity, hostname()) : undefined;
  const { metrics } = server;
  return createTracing({ file, fileKinds, environment: process.env, instance, programVersion: PROGRAM_VERSION, log, metrics, egress });
}

/**
 * Without a tracing configuration the server records nothing, but passes the trace headers of its clients on to other servers, as 1.32
 * does.
 */
async function tracedBy(
  tracing: Tracing | undefined,
  featureEnabled: (gate: string) => boolean,
): Promise<Pick<ChainParts, 'tracer' | 'untraced'>> {
  if (!featureEnabled('APIServerTracing')) return {};
  if (tracing === undefined) return { untraced: (passedOn) => ({ passedOn }) };
  const { tracer } = tracing;
  const { clientTracer } = await import('./parts/client-tracer.ts');
  return { tracer: clientTracer((request, context) => tracer.begin(request, context)), untraced: (headers) => tracer.unrecorded(headers) };
}

/** The barrier is loaded only if the server publishes its storage versions. */
async function barrierOf({ storageVersions, identity }: ApiServer): Promise<Pick<ChainParts, 'barrier'>> {
  if (storageVersions === undefined) return {};
  const { storageVersionBarrier } = await import('../chain/storage-version-barrier.ts');
  return { barrier: storageVersionBarrier(storageVersions, identity) };
}

/** What passes requests on to other servers is loaded only if --peer-ca-file is set. @throws Error that names the flag or the file that is wrong */
async function peersOf({ server, setup, clientCertificate }: RequestChainParts, endings: Endings): Promise<Pick<ChainParts, 'peers'>> {
  const { storage, storageVersions: registration, identity, registry, metrics, featureEnabled } = server;
  const file = peerSettings(setup.parsed.values, featureEnabled)?.authorityFile ?? '';
  if (registration === undefined || file === '') return {};
  const [{ peerProxy }, { openPeers }] = await Promise.all([import('../chain/peer-proxy.ts'), import('./peer-servers.ts')]);
  const peers = openPeers(file, { storage, identity, registry, clientCertificate: () => clientCertificate?.current });
  if (peers === undefined) return {};
  endings.add(async () => peers.close());
  return { peers: peerProxy(peers, registration, metrics) };
}

/** Answers requests of pages from other origins (CORS). It is loaded only if a flag names origins. @throws Error that names the flag */
async function crossOriginOf(patterns: readonly string[]): Promise<ReturnType<typeof crossOrigin> | undefined> {
  if (patterns.length === 0) return undefined;
  const { crossOrigin } = await import('../endpoints/cross-origin.ts');
  try {
    return crossOrigin(patterns);
  } catch (error) {
    throw new Error(`--cors-allowed-origins: ${(error as Error).message}`, { cause: error });
  }
}

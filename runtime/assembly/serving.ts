/** One process that serves: who asks, the API, the listener, over a store. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Auditor } from '../audit/auditor.ts';
import { createApp } from '../chain/chain.ts';
import type { ChainParts, Debugging } from '../chain/chain-parts.ts';
import { Deadlines } from '../chain/deadlines.ts';
import { requestLog } from '../chain/request-log.ts';
import type { crossOrigin } from '../endpoints/cross-origin.ts';
import { buildInfo } from '../endpoints/handlers/version.ts';
import type { Figures } from '../observability/figures.ts';
import type { Metrics } from '../observability/metrics.ts';
import { tellOfProcess } from '../observability/process-metrics.ts';
import type { Profiler } from '../observability/profiler.ts';
import { tellOfProgram } from '../observability/program-metrics.ts';
import { wakeOnChange } from '../registry/definition-follower.ts';
import { serverAddress } from '../server/client-configuration.ts';
import { type Listener, type ListenOptions, listen } from '../server/listen.ts';
import { newBadRequest } from '../status/status.ts';
import { type SnapshotSource, StoreSnapshots } from '../storage/snapshot/store-snapshot.ts';
import type { FolderStorage, ServedStorage, Storage } from '../storage/storage.ts';
import type { Tracing } from '../tracing/create-tracing.ts';
import { type ApiServer, forOwnWork } from './api-server.ts';
import { chosenGates } from './chosen-gates.ts';
import { administrator, createParts, defaultPolicySource, type Parts } from './create-parts.ts';
import { startDuties } from './duties.ts';
import { Endings } from './endings.ts';
import { isInEtcd } from './etcd-flags.ts';
import type { Flags } from './flags.ts';
import { flowControlOf } from './flow-control.ts';
import { Health, type StartStep, USUAL_STEPS } from './health.ts';
import { longRequestsOf } from './loaded-long-requests.ts';
import type { ServerCredentials } from './server-credentials.ts';
import type { FindStoredResource, Setup } from './setup.ts';
import { tellOfStore } from './store-figures.ts';

/** A process that answers requests; it is not ready before it, or another one over the same store, leads. */
export interface Serving {
  readonly url: string;
  /** of this process, as they are now */
  figures(): Figures;
  resetFigures(): void;
  /** takes the duties of all processes */
  lead(): Promise<void>;
  /** another process has them, and has made what this one waited for */
  led(): void;
  /**
   * Waits for requests under way, and for the duties. Nothing is left open, the store neither.
   * @param longest milliseconds for requests, before they and all else that is left have ten seconds more; default: as long as any may take (--request-timeout)
   */
  stop(longest?: number): Promise<void>;
}

/** Milliseconds that what else goes on over connections has, such as commands in pods, when the server ends and no request is under way any more. */
const GRACE = 10_000;
/** Milliseconds at most, of those in which a server that ends goes on serving, in which each answer is the last of its connection. */
const LAST_ANSWERS = 5_000;

/** How connections come: another process may accept them. */
interface Connection extends Pick<ListenOptions, 'port' | 'handedOver'> {
  /** no more are taken */
  readonly leaving?: () => void;
}

/**
 * @param storage is closed with the server, and when the start fails
 * @throws Error that names the flag or the file that is wrong
 */
export async function startServing(
  storage: ServedStorage,
  setup: Setup,
  credentials: ServerCredentials,
  connection: Connection,
): Promise<Serving> {
  const endings = new Endings();
  endings.add(() => storage.close());
  try {
    return await serveFrom(storage, setup, credentials, connection, endings);
  } catch (error) {
    await endings.run();
    throw error;
  }
}

async function serveFrom(
  storage: ServedStorage,
  setup: Setup,
  credentials: ServerCredentials,
  connection: Connection,
  endings: Endings,
): Promise<Serving> {
  const { values: flags } = setup.parsed;
  let { certificates } = credentials;
  const isAggregated = flags['delegated-authentication'];
  let port = connection.port;
  const externalAddress = () => `${flags['bind-address']}:${port}`;
  let metrics: Metrics | undefined;
  const counted = (figures: Figures) => metrics?.add(figures);
  const longRequestsOver = (over: Storage) => longRequestsOf(over, setup, credentials, externalAddress, counted);
  const longRequests = longRequestsOver(storage);
  endings.add(() => longRequests.close());
  const parts = await createParts(storage, setup, credentials, externalAddress, endings, longRequests);
  const { authenticator, definitions, cluster } = parts;
  const { storageVersions } = parts.server;
  const steps: StartStep[] = [...(isAggregated ? [] : USUAL_STEPS), ...(storageVersions ? (['storageVersions'] as const) : [])];
  const health = new Health(storage, setup.identity.names.storeCheck as string, flags['livez-grace-period'], steps);
  if (cluster !== undefined) health.addReadiness('informer-sync', () => notYetKnown(cluster.missing));
  const trust = cluster && (await (await import('./delegation.ts')).trustInForce(setup, parts.featureEnabled, () => certificates));
  endings.add(() => trust?.close());
  const inForce = () => trust?.certificates() ?? certificates;
  if (trust !== undefined) authenticator.trust(inForce(), trust.proxyRules());
  const { server } = parts;
  metrics = server.metrics;
  const endFigures = tellOfServer(server, storage, flags);
  endings.add(async () => endFigures());
  setup.resourcesKnown?.(definedResources(server));
  const ownServer = forOwnWork(server);
  const crossOrigin = await crossOriginOf(flags['cors-allowed-origins']);
  const refusal = flags['shutdown-send-retry-after'] ? new (await import('../endpoints/shutdown-refusal.ts')).ShutdownRefusal() : undefined;
  const auditor = await auditorOf(parts, setup);
  endings.add(() => auditor?.close());
  const deadlines = new Deadlines();
  const tracing = await tracingOf(parts, setup);
  endings.add(() => tracing?.close());
  if (tracing !== undefined) storage.traceCalls?.(tracing.serviceCalls);
  const flowControl = await flowControlOf(server, flags, isAggregated);
  endings.add(async () => flowControl.close());
  const debugging = debuggingOf(setup);
  const app = createApp({
    server,
    authenticator,
    ...(auditor && { auditor }),
    ...(await tracedBy(tracing, parts.featureEnabled)),
    ...(flags.profiling && { debugging }),
    pages: await pagesOf(parts.featureEnabled, setup, server.registry.release),
    ...snapshotsOf(storage, setup, credentials.directory),
    ...(setup.otherFigures && { otherFigures: setup.otherFigures }),
    health,
    requestTimeout: flags['request-timeout'],
    deadlines,
    turns: flowControl,
    ...(flowControl.levels && { priorityLevels: flowControl.levels }),
    ...(await barrierOf(server)),
    ...(refusal && { refusal }),
    ...(crossOrigin && { crossOrigin }),
    observer: requestLog(setup.log),
  });
  const handshakeErrors = server.metrics.counter('apiserver_tls_handshake_errors_total').with({});
  const listener = await listen({
    handler: app.callback(),
    handshakeFailed: () => handshakeErrors.inc(),
    tls: inForce().serving,
    address: flags['bind-address'],
    sharesPort: flags['permit-port-sharing'],
    http2: !flags['disable-http2-serving'],
    maxStreams: flags['http2-max-streams-per-connection'],
    goawayChance: flags['goaway-chance'],
    ...connection,
  });
  endings.add(() => listener.close(GRACE));
  endings.add(() => server.watchHub.close());
  if (definitions !== undefined) wakeOnChange(server.watchHub, definitions.prefix, () => storage.currentRevision(), server.latestRegistry);
  port = listener.port;
  const renew = (): void => {
    listener.renew(inForce().serving);
    authenticator.trust(inForce(), trust?.proxyRules());
  };
  trust?.onChange(renew);
  const endFollowing = await followFiles(certificates, setup, (renewed) => {
    certificates = renewed;
    renew();
  });
  endings.add(endFollowing);
  endings.add(await followFiles(server.outbound, setup, () => {}));
  const endCertificate = await parts.clientCertificate?.follow(setup.log, setup.followedFiles);
  if (endCertificate !== undefined) endings.add(async () => endCertificate());
  const keepOwn = async () => (await import('./own-objects.ts')).keepOwnObjects(ownServer, flags, port, () => certificates);
  return {
    url: serverAddress(flags['bind-address'], port),
    figures: () => server.metrics.figures(),
    resetFigures: () => server.metrics.reset(),
    async lead() {
      endings.add(await debugSocketOf(server, setup, debugging));
      const { prepared = false, alone = false, startId = randomUUID(), startProgress = () => {} } = setup;
      await startDuties({
        server: ownServer,
        storage,
        flags,
        clientSigner: credentials.certificates.clientSigner,
        policy: defaultPolicySource,
        health,
        keepOwn,
        longRequestsOver,
        prepared,
        alone,
        startId,
        isAggregated,
        startProgress,
        endings,
      });
      health.started();
    },
    led() {
      health.started();
      storageVersions?.complete();
    },
    async stop(longest = flags['request-timeout']) {
      health.stopping();
      await goOn(flags['shutdown-delay-duration'], listener);
      const watchesEnded = () => server.watchHub.drain(flags['shutdown-watch-termination-grace-period']);
      if (refusal !== undefined) {
        refusal.begin();
        listener.lastAnswers();
        await Promise.all([deadlines.none(longest), watchesEnded()]);
      }
      connection.leaving?.();
      void listener.close(GRACE, deadlines.none(longest));
      await watchesEnded();
      await endings.run();
    },
  };
}

/**
 * A server that has been told to end goes on serving: whoever looks at /readyz sends nothing more. In the second half of that time, answers send those away who
 * still have connections.
 */
async function goOn(milliseconds: number, listener: Pick<Listener, 'lastAnswers'>): Promise<void> {
  if (milliseconds === 0) return;
  const last = Math.min(milliseconds / 2, LAST_ANSWERS);
  await sleep(milliseconds - last);
  listener.lastAnswers();
  await sleep(last);
}

/** @param directory in which snapshots are made. @returns nothing for a store of which there are none */
function snapshotsOf(storage: ServedStorage, { parsed, identity }: Setup, directory: string): { readonly snapshots?: SnapshotSource } {
  if ('copyTo' in storage) return { snapshots: new StoreSnapshots(storage as FolderStorage, identity.dialect, directory) };
  return isInEtcd(parsed.values) ? { snapshots: ETCDS_OWN } : {};
}

const ETCDS_OWN: SnapshotSource = {
  take() {
    throw newBadRequest('etcd has the store of this server: etcdctl takes snapshots of it');
  },
};

/** Of the program, its process and the store. @returns ends what needs the store */
function tellOfServer(server: ApiServer, storage: ServedStorage, flags: Flags): () => void {
  const { metrics, registry } = server;
  tellOfProcess(metrics);
  tellOfProgram(metrics, buildInfo(registry.release), chosenGates(flags).states);
  return tellOfStore(server, storage, flags['etcd-count-metric-poll-period']);
}

/** Of definitions and structural schemas, whatever is served at the time. */
const definedResources =
  ({ registry }: ApiServer): FindStoredResource =>
  (prefix) =>
    registry.current.ownsPrefix(prefix) ? undefined : (registry.current.storedAt(prefix) ?? registry.current.unservedAt(prefix));

const notYetKnown = (missing: readonly string[]): string | undefined =>
  missing.length === 0 ? undefined : `not all are known yet of the other server's ${missing.join(', ')}`;

/** Loaded when it is first asked for. */
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

/** Of one process of the server. Loaded where a flag asks for it. @throws Error that names the flag */
async function debugSocketOf(server: ApiServer, setup: Setup, debugging: Debugging): Promise<() => Promise<void>> {
  const { 'debug-socket-path': path, 'request-timeout': requestTimeout } = setup.parsed.values;
  if (path === '') return async () => {};
  const { serveDebugSocket } = await import('./debug-socket.ts');
  return serveDebugSocket({ server, path, requestTimeout, debugging, user: administrator(setup.identity) });
}

const COMPONENT = 'apiserver';
/** What a page about the server leads to. */
const ENDPOINTS = { healthz: '', livez: '', metrics: '', readyz: '', 'sli metrics': '/metrics/slis' };

/** Loaded where a gate asks for them. */
async function pagesOf(
  featureEnabled: (gate: string) => boolean,
  { parsed }: Setup,
  release: string,
): Promise<ChainParts['pages'] & object> {
  const [hasFlags, hasStatus] = [featureEnabled('ComponentFlagz'), featureEnabled('ComponentStatusz')];
  if (!hasFlags && !hasStatus) return {};
  const [{ componentPage }, { flagsPage, statusPage }, { flagsData }, { oldestRelease }, { PROGRAM_VERSION }] = await Promise.all([
    import('../endpoints/handlers/component-page.ts'),
    import('../server/component-pages.ts'),
    import('../../generated/flags.ts'),
    import('../../generated/releases.ts'),
    import('../server/program-version.ts'),
  ]);
  const [started, begun] = [Date.now(), performance.now()];
  const status = { started, nodeVersion: process.version, programVersion: PROGRAM_VERSION, release, oldestRelease, endpoints: ENDPOINTS };
  return {
    ...(hasFlags && { '/flagz': componentPage(() => flagsPage(COMPONENT, flagsData, parsed.values)) }),
    ...(hasStatus && { '/statusz': componentPage(() => statusPage(COMPONENT, { ...status, up: performance.now() - begun })) }),
  };
}

/** Loaded where a flag asks for it. @throws Error that names the flag or the file that is wrong */
async function auditorOf(
  { server, fileKinds, egress }: Parts,
  { parsed: { values: flags }, identity, log, followedFiles }: Setup,
): Promise<Auditor | undefined> {
  if (AUDIT_FLAGS.every((name) => flags[name] === '')) return undefined;
  const { createAudit } = await import('../audit/create-audit.ts');
  const { negotiator, metrics } = server;
  return createAudit({ flags, identity, fileKinds, negotiator, log, metrics, followedFiles, egress });
}

/** Loaded where a file asks for it. @throws Error that names the flag or the file that is wrong */
async function tracingOf(
  { server, fileKinds, featureEnabled, egress }: Parts,
  { parsed: { values: flags }, identity, log }: Setup,
): Promise<Tracing | undefined> {
  const file = flags['tracing-config-file'];
  if (file === '') return undefined;
  if (!featureEnabled('APIServerTracing')) throw new Error('--tracing-config-file needs the feature gate APIServerTracing, which is off');
  const [{ createTracing }, { identityName }, { hostname }, { PROGRAM_VERSION }] = await Promise.all([
    import('../tracing/create-tracing.ts'),
    import('../controllers/identity-lease.ts'),
    import('node:os'),
    import('../server/program-version.ts'),
  ]);
  const instance = featureEnabled('APIServerIdentity') ? identityName(identity, hostname()) : undefined;
  const { metrics } = server;
  return createTracing({ file, fileKinds, environment: process.env, instance, programVersion: PROGRAM_VERSION, log, metrics, egress });
}

/** Without such a file traces of clients go on through this server, as in 1.32. */
async function tracedBy(
  tracing: Tracing | undefined,
  featureEnabled: (gate: string) => boolean,
): Promise<Pick<ChainParts, 'tracer' | 'untraced'>> {
  if (!featureEnabled('APIServerTracing')) return {};
  if (tracing === undefined) return { untraced: (passedOn) => ({ passedOn }) };
  const { tracer } = tracing;
  const { clientTracer } = await import('./client-tracer.ts');
  return { tracer: clientTracer((request, context) => tracer.begin(request, context)), untraced: (headers) => tracer.unrecorded(headers) };
}

const AUDIT_FLAGS = ['audit-policy-file', 'audit-log-path', 'audit-webhook-config-file'] as const;

/** Loaded where the server says in which versions it stores what. */
async function barrierOf({ storageVersions, identity }: ApiServer): Promise<Pick<ChainParts, 'barrier'>> {
  if (storageVersions === undefined) return {};
  const { storageVersionBarrier } = await import('../chain/storage-version-barrier.ts');
  return { barrier: storageVersionBarrier(storageVersions, identity) };
}

/** Loaded where a page may be of another origin. @throws Error that names the flag */
async function crossOriginOf(patterns: readonly string[]): Promise<ReturnType<typeof crossOrigin> | undefined> {
  if (patterns.length === 0) return undefined;
  const { crossOrigin } = await import('../endpoints/cross-origin.ts');
  try {
    return crossOrigin(patterns);
  } catch (error) {
    throw new Error(`--cors-allowed-origins: ${(error as Error).message}`, { cause: error });
  }
}

/** @returns ends it */
async function followFiles<T>(
  certificates: { readonly files: readonly string[]; reread(): T },
  { log, followedFiles }: Setup,
  changed: (certificates: T) => void,
): Promise<() => void> {
  if (certificates.files.length === 0) return () => {};
  const { followCertificateFiles } = await import('../server/certificate-files.ts');
  return followCertificateFiles(certificates, changed, log, followedFiles);
}

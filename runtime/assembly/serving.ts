/** Starts one process that serves the API from a store. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { ownUserOf } from '../authentication/identities.ts';
import type { Debugging } from '../chain/chain-parts.ts';
import { OwnConnections } from '../connections/own-connections.ts';
import { buildInfo } from '../endpoints/handlers/pages/version.ts';
import type { Figures } from '../observability/figures.ts';
import type { Metrics } from '../observability/metrics.ts';
import { tellOfProcess } from '../observability/process-metrics.ts';
import { tellOfProgram } from '../observability/program-metrics.ts';
import { wakeOnChange } from '../registry/definition-follower.ts';
import { serverAddress } from '../server/certificates/client-configuration.ts';
import { type Listener, type ListenOptions, listen } from '../server/listener/listen.ts';
import type { ServerCertificates } from '../server/listener/serving-certificates.ts';
import type { ServedStorage, Storage } from '../storage/storage.ts';
import { CertificatesInForce, followFiles } from './certificates-in-force.ts';
import { startDuties } from './duties.ts';
import { Health, type StartStep, USUAL_STEPS } from './health.ts';
import { longRequestsOf } from './long-requests/loaded-long-requests.ts';
import { type ApiServer, forOwnWork } from './parts/api-server.ts';
import { administrator, defaultPolicySource } from './parts/create-access.ts';
import { createParts, type Parts } from './parts/create-parts.ts';
import { keepRenewed } from './renewed-certificates.ts';
import { createRequestChain, type RequestChain } from './request-chain.ts';
import { chosenGates } from './setup/chosen-gates.ts';
import { Endings } from './setup/endings.ts';
import type { Flags } from './setup/flags.ts';
import { peerSettings } from './setup/peer-flags.ts';
import type { ServerCredentials } from './setup/server-credentials.ts';
import type { FindStoredResource, Setup } from './setup/setup.ts';
import { keepHistory } from './store/kept-history.ts';
import { tellOfStore } from './store-figures.ts';

/** A process that answers requests. It is ready after `lead` has resolved, here or in another process of the same store. */
export interface Serving {
  readonly url: string;
  /** what the server serves with now: its own certificates are renewed while it runs */
  readonly certificates: () => ServerCertificates;
  /** the metrics of this process at the moment */
  figures(): Figures;
  resetFigures(): void;
  /** begins the duties that one process has for all that serve the store (duties.ts) */
  lead(): Promise<void>;
  /** another process has the duties, and has made what readiness waits for */
  led(): void;
  /**
   * Waits for requests under way and for the duties, then closes everything, including the store.
   * @param longest milliseconds that requests may take; those that are left get ten seconds more. Default: --request-timeout
   */
  stop(longest?: number): Promise<void>;
}

/** Milliseconds that upgraded connections, such as commands in pods, are kept after the last request when the server ends. */
const GRACE = 10_000;
/**
 * A server that ends serves on for --shutdown-delay-duration. In the second half of that time, but for at most these milliseconds, each
 * answer closes its connection.
 */
const LAST_ANSWERS = 5_000;

/** How connections reach this process. A supervisor of several workers may accept them on its behalf. */
interface Connection extends Pick<ListenOptions, 'port' | 'handedOver' | 'flags'> {
  /** is called when this process accepts no more connections */
  readonly leaving?: () => void;
}

/**
 * @param storage is closed when the server stops or its start fails
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
    const { namingFlags } = await import('../files/flags-of-file.ts');
    throw namingFlags(error, setup.parsed.values);
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
  const isAggregated = flags['delegated-authentication'];
  let port = connection.port;
  const externalAddress = () => `${flags['bind-address']}:${port}`;
  let metrics: Metrics | undefined;
  const counted = (figures: Figures) => metrics?.add(figures);
  const ownConnections = new OwnConnections(ownUserOf(randomUUID()), flags['bind-address']);
  endings.add(() => ownConnections.close());
  const takePort = (port: MessagePort) => ownConnections.takePort(port);
  const longRequestsOver = (over: Storage) => longRequestsOf(over, setup, credentials, { externalAddress, counted, takePort });
  const longRequests = longRequestsOver(storage);
  endings.add(() => longRequests.close());
  const parts = await createParts(storage, setup, credentials, externalAddress, endings, {
    longRequests,
    toItself: async () => ownConnections.connect(),
  });
  const { server, definitions, cluster } = parts;
  const { storageVersions } = server;
  metrics = server.metrics;
  const health = new Health(
    {
      storage,
      storeName: setup.identity.names.storeCheck as string,
      grace: flags['livez-grace-period'],
      catchUp: () => void server.latestRegistry(),
      missing: cluster && (() => notYetKnown(cluster.missing)),
      logProblem: setup.log.problem,
    },
    stepsOf(parts, flags),
  );
  Promise.resolve(server.definitionsUnderWay?.()).then(
    () => health.done('definitions'),
    (error) => setup.log.error({ err: error }, 'custom resource definitions could not be read'),
  );
  const certificates = new CertificatesInForce(credentials.certificates);
  if (cluster !== undefined) await certificates.askOtherServer(setup, parts.featureEnabled, parts.authenticator);
  endings.add(() => certificates.close());
  endings.add(tellOfServer(server, storage, flags));
  if (storage.hasOwnPast) keepHistory(server, storage, flags, endings);
  setup.resourcesKnown?.(definedResources(server));
  const chain = await createRequestChain({ ...parts, storage, setup, credentials, health }, endings);
  // whatever is listed and watched comes from objects that this process has in its memory by now
  health.done('turns', 'filledCaches', 'peerProxy', 'encryptionReload');
  ownConnections.serve(chain.app.callback());
  const listener = await listenFor(server, chain, certificates.current, connection, flags);
  endings.add(() => listener.close(GRACE));
  endings.add(() => server.watchHub.close());
  if (definitions !== undefined) wakeOnChange(server.watchHub, definitions.prefix, () => storage.currentRevision(), server.latestRegistry);
  port = listener.port;
  let leads = false;
  await followCertificates(certificates, parts, listener, setup, endings, () => leads);
  health.done('clientCertificate');
  const ownServer = forOwnWork(server);
  let ownObjects: Promise<() => Promise<void>> | undefined;
  const keepOwn = (): Promise<() => Promise<void>> => {
    ownObjects = import('./own-objects.ts').then(({ keepOwnObjects }) => keepOwnObjects(ownServer, flags, port, () => certificates.own));
    return ownObjects;
  };
  return {
    url: serverAddress(flags['bind-address'], port),
    certificates: () => certificates.own,
    figures: () => server.metrics.figures(),
    resetFigures: () => server.metrics.reset(),
    async lead() {
      leads = true;
      endings.add(await debugSocketOf(server, setup, chain.debugging));
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
    },
    led() {
      health.started();
      storageVersions?.complete();
    },
    async stop(longest = flags['request-timeout']) {
      health.stopping();
      // As in 1.32, this server is first removed from the endpoints, so that pods use other servers, while requests under way are still
      // answered.
      const isLeft = ownObjects?.then((leave) => leave()).catch(() => {});
      await endRequests({ server, chain, listener, flags, leaving: connection.leaving }, longest);
      await isLeft;
      await endings.run();
    },
  };
}

/** The steps that this start has. */
function stepsOf({ server, definitions, clientCertificate, featureEnabled }: Parts, flags: Flags): StartStep[] {
  const isAggregated = flags['delegated-authentication'];
  const steps = new Set<StartStep>(isAggregated ? [] : USUAL_STEPS);
  if (definitions === undefined) steps.delete('definitions');
  if (isAggregated) return [...steps];
  if (flags['enable-priority-and-fairness']) steps.add('turns');
  if (featureEnabled('APIServerIdentity')) steps.add('identityLease');
  if (featureEnabled('WatchCacheInitializationPostStartHook')) steps.add('filledCaches');
  if (server.serviceAddresses !== undefined) steps.add('serviceRanges');
  if (clientCertificate !== undefined) steps.add('clientCertificate');
  if (flags['encryption-provider-config-automatic-reload']) steps.add('encryptionReload');
  if (server.storageVersions === undefined) return [...steps];
  steps.add('storageVersions');
  const peers = peerSettings(flags, featureEnabled);
  if (peers !== undefined) steps.add('peerLease');
  if (peers !== undefined && peers.authorityFile !== '') steps.add('peerProxy');
  return [...steps];
}

/** Opens the listener that the flags describe. */
function listenFor(
  { metrics }: ApiServer,
  { app }: RequestChain,
  { serving }: ServerCertificates,
  connection: Connection,
  flags: Flags,
): Promise<Listener> {
  const handshakeErrors = metrics.counter('apiserver_tls_handshake_errors_total').with({});
  return listen({
    handler: app.callback(),
    handshakeFailed: () => handshakeErrors.inc(),
    tls: serving,
    address: flags['bind-address'],
    sharesPort: flags['permit-port-sharing'],
    http2: !flags['disable-http2-serving'],
    maxStreams: flags['http2-max-streams-per-connection'],
    goawayChance: flags['goaway-chance'],
    ...connection,
  });
}

/** Applies changes of the certificates, which come from files, from the delegating server or by renewal, while the server runs. */
async function followCertificates(
  certificates: CertificatesInForce,
  { server, authenticator, clientCertificate }: Parts,
  listener: Listener,
  setup: Setup,
  endings: Endings,
  leads: () => boolean,
): Promise<void> {
  const changed = (): void => {
    listener.renew(certificates.current.serving);
    certificates.applyTo(authenticator);
  };
  endings.add(await certificates.follow(setup, changed));
  endings.add(keepRenewed({ certificates, leads, changed, renewed: setup.certificatesRenewed, log: setup.log }));
  endings.add(await followFiles(server.outbound, setup, () => {}));
  const endCertificate = await clientCertificate?.follow(setup.log, setup.followedFiles);
  if (endCertificate !== undefined) endings.add(endCertificate);
}

interface EndedParts extends Pick<Connection, 'leaving'> {
  readonly server: Pick<ApiServer, 'watchHub'>;
  readonly chain: RequestChain;
  readonly listener: Listener;
  readonly flags: Flags;
}

/** Accepts no more requests and waits for those under way. @param longest milliseconds that it waits for them */
async function endRequests({ server, chain, listener, flags, leaving }: EndedParts, longest: number): Promise<void> {
  const { refusal, deadlines } = chain;
  await goOn(flags['shutdown-delay-duration'], listener);
  const watchesEnded = () => server.watchHub.drain(flags['shutdown-watch-termination-grace-period']);
  if (refusal !== undefined) {
    refusal.begin();
    listener.lastAnswers();
    await Promise.all([deadlines.none(longest), watchesEnded()]);
  }
  leaving?.();
  void listener.close(GRACE, deadlines.none(longest));
  await watchesEnded();
}

/**
 * Serves on after the server was told to end, so that balancers see at /readyz that it ends and send it nothing more. In the second half of
 * that time, but for 5 seconds at most, each answer closes its connection.
 */
async function goOn(milliseconds: number, listener: Pick<Listener, 'lastAnswers'>): Promise<void> {
  if (milliseconds === 0) return;
  const last = Math.min(milliseconds / 2, LAST_ANSWERS);
  await sleep(milliseconds - last);
  listener.lastAnswers();
  await sleep(last);
}

/** Sets the metrics of the program, its process and the store. @returns a function that stops reading the store for them */
function tellOfServer(server: ApiServer, storage: ServedStorage, flags: Flags): () => void {
  const { metrics, registry } = server;
  tellOfProcess(metrics);
  tellOfProgram(metrics, buildInfo(registry.release), chosenGates(flags).states);
  return tellOfStore(server, storage, flags['etcd-count-metric-poll-period']);
}

/** Finds resources of definitions and structural schemas by the keys of their objects, whether or not they are served at the moment. */
const definedResources =
  ({ registry }: ApiServer): FindStoredResource =>
  (prefix) =>
    registry.current.ownsPrefix(prefix) ? undefined : (registry.current.storedAt(prefix) ?? registry.current.unservedAt(prefix));

const notYetKnown = (missing: readonly string[]): string | undefined =>
  missing.length === 0 ? undefined : `not all are known yet of the other server's ${missing.join(', ')}`;

/**
 * Serves debugging pages at a Unix socket. It is loaded only if --debug-socket-path is set.
 * @returns a function that closes the socket
 * @throws Error that names the flag
 */
async function debugSocketOf(server: ApiServer, setup: Setup, debugging: Debugging): Promise<() => Promise<void>> {
  const { 'debug-socket-path': path, 'request-timeout': requestTimeout } = setup.parsed.values;
  if (path === '') return async () => {};
  const { serveDebugSocket } = await import('./debug-socket.ts');
  return serveDebugSocket({ server, path, requestTimeout, debugging, user: administrator(setup.identity) });
}

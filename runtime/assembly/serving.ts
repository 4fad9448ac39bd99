/** One process that serves: the store, certificates, who asks, the API, the listener. */
import { join } from 'node:path';
import { defaultPolicyHash } from '../../generated/default-policy-hash.ts';
import { featureGates } from '../../generated/feature-gates.ts';
import type { flagsData } from '../../generated/flags.ts';
import { currentRelease } from '../../generated/releases.ts';
import { groupVersions } from '../../generated/routes.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { createAuthenticator } from '../authentication/create-authenticator.ts';
import { type Authorization, createAuthorization } from '../authorization/create-authorization.ts';
import type { DefaultPolicy } from '../contract/default-policy.ts';
import type { Identity } from '../contract/identity.ts';
import type { ApiServer, Log } from '../endpoints/api-server.ts';
import { createApp } from '../endpoints/chain.ts';
import type { crossOrigin } from '../endpoints/cross-origin.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import { Metrics } from '../observability/metrics.ts';
import { featureGate } from '../registry/feature-gates.ts';
import { ObjectLookup } from '../registry/object-lookup.ts';
import { StoreFollower } from '../registry/store-follower.ts';
import { storedTerms } from '../registry/stored-terms.ts';
import { serverAddress, writeClientConfiguration } from '../server/client-configuration.ts';
import type { ParsedFlags } from '../server/flags.ts';
import { type ListenOptions, listen } from '../server/listen.ts';
import type { createLog } from '../server/log.ts';
import type { ServerCertificates } from '../server/serving-certificates.ts';
import { type LmdbStorage, openLmdbStorage } from '../storage/lmdb/lmdb-storage.ts';
import { assembleServer } from './assemble.ts';
import { type Duties, startDuties } from './duties.ts';
import { Health } from './health.ts';
import type { ServerCredentials } from './server-credentials.ts';

/** What a start is told. */
export interface Setup {
  readonly parsed: ParsedFlags<typeof flagsData>;
  readonly identity: Identity;
  readonly log: ReturnType<typeof createLog>;
}

/** A process that answers requests; it is not ready before it, or another one over the same store, leads. */
export interface Serving {
  readonly url: string;
  readonly storage: LmdbStorage;
  readonly health: Health;
  /** takes the duties of all processes. @returns path of the client configuration */
  lead(): Promise<string>;
  stop(): Promise<void>;
}

/** Milliseconds that requests under way have when the server ends. */
const GRACE = 10_000;

/** How connections come: another process may accept them. */
interface Connection extends Pick<ListenOptions, 'port' | 'handedOver'> {
  /** no more are taken */
  readonly leaving?: () => void;
}

export async function startServing(setup: Setup, files: ServerCredentials, connection: Connection): Promise<Serving> {
  const storage = openLmdbStorage({
    directory: join(files.directory, 'store'),
    dialect: setup.identity.dialect,
    terms: storedTerms(groupVersions),
    exclusive: setup.parsed.values.workers === 1,
    onDeferralEnd: (err) =>
      setup.log.warn({ err }, 'the write-ahead log cannot be written: until the next start each write waits for the store itself'),
  });
  try {
    return await serveFrom(storage, setup, files, connection);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function serveFrom(storage: LmdbStorage, setup: Setup, files: ServerCredentials, connection: Connection): Promise<Serving> {
  const { values: flags } = setup.parsed;
  let { certificates } = files;
  const health = new Health(storage, setup.identity.names.storeCheck as string, flags['livez-grace-period']);
  let port = connection.port;
  const externalAddress = () => `${flags['bind-address']}:${port}`;
  const { server, authenticator, authorization } = await createParts(storage, setup, files, externalAddress);
  const crossOrigin = await crossOriginOf(flags['cors-allowed-origins']);
  const refusal = flags['shutdown-send-retry-after'] ? new (await import('../endpoints/shutdown-refusal.ts')).ShutdownRefusal() : undefined;
  const app = createApp({
    server,
    authenticator,
    health,
    requestTimeout: flags['request-timeout'],
    ...(refusal && { refusal }),
    ...(crossOrigin && { crossOrigin }),
  });
  const listener = await listen({
    handler: app.callback(),
    tls: certificates.serving,
    address: flags['bind-address'],
    http2: !flags['disable-http2-serving'],
    maxStreams: flags['http2-max-streams-per-connection'],
    goawayChance: flags['goaway-chance'],
    ...connection,
  });
  port = listener.port;
  const endFollowing = await followFiles(certificates, setup.log, (renewed) => {
    certificates = renewed;
    listener.renew(renewed.serving);
    authenticator.trust(renewed);
  });
  const url = serverAddress(flags['bind-address'], port);
  const keepOwn = async () => (await import('./own-objects.ts')).keepOwnObjects(server, flags, port, () => certificates);
  let duties: Duties | undefined;
  return {
    url,
    storage,
    health,
    async lead() {
      duties = await startDuties(server, storage, flags, { hash: defaultPolicyHash, load: loadDefaultPolicy }, health, keepOwn);
      const configuration = writeAdministratorsConfiguration(files, setup.identity, url);
      health.started();
      return configuration;
    },
    async stop() {
      health.stopping();
      await new Promise((resolve) => setTimeout(resolve, flags['shutdown-delay-duration']));
      await refusal?.begin(GRACE);
      connection.leaving?.();
      await duties?.stop();
      server.watchHub.close();
      authorization.close();
      endFollowing();
      await listener.close(GRACE);
      await storage.close();
    },
  };
}

interface Parts {
  readonly server: ApiServer;
  readonly authenticator: Authenticator;
  readonly authorization: Authorization;
}

/** The API server, with who asks it and whether they may. @param externalAddress asked for when connections come */
async function createParts(
  storage: LmdbStorage,
  { parsed, identity, log }: Setup,
  { directory, certificates, tokenKeys }: ServerCredentials,
  externalAddress: () => string,
): Promise<Parts> {
  const { values: flags, given } = parsed;
  const featureEnabled = featureGate(featureGates, new Map(Object.entries(flags['feature-gates'])), currentRelease);
  const metrics = new Metrics();
  const common = { flags, identity, log, metrics };
  const objects = new ObjectLookup(storage, groupVersions);
  const follower = new StoreFollower(storage);
  const fileKinds = () => loadFileKinds(identity, featureEnabled);
  const audiences = flags['api-audiences'].length > 0 ? flags['api-audiences'] : flags['service-account-issuer'];
  const authenticator = await createAuthenticator({
    ...common,
    given,
    objects,
    ...certificates,
    tokenKeys,
    audiences,
    labelSecret: (...label) => labelSecret(server, ...label),
    fileKinds,
  });
  const authorization = await createAuthorization({
    ...common,
    given,
    follower,
    fileKinds,
    loadPolicy: loadDefaultPolicy,
    featureEnabled,
  });
  const server: ApiServer = assembleServer({
    ...common,
    storage,
    objects,
    follower,
    groupVersions,
    featureEnabled,
    release: currentRelease,
    authenticator,
    audiences,
    tokenKeys,
    authorization,
    authority: certificates.authority,
    externalAddress,
    directory,
  });
  return { server, authenticator, authorization };
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

/** @returns its path */
function writeAdministratorsConfiguration({ directory, certificates }: ServerCredentials, identity: Identity, server: string): string {
  return writeClientConfiguration({
    file: join(directory, 'admin.conf'),
    name: identity.names.defaultService as string,
    server,
    authority: certificates.authority,
    user: certificates.administrator,
  });
}

async function labelSecret(server: ApiServer, namespace: string, name: string, label: string, value: string): Promise<void> {
  const { labelObject } = await import('../registry/object-labels.ts');
  const secrets = server.registry.current.resource('', 'v1', 'secrets');
  if (secrets === undefined) return;
  const { fieldManagers } = server;
  const parts = { context: server.ruleContext(false), fieldManagers };
  await labelObject(await server.store(secrets), { namespace, name }, { [label]: value }, parts);
}

/** @returns ends it */
async function followFiles(
  certificates: ServerCertificates,
  log: Log,
  changed: (certificates: ServerCertificates) => void,
): Promise<() => void> {
  if (certificates.files.length === 0) return () => {};
  const { followCertificateFiles } = await import('../server/certificate-files.ts');
  return followCertificateFiles(certificates, changed, log);
}

async function loadDefaultPolicy(): Promise<DefaultPolicy> {
  return (await import('../../generated/default-policy.ts')).defaultPolicy;
}

/** Loaded where a flag names a file that needs it. */
async function loadFileKinds(identity: Identity, featureEnabled: (gate: string) => boolean): Promise<FileKinds> {
  const { createFileKinds } = await import('./file-kinds.ts');
  return createFileKinds(identity, featureEnabled);
}

/** An API server with its authentication and authorization. */
import { metricsData } from '../../../generated/metrics.ts';
import { currentRelease } from '../../../generated/releases.ts';
import { groupVersions } from '../../../generated/routes.ts';
import type { ConfigurationParts } from '../../admission/ordered-plugins.ts';
import type { ProxyClientCertificate } from '../../aggregation/client-certificate.ts';
import type { FindObject } from '../../aggregation/service-address.ts';
import type { Authenticator } from '../../authentication/authenticator.ts';
import type { Authorization } from '../../authorization/configuration/create-authorization.ts';
import type { Tunnel } from '../../client/transport/tunnel.ts';
import type { Identity } from '../../contract/identity.ts';
import type { GroupVersionData } from '../../contract/kind.ts';
import type { CustomResourceSource } from '../../custom-resources/custom-resource-source.ts';
import type { ClusterObjects } from '../../delegation/cluster-objects.ts';
import type { LongRequests } from '../../endpoints/long-body.ts';
import type { FileKinds } from '../../files/file-kinds.ts';
import type { Log } from '../../observability/log.ts';
import { Metrics } from '../../observability/metrics.ts';
import type { Egress } from '../../outbound/egress.ts';
import { withFormsOfToday } from '../../registry/emulation/forms-of-today.ts';
import { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import { StoreFollower } from '../../registry/stored-objects/store-follower.ts';
import { requireGatesOfFlags } from '../../server/flags/flags.ts';
import type { Storage } from '../../storage/storage.ts';
import { type ChosenApi, chosenApi, emulate } from '../setup/chosen-api.ts';
import { egressOf } from '../setup/egress.ts';
import type { Endings } from '../setup/endings.ts';
import type { Flags } from '../setup/flags.ts';
import type { ServerCredentials } from '../setup/server-credentials.ts';
import type { Setup } from '../setup/setup.ts';
import { storeFailures } from '../store/store-failures.ts';
import { runsPlugin } from './admission-plugins.ts';
import type { ApiServer } from './api-server.ts';
import { assembleServer } from './assemble.ts';
import { createAccess } from './create-access.ts';
import { definitionParts, givenDefinitions, serveDefinitions, storedDefinitions } from './served-definitions.ts';
import type { CommonParts, ServerParts } from './server-parts.ts';
import { serviceRoutes as routesOf } from './service-routes.ts';

export interface Parts {
  readonly server: ApiServer;
  readonly authenticator: Authenticator;
  readonly authorization: Authorization;
  /** loads the reader of files whose kinds schemas state */
  readonly fileKinds: () => Promise<FileKinds>;
  /** absent: no custom resource definitions are served */
  readonly definitions?: CustomResourceSource;
  /** namespaces, webhooks and policies of the delegating server; absent: this is no aggregated server */
  readonly cluster?: ClusterObjects;
  readonly featureEnabled: (gate: string) => boolean;
  /** absent: other servers are reached directly */
  readonly egress?: Egress;
  /** the client certificate by which other API servers recognize this one; absent: it presents none */
  readonly clientCertificate?: ProxyClientCertificate;
}

interface Ways {
  /** answers long requests on another thread; absent: this thread answers them itself */
  readonly longRequests?: LongRequests;
  /** makes connections to this server, on which it knows itself; absent: it is reached as any other */
  readonly toItself?: Tunnel;
}

/**
 * @param externalAddress is called only once connections are accepted, because the port may be unknown before
 * @param endings gets a function for each part that must be closed
 * @param ways to the thread for long requests and to this server itself
 * @throws Error that names the flag or the file that is wrong
 */
export async function createParts(
  store: Storage,
  setup: Setup,
  { directory, certificates, tokenKeys }: ServerCredentials,
  externalAddress: () => string,
  endings: Endings,
  { longRequests, toItself }: Ways = {},
): Promise<Parts> {
  const { parsed, identity, log, followedFiles, administratorToken, startProgress } = setup;
  const { values: flags, given } = parsed;
  const held = await givenDefinitions(setup);
  const { featureEnabled, builtIn, emulated } = await chosenApi(identity, flags);
  requireGatesOfFlags(parsed.gated, featureEnabled);
  const storage = await withFormsOfToday(store, { builtIn, groupVersions, emulated, loadPast: emulate });
  const metrics = await createMetrics(flags, log);
  const fileKinds = () => loadFileKinds(identity, featureEnabled);
  const egress = await openEgress(setup, fileKinds, endings);
  egress?.countIn(metrics);
  const common: CommonParts = { flags, given, identity, log, metrics, followedFiles, featureEnabled, fileKinds, egress };
  const mayTakeLong = longRequests === undefined;
  const { objects, serviceRoutes, aggregated } = await knownObjects(
    storage,
    common,
    { definitions: held.length, mayTakeLong, toItself },
    endings,
  );
  const follower = new StoreFollower(
    storage,
    storeFailures(log, 'an object that the server goes by cannot be read: it goes on by what that was before'),
  );
  const access = await createAccess(
    {
      ...common,
      objects,
      follower,
      certificates,
      tokenKeys,
      administratorToken,
      startProgress,
      labelSecret: (...label) => labelSecret(server, ...label),
      asksSigner: !mayTakeLong,
    },
    endings,
  );
  const admissionConfiguration = await configurationOfAdmission(flags['admission-control-config-file'], {
    identity,
    fileKinds,
    runs: (plugin) => runsPlugin(flags, plugin),
    log,
  });
  const clientCertificate = await proxyClientCertificate(flags);
  const machinery = machineryText(emulated?.groupVersions ?? groupVersions, identity);
  const ofDefinitions = definitionParts({ identity, metrics, machinery, serviceRoutes, egress, mayTakeLong });
  const definitions = storedDefinitions(builtIn, identity, storage, ofDefinitions);
  const server: ApiServer = assembleServer({
    ...common,
    ...access,
    storage,
    objects,
    follower,
    ...(definitions && { definitions }),
    machinery,
    builtIn,
    authority: certificates.authority,
    externalAddress,
    directory,
    admissionConfiguration,
    serviceRoutes,
    ...(aggregated && { aggregated }),
    clientCertificate,
    ...(longRequests && { longRequests, storageVersions: await storageVersionsOf(common, { featureEnabled, builtIn, emulated }) }),
    giveBackMemory: setup.giveBackMemory,
  });
  endings.add(async () => server.admission.close?.());
  endings.add(() => server.aggregation.close());
  await serveDefinitions(server, builtIn, held, ofDefinitions);
  return {
    server,
    authenticator: access.authenticator,
    authorization: access.authorization,
    featureEnabled,
    fileKinds,
    ...(definitions && { definitions }),
    ...(egress && { egress }),
    ...(aggregated && { cluster: aggregated.cluster }),
    ...(clientCertificate && { clientCertificate }),
  };
}

/**
 * Opens the ways to other servers that a flag configures, unless the store has opened them already.
 * @returns undefined: other servers are reached directly
 */
async function openEgress(setup: Setup, fileKinds: () => Promise<FileKinds>, endings: Endings): Promise<Setup['egress']> {
  if (setup.egress !== undefined) return setup.egress;
  const egress = await egressOf(setup.parsed.values, { fileKinds, log: setup.log });
  endings.add(() => egress?.close());
  return egress;
}

/**
 * Makes the lookup of the objects that plugins, authenticators and webhooks need. On an aggregated server some of them come from the
 * delegating server.
 * @param choice the number of definitions that an aggregated server is started with, and whether this thread may read long objects
 * @throws Error that names a flag that an aggregated server does not have
 */
async function knownObjects(
  storage: Storage,
  parts: CommonParts,
  { definitions, mayTakeLong, toItself }: { readonly definitions: number; readonly mayTakeLong: boolean } & Pick<Ways, 'toItself'>,
  endings: Endings,
): Promise<Pick<ServerParts, 'objects' | 'serviceRoutes' | 'aggregated'>> {
  const lookup = [storage, groupVersions, mayTakeLong] as const;
  if (!parts.flags['delegated-authentication']) {
    const objects = new ObjectLookup(...lookup);
    const find: FindObject = (of, namespace, name) => objects.forOwnWork().get(of, namespace, name);
    const itself = toItself && { host: parts.identity.text('${defaultService}.default.svc:443'), tunnel: toItself };
    return { objects, serviceRoutes: routesOf(parts.flags, find, itself) };
  }
  const { checkDelegation, disabledPlugins, followCluster, ObjectsOfCluster, servicesByName } = await import('./delegation.ts');
  checkDelegation({ values: parts.flags, given: parts.given }, definitions);
  const cluster = await followCluster(parts);
  endings.add(() => cluster.close());
  return {
    objects: new ObjectsOfCluster(cluster, ...lookup),
    serviceRoutes: servicesByName,
    aggregated: { cluster, disabledPlugins: disabledPlugins(parts.flags['disable-admission-plugins']) },
  };
}

/** @returns undefined if a feature gate is off, and on an aggregated server, which would register versions of another server's store */
async function storageVersionsOf(
  { flags, identity, log }: Pick<ServerParts, 'flags' | 'identity' | 'log'>,
  { featureEnabled, ...api }: Pick<ChosenApi, 'featureEnabled' | 'builtIn' | 'emulated'>,
): Promise<ServerParts['storageVersions']> {
  if (!featureEnabled('StorageVersionAPI') || !featureEnabled('APIServerIdentity') || flags['delegated-authentication']) return undefined;
  const { registrationOf } = await import('../store/storage-versions.ts');
  return registrationOf({ ...api, groupVersions }, { identity, log });
}

/** @throws Error that names the flag @throws FileError */
async function createMetrics(flags: Flags, log: Log): Promise<Metrics> {
  const visibility = {
    release: currentRelease,
    showHiddenFor: flags['show-hidden-metrics-for-version'],
    onDeprecated: (name: string, since: string) => log.warn({ metric: name }, `the metric is deprecated since ${since}`),
  };
  const [labels, manifest] = [flags['allow-metric-labels'], flags['allow-metric-labels-manifest']];
  const isBounded = labels.length > 0 || manifest !== '';
  const allowedLabels = isBounded ? await (await import('../setup/metric-flags.ts')).allowedLabels(labels, manifest) : undefined;
  return new Metrics(metricsData, visibility, { disabled: flags['disabled-metrics'], ...(allowedLabels && { allowedLabels }) });
}

/** The code that reads the certificate is loaded only if flags name one. @throws Error that names the flag */
async function proxyClientCertificate(flags: Flags): Promise<ProxyClientCertificate | undefined> {
  if (flags['proxy-client-cert-file'] === '' && flags['proxy-client-key-file'] === '') return undefined;
  const { ProxyClientCertificate } = await import('../../aggregation/client-certificate.ts');
  return new ProxyClientCertificate(flags);
}

/** The code that reads the file is loaded only if there is one. @param file path, or '' for none @throws FileError */
async function configurationOfAdmission(file: string, parts: ConfigurationParts): Promise<ReadonlyMap<string, unknown>> {
  if (file === '') return new Map();
  const { readAdmissionConfiguration } = await import('../../admission/configuration.ts');
  return readAdmissionConfiguration(file, parts);
}

/** Makes the loader of the OpenAPI document of the types that all groups share. */
function machineryText(all: readonly GroupVersionData[], identity: Identity): () => Promise<string> {
  const machinery = all.find(({ folder }) => folder === 'meta/v1');
  if (machinery === undefined) return () => Promise.reject(new Error('no schema describes the machinery'));
  return async () => identity.resolve(await machinery.loadOpenapi());
}

/** Sets a label of a stored secret. It does nothing if secrets are not served. */
async function labelSecret(server: ApiServer, namespace: string, name: string, label: string, value: string): Promise<void> {
  const { labelObject } = await import('../../registry/resource-store/object-labels.ts');
  const secrets = server.registry.current.resource('', 'v1', 'secrets');
  if (secrets === undefined) return;
  const { fieldManagers } = server;
  const parts = { context: server.ruleContext(false), fieldManagers };
  await labelObject(await server.ownStore(secrets), { namespace, name }, { [label]: value }, parts);
}

/** The kinds of files are loaded only if a flag names such a file. */
async function loadFileKinds(identity: Identity, featureEnabled: (gate: string) => boolean): Promise<FileKinds> {
  const { createFileKinds } = await import('../setup/file-kinds.ts');
  return createFileKinds(identity, featureEnabled);
}

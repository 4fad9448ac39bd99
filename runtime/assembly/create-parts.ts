/** The API server, with who asks it and whether they may. */
import { defaultPolicyGates, defaultPolicyHash } from '../../generated/default-policy-hash.ts';
import { metricsData } from '../../generated/metrics.ts';
import { currentRelease } from '../../generated/releases.ts';
import { groupVersions } from '../../generated/routes.ts';
import type { ConfigurationParts } from '../admission/ordered-plugins.ts';
import type { ProxyClientCertificate } from '../aggregation/client-certificate.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { createAuthenticator } from '../authentication/configuration/create-authenticator.ts';
import type { TokenKeys } from '../authentication/service-accounts/keys.ts';
import { OwnTokenSigner, type TokenSigner } from '../authentication/service-accounts/token-signer.ts';
import { type Authorization, createAuthorization } from '../authorization/configuration/create-authorization.ts';
import type { PolicySource } from '../authorization/rbac/default-policy.ts';
import { SUPERUSER_GROUP } from '../authorization/superuser.ts';
import type { DefaultPolicy } from '../contract/default-policy.ts';
import type { Identity } from '../contract/identity.ts';
import type { GroupVersionData } from '../contract/kind.ts';
import type { User } from '../contract/request-context.ts';
import { type CustomResourceParts, CustomResourceSource } from '../custom-resources/custom-resource-source.ts';
import type { DefinitionText } from '../custom-resources/held-definitions.ts';
import type { ClusterObjects } from '../delegation/cluster-objects.ts';
import type { LongRequests } from '../endpoints/long-body.ts';
import type { FileKinds } from '../files/file-kinds.ts';
import type { Log } from '../observability/log.ts';
import { Metrics } from '../observability/metrics.ts';
import type { OpenapiDocument } from '../openapi/document.ts';
import type { Egress } from '../outbound/egress.ts';
import type { FindService } from '../outbound/webhook-client.ts';
import type { BuiltInApi } from '../registry/built-in-api.ts';
import { withFormsOfToday } from '../registry/emulation/forms-of-today.ts';
import { ObjectLookup } from '../registry/object-lookup.ts';
import { StoreFollower } from '../registry/store-follower.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import { administratorName } from '../server/serving-certificates.ts';
import type { Storage } from '../storage/storage.ts';
import type { ApiServer } from './api-server.ts';
import { assembleServer, type ServerParts } from './assemble.ts';
import { type ChosenApi, chosenApi, emulate } from './chosen-api.ts';
import { egressOf } from './egress.ts';
import type { Endings } from './endings.ts';
import type { Flags } from './flags.ts';
import type { ServerCredentials } from './server-credentials.ts';
import type { Setup } from './setup.ts';
import { storeFailures } from './store-failures.ts';
import type { ExternalSigner, SignerParts } from './token-signer/external-signer.ts';

export interface Parts {
  readonly server: ApiServer;
  readonly authenticator: Authenticator;
  readonly authorization: Authorization;
  /** reads files of kinds that schemas state */
  readonly fileKinds: () => Promise<FileKinds>;
  /** absent: none are served */
  readonly definitions?: CustomResourceSource;
  /** what another server has that counts for writes here; absent: this is no aggregated server */
  readonly cluster?: ClusterObjects;
  readonly featureEnabled: (gate: string) => boolean;
  /** absent: other servers are reached directly */
  readonly egress?: Egress;
  /** by which other API servers know this one; absent: by none */
  readonly clientCertificate?: ProxyClientCertificate;
}

/**
 * @param externalAddress asked for when connections come
 * @param endings gets what the parts have open
 * @param longRequests do what takes long, of requests to a thread that others wait for; absent: all is done here
 * @throws Error that names the flag or the file that is wrong
 */
export async function createParts(
  store: Storage,
  setup: Setup,
  { directory, certificates, tokenKeys }: ServerCredentials,
  externalAddress: () => string,
  endings: Endings,
  longRequests?: LongRequests,
): Promise<Parts> {
  const { parsed, identity, log, followedFiles, administratorToken } = setup;
  const { values: flags, given } = parsed;
  const held = await definitionTexts(setup);
  const { featureEnabled, builtIn, emulated } = await chosenApi(identity, flags);
  const storage = await withFormsOfToday(store, { builtIn, groupVersions, emulated, loadPast: emulate });
  const metrics = await createMetrics(flags, log);
  const common = { flags, identity, log, metrics, followedFiles };
  const fileKinds = () => loadFileKinds(identity, featureEnabled);
  const ownEgress = setup.egress ? undefined : await egressOf(flags, { fileKinds, log });
  endings.add(() => ownEgress?.close());
  const egress = setup.egress ?? ownEgress;
  egress?.countIn(metrics);
  const delegation = flags['delegated-authentication'] ? await import('./delegation.ts') : undefined;
  delegation?.checkDelegation(parsed, held.length);
  const cluster = await delegation?.followCluster({ ...common, fileKinds, featureEnabled });
  endings.add(() => cluster?.close());
  const lookup = [storage, groupVersions, longRequests === undefined] as const;
  const objects = delegation && cluster ? new delegation.ObjectsOfCluster(cluster, ...lookup) : new ObjectLookup(...lookup);
  const follower = new StoreFollower(
    storage,
    storeFailures(log, 'an object that the server goes by cannot be read: it goes on by what that was before'),
  );
  const audiences = audiencesOf(flags);
  const tokenSigner = await tokenSignerOf(tokenKeys, common);
  endings.add(() => tokenSigner.close?.());
  const authenticator = await createAuthenticator({
    ...common,
    given,
    objects,
    ...certificates,
    tokenSigner,
    audiences,
    labelSecret: (...label) => labelSecret(server, ...label),
    fileKinds,
    egress,
    featureEnabled,
    ...(administratorToken !== undefined && { knownToken: { token: administratorToken, user: administrator(identity) } }),
  });
  endings.add(() => authenticator.close());
  if (tokenSigner.open !== undefined && longRequests !== undefined) {
    setup.startProgress?.('asks the signer of tokens for its keys');
    await tokenSigner.open();
  }
  const authorization = await createAuthorization({
    ...common,
    given,
    follower,
    fileKinds,
    egress,
    loadPolicy: loadDefaultPolicy,
    featureEnabled,
  });
  endings.add(() => authorization.close());
  const admissionConfiguration = await configurationOfAdmission(flags['admission-control-config-file'], { identity, fileKinds });
  const clientCertificate = await proxyClientCertificate(flags);
  const machinery = machineryText(emulated?.groupVersions ?? groupVersions, identity);
  const findService: FindService =
    delegation?.serviceByName ?? ((namespace, name) => objects.forOwnWork().get('services', namespace, name));
  const mayTakeLong = longRequests === undefined;
  const custom = customResourceParts(identity, { machinery, metrics, findService, egress, mayTakeLong });
  const defined = customResources(builtIn, identity, storage, custom);
  const server: ApiServer = assembleServer({
    ...common,
    storage,
    objects,
    follower,
    ...defined,
    machinery,
    featureEnabled,
    builtIn,
    authenticator,
    audiences,
    tokenSigner,
    authorization,
    authority: certificates.authority,
    externalAddress,
    directory,
    admissionConfiguration,
    findService,
    egress,
    ...(cluster &&
      delegation && { aggregated: { cluster, disabledPlugins: delegation.disabledPlugins(flags['disable-admission-plugins']) } }),
    clientCertificate,
    ...(longRequests && { longRequests, storageVersions: await storageVersionsOf(common, { featureEnabled, builtIn, emulated }) }),
    giveBackMemory: setup.giveBackMemory,
  });
  endings.add(async () => server.admission.close?.());
  endings.add(() => server.aggregation.close());
  if (held.length > 0) await serveHeld(server, builtIn, held, custom);
  return {
    server,
    authenticator,
    authorization,
    featureEnabled,
    fileKinds,
    ...defined,
    ...(egress && { egress }),
    ...(cluster && { cluster }),
    ...(clientCertificate && { clientCertificate }),
  };
}

/** @returns undefined where a gate is closed, and in an aggregated server: it stores for another one */
async function storageVersionsOf(
  { flags, identity, log }: Pick<ServerParts, 'flags' | 'identity' | 'log'>,
  { featureEnabled, ...api }: Pick<ChosenApi, 'featureEnabled' | 'builtIn' | 'emulated'>,
): Promise<ServerParts['storageVersions']> {
  if (!featureEnabled('StorageVersionAPI') || !featureEnabled('APIServerIdentity') || flags['delegated-authentication']) return undefined;
  const { registrationOf } = await import('./storage-versions.ts');
  return registrationOf({ ...api, groupVersions }, { identity, log });
}

/** @param keys undefined: a signer has them. It is loaded where there is one */
async function tokenSignerOf(keys: TokenKeys | undefined, parts: SignerParts): Promise<TokenSigner & Partial<OpenedSigner>> {
  if (keys !== undefined) return new OwnTokenSigner(keys);
  const { ExternalSigner } = await import('./token-signer/external-signer.ts');
  return new ExternalSigner(parts);
}

/** What is asked before it is needed; whoever serves others alone does that. */
type OpenedSigner = Pick<ExternalSigner, 'open' | 'close'>;

/** @throws Error that names the flag, FileError */
async function createMetrics(flags: Flags, log: Log): Promise<Metrics> {
  const visibility = {
    release: currentRelease,
    showHiddenFor: flags['show-hidden-metrics-for-version'],
    onDeprecated: (name: string, since: string) => log.warn({ metric: name }, `the metric is deprecated since ${since}`),
  };
  const [labels, manifest] = [flags['allow-metric-labels'], flags['allow-metric-labels-manifest']];
  const isBounded = labels.length > 0 || manifest !== '';
  const allowedLabels = isBounded ? await (await import('./metric-flags.ts')).allowedLabels(labels, manifest) : undefined;
  return new Metrics(metricsData, visibility, { disabled: flags['disabled-metrics'], ...(allowedLabels && { allowedLabels }) });
}

/** What reads it is loaded where there is one. @throws Error that names the flag */
async function proxyClientCertificate(flags: Flags): Promise<ProxyClientCertificate | undefined> {
  if (flags['proxy-client-cert-file'] === '' && flags['proxy-client-key-file'] === '') return undefined;
  const { ProxyClientCertificate } = await import('../aggregation/client-certificate.ts');
  return new ProxyClientCertificate(flags);
}

/** What reads files is loaded where there is one. @param file '': there is none. @throws FileError */
async function configurationOfAdmission(file: string, parts: ConfigurationParts): Promise<ReadonlyMap<string, unknown>> {
  if (file === '') return new Map();
  const { readAdmissionConfiguration } = await import('../admission/configuration.ts');
  return readAdmissionConfiguration(file, parts);
}

/** Absent where definitions of custom resources are not served. */
function customResources(
  builtIn: BuiltInApi,
  identity: Identity,
  storage: Storage,
  parts: Omit<CustomResourceParts, 'values'>,
): { definitions?: CustomResourceSource } {
  const definitions = builtIn.snapshot.resource(identity.text(EXTENSIONS), 'v1', 'customresourcedefinitions');
  const prefix = definitions?.data.storage?.prefix;
  return prefix === undefined ? {} : { definitions: new CustomResourceSource(prefix, { ...parts, values: storage }) };
}

/** The group of definitions. */
const EXTENSIONS = 'apiextensions.${groupDomain}';

function customResourceParts(
  identity: Identity,
  {
    metrics,
    machinery,
    findService,
    egress,
    mayTakeLong,
  }: Pick<ServerParts, 'metrics' | 'machinery' | 'findService' | 'egress'> & { mayTakeLong: boolean },
): Omit<CustomResourceParts, 'values'> {
  return {
    load: async () => {
      const { ListMeta, ObjectMeta } = await import('../../generated/meta/v1/descriptors.ts');
      return { objectMeta: ObjectMeta, listMeta: ListMeta, identity };
    },
    machinery: parsedOnce(machinery),
    conversion: { reviewGroup: identity.text(EXTENSIONS), metrics, findService, egress, mayTakeLong },
  };
}

/** Definitions that the server is started with. @throws Error for such ones of a server that stores its definitions; FileError */
async function definitionTexts({ parsed: { values }, definitions = [] }: Setup): Promise<DefinitionText[]> {
  const files = values['served-definitions'];
  if (files.length === 0 && definitions.length === 0) return [];
  if (!values['delegated-authentication'])
    throw new Error('--served-definitions needs --delegated-authentication: other servers store definitions as objects');
  const { readDefinitionFiles } = await import('../custom-resources/held-definitions.ts');
  const given = definitions.map((definition, index) => ({ text: JSON.stringify(definition), source: `definitions[${index}]` }));
  return [...given, ...(await readDefinitionFiles(files))];
}

/** @throws FileError for definitions that are wrong */
async function serveHeld(
  server: ApiServer,
  builtIn: BuiltInApi,
  texts: readonly DefinitionText[],
  parts: Omit<CustomResourceParts, 'values'>,
): Promise<void> {
  const { heldDefinitions } = await import('../custom-resources/held-definitions.ts');
  const kind = await builtIn.storedKinds.kind(server.identity.text(EXTENSIONS), 'v1', 'CustomResourceDefinition');
  const defined = heldDefinitions(texts, { ...parts, kind, context: server.ruleContext(false) });
  server.registry.change({ defined, removed: [] });
}

/** Names of the API that a token must be for; an aggregated server has none but those that flags give it. */
function audiencesOf(flags: Flags): readonly string[] {
  if (flags['api-audiences'].length > 0 || flags['delegated-authentication']) return flags['api-audiences'];
  return flags['service-account-issuer'];
}

/** Loads the document of what all groups use. */
function machineryText(all: readonly GroupVersionData[], identity: Identity): () => Promise<string> {
  const machinery = all.find(({ folder }) => folder === 'meta/v1');
  if (machinery === undefined) return () => Promise.reject(new Error('no schema describes the machinery'));
  return async () => identity.resolve(await machinery.loadOpenapi());
}

/** Parsed when it is first asked for. */
function parsedOnce(load: () => Promise<string>): () => Promise<OpenapiDocument> {
  let document: Promise<OpenapiDocument> | undefined;
  return () => {
    document ??= load().then((text) => parseNativeJson<OpenapiDocument>(text));
    return document;
  };
}

/** The one whom the administrator's certificate names. */
export function administrator(identity: Identity): User {
  return { name: administratorName(identity), uid: '', groups: [SUPERUSER_GROUP], extra: {} };
}

async function labelSecret(server: ApiServer, namespace: string, name: string, label: string, value: string): Promise<void> {
  const { labelObject } = await import('../registry/object-labels.ts');
  const secrets = server.registry.current.resource('', 'v1', 'secrets');
  if (secrets === undefined) return;
  const { fieldManagers } = server;
  const parts = { context: server.ruleContext(false), fieldManagers };
  await labelObject(await server.ownStore(secrets), { namespace, name }, { [label]: value }, parts);
}

async function loadDefaultPolicy(): Promise<DefaultPolicy> {
  return (await import('../../generated/default-policy.ts')).defaultPolicy;
}

export const defaultPolicySource: PolicySource = { hash: defaultPolicyHash, gates: defaultPolicyGates, load: loadDefaultPolicy };

/** Loaded where a flag names a file that needs it. */
async function loadFileKinds(identity: Identity, featureEnabled: (gate: string) => boolean): Promise<FileKinds> {
  const { createFileKinds } = await import('./file-kinds.ts');
  return createFileKinds(identity, featureEnabled);
}

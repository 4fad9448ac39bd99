/** Puts the parts of an API server together. */
import { type AdmissionOptions, createAdmission } from '../admission/chain.ts';
import type { Followed } from '../admission/plugin.ts';
import type { Admission } from '../admission/request/attributes.ts';
import { guardKey } from '../admission/resource-quota/quota-statuses.ts';
import { resourcesOfKind } from '../admission/resources-of-kind.ts';
import { Aggregation } from '../aggregation/aggregation.ts';
import type { ClientCertificate } from '../aggregation/client-certificate.ts';
import { byEndpoints, byService, type FindObject } from '../aggregation/service-address.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { ServiceAccountIssuer } from '../authentication/service-accounts/issuer.ts';
import type { TokenSigner } from '../authentication/service-accounts/token-signer.ts';
import type { Authorization } from '../authorization/configuration/create-authorization.ts';
import type { Identity } from '../contract/identity.ts';
import { OpenapiFigures } from '../custom-resources/openapi-figures.ts';
import type { ClusterObjects } from '../delegation/cluster-objects.ts';
import { readyAdmission } from '../delegation/ready-admission.ts';
import { KEYS_PATH } from '../endpoints/handlers/issuer-discovery.ts';
import type { LongRequests } from '../endpoints/long-body.ts';
import { Negotiator } from '../negotiation/negotiation.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Egress } from '../outbound/egress.ts';
import type { FindService } from '../outbound/webhook-client.ts';
import type { BuiltInApi } from '../registry/built-in-api.ts';
import { DefinitionFollower, type DefinitionListener, type DefinitionSource } from '../registry/definition-follower.ts';
import { DerivedForms } from '../registry/derived-forms.ts';
import { FollowedObjects } from '../registry/followed-objects.ts';
import { NamespacePhases } from '../registry/namespace-phases.ts';
import type { ObjectLookup } from '../registry/object-lookup.ts';
import { ObjectsOfKinds } from '../registry/objects-of-kinds.ts';
import { Registry } from '../registry/registry.ts';
import { watchedOf } from '../registry/resource.ts';
import type { StorageVersionRegistration } from '../registry/storage-versions/storage-version-registration.ts';
import type { StoreFollower } from '../registry/store-follower.ts';
import { WatchHub } from '../registry/watch-hub.ts';
import { createOutbound } from '../relay/outbound.ts';
import type { Storage } from '../storage/storage.ts';
import { ensureObjects } from '../system-objects/ensure.ts';
import { chosenPlugins } from './admission-plugins.ts';
import { type ApiServer, createApiServer } from './api-server.ts';
import { releaseOf } from './chosen-gates.ts';
import { DocumentThreads } from './document-threads.ts';
import { createDocuments } from './documents.ts';
import { expireAfter } from './expiry-flags.ts';
import type { Flags } from './flags.ts';
import { createAllocator } from './service-allocator.ts';

export interface ServerParts {
  readonly flags: Flags;
  readonly identity: Identity;
  readonly storage: Storage;
  readonly objects: ObjectLookup;
  /** of what this process remembers of the store */
  readonly follower: StoreFollower;
  /** of resources that come, change and go while the server runs; absent: there are none */
  readonly definitions?: DefinitionSource;
  readonly log: Log;
  /** loads the OpenAPI document of what all groups use */
  readonly machinery: () => Promise<string>;
  readonly featureEnabled: (gate: string) => boolean;
  readonly builtIn: BuiltInApi;
  readonly authenticator: Authenticator;
  /** names of this API, one of which a token must be for */
  readonly audiences: readonly string[];
  readonly tokenSigner: TokenSigner;
  readonly authorization: Authorization;
  readonly metrics: Metrics;
  /** PEM; by which clients trust this server */
  readonly authority: string;
  readonly externalAddress: () => string;
  /** the server's own, which others may not read */
  readonly directory: string;
  /** absent: requests that are much work are answered here */
  readonly longRequests?: LongRequests;
  /** by which other API servers know this one; absent: by none */
  readonly clientCertificate?: { readonly current: ClientCertificate | undefined } | undefined;
  /** what --admission-control-config-file has, by the names of plugins; absent: there is none */
  readonly admissionConfiguration?: ReadonlyMap<string, unknown>;
  readonly findService: FindService;
  /** absent: other servers are reached directly */
  readonly egress?: Egress | undefined;
  /** as of `Setup` */
  readonly giveBackMemory?: (() => void) | undefined;
  /** absent: this is no aggregated server */
  readonly aggregated?: AggregatedParts;
  /** as of `ControllerServer` */
  readonly storageVersions?: StorageVersionRegistration | undefined;
}

/** Of an aggregated server. */
interface AggregatedParts {
  /** what the other server has that counts for writes */
  readonly cluster: ClusterObjects;
  /** names of admission plugins that do not run */
  readonly disabledPlugins: readonly string[];
}

/** @throws Error for flags that contradict what is known */
export function assembleServer(parts: ServerParts): ApiServer {
  const { flags, identity, storage, objects, log, featureEnabled, findService, aggregated } = parts;
  const plugins = chosenPlugins(flags);
  const registry = new Registry(parts.builtIn);
  const { allocator, serviceAddresses } = createAllocator({ ...parts, registry, server: () => server });
  const watchHub = new WatchHub(storage);
  const aggregation = createAggregation(registry, parts);
  const { discovery, openapi } = createDocuments(registry, parts.builtIn, { ...parts, aggregation });
  const invalidateDocuments = (): void => {
    discovery.invalidate();
    openapi.invalidate();
  };
  registry.onSwap((current, gone) => {
    for (const resource of gone) if (!current.keepsWatches(resource)) watchHub.end(watchedOf(resource));
    invalidateDocuments();
  });
  aggregation.versions.onChange(invalidateDocuments);
  const { authorizer, grants } = parts.authorization;
  const followed = followedResources(registry, parts);
  const objectsOfKinds = new ObjectsOfKinds(storage, registry, (resource) => server.store(resource));
  const server: ApiServer = createApiServer({
    identity,
    ...(parts.longRequests && { longRequests: parts.longRequests }),
    ...(aggregated && { delegatingOwners: aggregated.cluster.owners }),
    registry,
    storage,
    objects,
    negotiator: new Negotiator(identity, { cbor: featureEnabled('CBORServingAndStorage') }),
    ...latestRegistry(registry, parts),
    aggregation,
    refusesRedirects: flags['aggregator-reject-forwarding-redirect'] && flags['aggregator-reject-forwarding-redirects'],
    watchHub,
    derivedForms: new DerivedForms(flags['derived-forms-max-bytes']),
    admission: admissionOf(aggregated, {
      identity,
      catchUp: (received, now) => parts.follower.catchUpFor(received, now),
      enabled: plugins.enabled,
      disabled: aggregated?.disabledPlugins ?? plugins.disabled,
      namespacePhase: aggregated ? (name) => aggregated.cluster.namespacePhase(name) : new NamespacePhases(storage).of,
      authorizer,
      objects,
      featureEnabled,
      release: releaseOf(flags),
      createNamespace: async (name) => {
        await ensureObjects(server, [{ resource: { group: '', version: 'v1', name: 'namespaces' }, metadata: { name }, members: {} }]);
        // the plugins behind the one that wanted it look for it
        parts.follower.catchUp();
      },
      followed,
      quotaStatuses: {
        catchUp: () => parts.follower.catchUp(),
        guard: (namespace) => ({ key: guardKey(namespace), revision: storage.revisionOf(guardKey(namespace)) }),
        async use(quota, used) {
          const { useQuota } = await import('../controllers/resource-quota/use-quota.ts');
          await useQuota(server, quota, used);
        },
      },
      resourcesOfKind: (apiVersion, kind) => resourcesOfKind(registry.current.groupVersions, apiVersion, kind),
      objectsOfKind: (apiVersion, kind) =>
        aggregated ? aggregated.cluster.parameters(apiVersion, kind) : objectsOfKinds.of(apiVersion, kind),
      mayTakeLong: parts.longRequests === undefined,
      metrics: parts.metrics,
      findService,
      egress: parts.egress,
      log,
      tolerationSeconds: {
        notReady: flags['default-not-ready-toleration-seconds'],
        unreachable: flags['default-unreachable-toleration-seconds'],
      },
      configuration: (plugin) => parts.admissionConfiguration?.get(plugin),
    }),
    followed,
    allocator,
    recordedRanges: () => allocator.recordedRanges,
    serviceAddresses,
    storageVersions: parts.storageVersions,
    allowsPrivileged: flags['allow-privileged'],
    explainsCosts: flags['explain-rule-costs'],
    minWatchSeconds: flags['min-request-timeout'],
    transportSecurity: transportSecurity(flags['strict-transport-security-directives']),
    deletion: {
      collectsGarbage: flags['enable-garbage-collector'],
      collectionWorkers: flags['delete-collection-workers'],
      expireAfter: expireAfter(flags),
    },
    authenticateToken: (token, audiences, waiting) => parts.authenticator.review(token, audiences, waiting),
    apiAudiences: parts.audiences,
    serviceAccounts: tokenIssuer(parts),
    authority: parts.authority,
    authorizer,
    grants,
    metrics: parts.metrics,
    discovery,
    openapi,
    log,
    outbound: createOutbound(flags, parts.egress),
    featureEnabled,
    externalAddress: parts.externalAddress,
    spoolDirectory: parts.directory,
  });
  return server;
}

function admissionOf(aggregated: AggregatedParts | undefined, options: AdmissionOptions): Admission {
  const admission = createAdmission(options);
  return aggregated === undefined ? admission : readyAdmission(admission, aggregated.cluster);
}

/** What it knows of the servers behind this one is followed at the store's revision, as definitions are. */
function createAggregation(
  registry: Registry,
  { flags, identity, objects, follower, featureEnabled, clientCertificate, egress, log, giveBackMemory }: ServerParts,
): Aggregation {
  const resource = registry.current.resourceOfForm(identity.text('apiregistration.${groupDomain}'), 'v1', 'apiservices');
  const find: FindObject = (of, namespace, name) => objects.forOwnWork().get(of, namespace, name);
  const aggregation = new Aggregation({
    identity,
    prefix: resource?.data.storage?.prefix,
    local: () => registry.current,
    resolve: flags['enable-aggregator-routing'] ? byEndpoints(find) : byService(find),
    clientCertificate: () => clientCertificate?.current,
    tunnel: egress?.tunnel('cluster'),
    withUid: featureEnabled('RemoteRequestHeaderUID'),
    documentThread: new DocumentThreads(log, giveBackMemory),
  });
  follower.add(aggregation.versions);
  return aggregation;
}

const NONE: Followed = { changes: 0, in: () => [], get: () => undefined };

/** One for each resource, whoever asks. A release that does not have the resource has no object of it. */
function followedResources(registry: Registry, { follower, longRequests, aggregated }: ServerParts): (resource: string) => Followed {
  const made = new Map<string, Followed>();
  return (name) => {
    const known = made.get(name) ?? aggregated?.cluster.of(name);
    if (known !== undefined) return known;
    const prefix = registry.current.storedResources().find(({ data }) => data.name === name && data.isDefined !== true)?.data
      .storage?.prefix;
    const followed = prefix === undefined ? NONE : FollowedObjects.of(prefix, follower, longRequests === undefined);
    made.set(name, followed);
    return followed;
  };
}

/** The registry with the definitions up to the store's revision of now, and which of them are still being read. */
function latestRegistry(
  registry: Registry,
  { definitions, follower, longRequests, metrics }: ServerParts,
): Pick<ApiServer, 'latestRegistry' | 'definitionsUnderWay'> {
  const figures = new OpenapiFigures(metrics);
  // the thread for long requests knows the same, and shows no document
  const changed: DefinitionListener | undefined = longRequests && ((...change) => figures.changed(...change));
  const defined = definitions && new DefinitionFollower(definitions, registry, longRequests === undefined, changed);
  if (defined !== undefined) follower.add(defined);
  return {
    latestRegistry() {
      follower.catchUp();
      return registry.current;
    },
    ...(defined && { definitionsUnderWay: (group?: string) => defined.underWay(group) }),
  };
}

function tokenIssuer({ flags, identity, tokenSigner, externalAddress }: ServerParts): ServiceAccountIssuer {
  return new ServiceAccountIssuer({
    name: flags['service-account-issuer'][0] as string,
    signer: tokenSigner,
    maxLifetime: Math.floor(flags['service-account-max-token-expiration'] / 1000),
    extendMounted: flags['service-account-extend-token-expiration'],
    keysUri: () => flags['service-account-jwks-uri'] || `https://${externalAddress()}${KEYS_PATH}`,
    text: identity.text,
  });
}

const DIRECTIVE = /^(?:max-age=\d+|includeSubDomains|preload)$/;

/** The header's value. @throws Error that names the flag, for what is no directive */
function transportSecurity(directives: readonly string[]): string {
  const wrong = directives.find((each) => !DIRECTIVE.test(each));
  if (wrong === undefined) return directives.join('; ');
  throw new Error(
    `--strict-transport-security-directives: ${JSON.stringify(wrong)} is none of max-age=SECONDS, includeSubDomains and preload`,
  );
}

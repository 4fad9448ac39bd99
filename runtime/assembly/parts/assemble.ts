import type { Followed } from '../../admission/plugin-interface/plugin.ts';
import { Aggregation } from '../../aggregation/aggregation.ts';
import { ServiceAccountIssuer } from '../../authentication/service-accounts/issuer.ts';
import { OpenapiFigures } from '../../custom-resources/openapi-figures.ts';
import { KEYS_PATH } from '../../endpoints/handlers/pages/issuer-discovery.ts';
import { Negotiator } from '../../negotiation/negotiation.ts';
import { DefinitionFollower, type DefinitionListener } from '../../registry/definition-follower.ts';
import { DerivedForms } from '../../registry/lists/derived-forms.ts';
import { Registry } from '../../registry/resources/registry.ts';
import { watchedOf } from '../../registry/resources/resource.ts';
import { FollowedObjects } from '../../registry/stored-objects/followed-objects.ts';
import { WatchHub } from '../../registry/watch/watch-hub.ts';
import { createOutbound } from '../../relay/outbound.ts';
import { DocumentThreads } from '../documents/document-threads.ts';
import { type ApiDocuments, createDocuments } from '../documents/documents.ts';
import { expireAfter } from '../setup/expiry-flags.ts';
import type { Flags } from '../setup/flags.ts';
import { type ApiServer, type ApiServerParts, createApiServer } from './api-server.ts';
import { createServerAdmission } from './server-admission.ts';
import type { ServerParts } from './server-parts.ts';
import { createAllocator } from './service-allocator.ts';

/** @throws Error for flags that contradict each other, and for unknown values of flags */
export function assembleServer(parts: ServerParts): ApiServer {
  const { flags, identity, storage, objects, log, featureEnabled, aggregated, authorization } = parts;
  const registry = new Registry(parts.builtIn);
  const { allocator, serviceAddresses } = createAllocator({ ...parts, registry, server: () => server });
  const watchHub = new WatchHub(storage);
  const aggregation = createAggregation(registry, parts);
  const documents = createDocuments(registry, parts.builtIn, { ...parts, aggregation });
  followSwaps(registry, aggregation, watchHub, documents);
  const followed = followedResources(registry, parts);
  const server: ApiServer = createApiServer({
    ...settingsOf(flags),
    identity,
    ...(parts.longRequests && { longRequests: parts.longRequests }),
    ...(aggregated && { delegatingOwners: aggregated.cluster.owners }),
    registry,
    storage,
    objects,
    negotiator: new Negotiator(identity, { cbor: featureEnabled('CBORServingAndStorage') }),
    ...latestRegistry(registry, parts),
    aggregation,
    watchHub,
    derivedForms: new DerivedForms(flags['derived-forms-max-bytes']),
    admission: createServerAdmission({ ...parts, registry, followed, server: () => server }),
    followed,
    allocator,
    recordedRanges: () => allocator.recordedRanges,
    serviceAddresses,
    storageVersions: parts.storageVersions,
    authenticateToken: (token, audiences, waiting) => parts.authenticator.review(token, audiences, waiting),
    apiAudiences: parts.audiences,
    serviceAccounts: tokenIssuer(parts),
    authority: parts.authority,
    authorizer: authorization.authorizer,
    grants: authorization.grants,
    metrics: parts.metrics,
    ...documents,
    log,
    outbound: createOutbound(flags, parts.egress),
    featureEnabled,
    externalAddress: parts.externalAddress,
    spoolDirectory: parts.directory,
  });
  return server;
}

type Settings = 'refusesRedirects' | 'allowsPrivileged' | 'explainsCosts' | 'minWatchSeconds' | 'transportSecurity' | 'deletion';

/** Translates flags into the settings by which the server answers. @throws Error that names the flag */
function settingsOf(flags: Flags): Pick<ApiServerParts, Settings> {
  return {
    refusesRedirects: flags['aggregator-reject-forwarding-redirect'] && flags['aggregator-reject-forwarding-redirects'],
    allowsPrivileged: flags['allow-privileged'],
    explainsCosts: flags['explain-rule-costs'],
    minWatchSeconds: flags['min-request-timeout'],
    transportSecurity: transportSecurity(flags['strict-transport-security-directives']),
    deletion: {
      collectsGarbage: flags['enable-garbage-collector'],
      collectionWorkers: flags['delete-collection-workers'],
      expireAfter: expireAfter(flags),
    },
  };
}

/** After each change of what is served, ends watches of resources that are gone and discards the documents that describe the API. */
function followSwaps(registry: Registry, { versions }: Aggregation, watchHub: WatchHub, { discovery, openapi }: ApiDocuments): void {
  const invalidateDocuments = (): void => {
    discovery.invalidate();
    openapi.invalidate();
  };
  registry.onSwap((current, gone) => {
    for (const resource of gone) if (!current.keepsWatches(resource)) watchHub.end(watchedOf(resource));
    invalidateDocuments();
  });
  versions.onChange(invalidateDocuments);
}

/**
 * Follows the APIServices in the store, which say which API servers are behind this one. The store follower reads them up to the same
 * revision as the definitions.
 */
function createAggregation(
  registry: Registry,
  { identity, serviceRoutes, follower, featureEnabled, clientCertificate, egress, log, giveBackMemory }: ServerParts,
): Aggregation {
  const resource = registry.current.resourceOfForm(identity.text('apiregistration.${groupDomain}'), 'v1', 'apiservices');
  const aggregation = new Aggregation({
    identity,
    prefix: resource?.data.storage?.prefix,
    local: () => registry.current,
    resolve: serviceRoutes.resolve,
    clientCertificate: () => clientCertificate?.current,
    tunnel: egress?.tunnel('cluster'),
    withUid: featureEnabled('RemoteRequestHeaderUID'),
    documentThread: new DocumentThreads(log, giveBackMemory),
  });
  follower.add(aggregation.versions);
  return aggregation;
}

const NONE: Followed = { changes: 0, in: () => [], get: () => undefined };

/** Makes one follower for each resource and shares it among all callers. A resource that the emulated release does not have is empty. */
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

/**
 * Makes `latestRegistry`, which applies the definitions up to the current revision of the store, and says which definitions are still being
 * read.
 */
function latestRegistry(
  registry: Registry,
  { definitions, follower, longRequests, metrics }: ServerParts,
): Pick<ApiServer, 'latestRegistry' | 'definitionsUnderWay'> {
  const figures = new OpenapiFigures(metrics);
  // the thread for long requests follows the same definitions but serves no documents, so only the main thread counts their changes
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

/** Joins the directives to the value of the header. @throws Error that names the flag, if one of them is not a known directive */
function transportSecurity(directives: readonly string[]): string {
  const wrong = directives.find((each) => !DIRECTIVE.test(each));
  if (wrong === undefined) return directives.join('; ');
  throw new Error(
    `--strict-transport-security-directives: ${JSON.stringify(wrong)} is none of max-age=SECONDS, includeSubDomains and preload`,
  );
}

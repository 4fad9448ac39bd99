/** Makes the admission of a server from the plugins that flags choose, and gives them access to the other parts of the server. */
import { type AdmissionOptions, createAdmission } from '../../admission/chain.ts';
import { resourcesOfKind } from '../../admission/plugin-interface/resources-of-kind.ts';
import type { Admission } from '../../admission/request/attributes.ts';
import { guardKey } from '../../admission/resource-quota/quota-statuses.ts';
import { readyAdmission } from '../../delegation/ready-admission.ts';
import { ObjectsOfKinds } from '../../registry/resource-store/objects-of-kinds.ts';
import type { Registry } from '../../registry/resources/registry.ts';
import { NamespacePhases } from '../../registry/stored-objects/namespace-phases.ts';
import { ensureObjects } from '../../system-objects/ensure.ts';
import { releaseOf } from '../setup/chosen-gates.ts';
import { chosenPlugins } from './admission-plugins.ts';
import type { ApiServer } from './api-server.ts';
import type { ServerParts } from './server-parts.ts';

interface AdmissionParts extends ServerParts {
  readonly registry: Registry;
  readonly followed: AdmissionOptions['followed'];
  /** the server is made after its admission, so this must not be called before requests come */
  readonly server: () => ApiServer;
}

/** @throws Error for flags that contradict each other, and for unknown plugins */
export function createServerAdmission(parts: AdmissionParts): Admission {
  const { flags, aggregated, follower, longRequests } = parts;
  const { enabled, disabled } = chosenPlugins(flags);
  const admission = createAdmission({
    identity: parts.identity,
    enabled,
    disabled: aggregated?.disabledPlugins ?? disabled,
    configuration: (plugin) => parts.admissionConfiguration?.get(plugin),
    catchUp: (received, now) => follower.catchUpFor(received, now),
    featureEnabled: parts.featureEnabled,
    release: releaseOf(flags),
    mayTakeLong: longRequests === undefined,
    authorizer: parts.authorization.authorizer,
    serviceRoutes: parts.serviceRoutes,
    egress: parts.egress,
    metrics: parts.metrics,
    log: parts.log,
    tolerationSeconds: {
      notReady: flags['default-not-ready-toleration-seconds'],
      unreachable: flags['default-unreachable-toleration-seconds'],
    },
    ...knownObjects(parts),
    ...ownWrites(parts),
  });
  return aggregated === undefined ? admission : readyAdmission(admission, aggregated.cluster);
}

/** The objects that plugins read. On an aggregated server some of them come from the delegating server. */
function knownObjects({
  registry,
  storage,
  objects,
  followed,
  aggregated,
  server,
}: AdmissionParts): Pick<AdmissionOptions, 'objects' | 'followed' | 'namespacePhase' | 'resourcesOfKind' | 'objectsOfKind'> {
  const ofKinds = new ObjectsOfKinds(storage, registry, (resource) => server().store(resource));
  return {
    objects,
    followed,
    namespacePhase: aggregated ? (name) => aggregated.cluster.namespacePhase(name) : new NamespacePhases(storage).of,
    resourcesOfKind: (apiVersion, kind) => resourcesOfKind(registry.current.groupVersions, apiVersion, kind),
    objectsOfKind: (apiVersion, kind) => (aggregated ? aggregated.cluster.parameters(apiVersion, kind) : ofKinds.of(apiVersion, kind)),
  };
}

/** The writes that plugins may do. */
function ownWrites({ storage, follower, server }: AdmissionParts): Pick<AdmissionOptions, 'createNamespace' | 'quotaStatuses'> {
  return {
    createNamespace: async (name) => {
      await ensureObjects(server(), [{ resource: { group: '', version: 'v1', name: 'namespaces' }, metadata: { name }, members: {} }]);
      // later plugins look up the namespace that was just created
      follower.catchUp();
    },
    quotaStatuses: {
      catchUp: () => follower.catchUp(),
      guard: (namespace) => ({ key: guardKey(namespace), revision: storage.revisionOf(guardKey(namespace)) }),
      async use(quota, used) {
        const { useQuota } = await import('../../controllers/resource-quota/use-quota.ts');
        await useQuota(server(), quota, used);
      },
    },
  };
}

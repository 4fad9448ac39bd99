import type { Identity } from '../contract/identity.ts';
import type { NamespacePhase } from '../registry/namespace-phases.ts';
import { newForbidden, newNotFound } from '../status/status.ts';
import type { AdmissionPlugin, PluginParts } from './plugin.ts';
import type { AdmissionAttributes } from './request/attributes.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };

/** Nothing new in a namespace that is missing or going; the namespaces that a cluster stands on are never deleted. */
export function namespaceLifecycle(identity: Identity, namespacePhase: PluginParts['namespacePhase']): AdmissionPlugin {
  const immortal = new Set(['default', identity.text('${systemNamespace}'), identity.text('${publicNamespace}')]);
  return {
    mutate(attributes) {
      const { operation, resource, namespace, name } = attributes;
      const { groupResource } = resource;
      if (groupResource.group === '' && groupResource.resource === 'namespaces') {
        if (operation === 'delete' && immortal.has(name)) throw newForbidden(NAMESPACES, name, 'this namespace may not be deleted');
        return;
      }
      if (resource.data.scope === 'Cluster' || operation === 'delete' || resource.data.storage === undefined) return;
      const phase = namespacePhase(namespace);
      return phase instanceof Promise ? phase.then((found) => checkPhase(attributes, found)) : checkPhase(attributes, phase);
    },
  };
}

/** @throws StatusError */
function checkPhase(attributes: AdmissionAttributes, phase: NamespacePhase | undefined): void {
  if (phase === undefined) throw newNotFound(NAMESPACES, attributes.namespace);
  if (phase === 'Terminating' && attributes.operation === 'create') throw terminating(attributes);
}

function terminating({ resource, namespace, name }: AdmissionAttributes) {
  return newForbidden(
    resource.groupResource,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
  );
}

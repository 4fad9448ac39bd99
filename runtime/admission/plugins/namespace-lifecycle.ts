import type { Identity } from '../../contract/identity.ts';
import type { NamespacePhase } from '../../registry/stored-objects/namespace-phases.ts';
import { newForbidden, newNotFound } from '../../status/status.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { shownName } from '../request/shown-name.ts';

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
      if (namespace === '' || operation === 'delete' || isAccessReview(resource)) return;
      const phase = namespacePhase(namespace);
      return phase instanceof Promise ? phase.then((found) => checkPhase(attributes, found)) : checkPhase(attributes, phase);
    },
  };
}

/** A question about access must not tell what its answer does not: whether there is such a namespace. */
function isAccessReview({ data }: AdmissionAttributes['resource']): boolean {
  return data.handler?.startsWith('authorization/') === true;
}

/** @throws StatusError */
function checkPhase(attributes: AdmissionAttributes, phase: NamespacePhase | undefined): void {
  if (phase === undefined) throw newNotFound(NAMESPACES, attributes.namespace);
  if (phase === 'Terminating' && attributes.operation === 'create') throw terminating(attributes);
}

function terminating(attributes: AdmissionAttributes) {
  const { resource, namespace } = attributes;
  return newForbidden(
    resource.groupResource,
    shownName(attributes),
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }],
  );
}

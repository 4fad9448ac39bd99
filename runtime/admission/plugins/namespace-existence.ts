/** Namespaces that are not there: they are made, or nothing is done in them. `NamespaceLifecycle` is another one, which looks at new objects alone. */
import { isForbidden, newNotFound, StatusError } from '../../status/status.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { forbidden } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };

/** What is in a namespace, but not the namespace itself. */
function isInNamespace({ namespace, kind }: AdmissionAttributes): boolean {
  return namespace !== '' && !(kind.group === '' && kind.kind === 'Namespace');
}

/** Makes the namespace of the first object that is created in it. Where that cannot be made, the object is forbidden. */
export function namespaceAutoProvision({ namespacePhase, createNamespace }: PluginParts): AdmissionPlugin {
  return {
    async mutate(attributes) {
      const { operation, namespace, options } = attributes;
      if (operation !== 'create' || options.dryRun || !isInNamespace(attributes) || (await namespacePhase(namespace)) !== undefined) return;
      try {
        await createNamespace(namespace);
      } catch (error) {
        throw isForbidden(error) || !(error instanceof StatusError) ? error : forbidden(attributes, error.message);
      }
    },
  };
}

/** Nothing is written or deleted in a namespace that is not there. */
export function namespaceExists({ namespacePhase }: PluginParts): AdmissionPlugin {
  return {
    async validate(attributes) {
      const { operation, namespace } = attributes;
      if (operation === 'connect' || !isInNamespace(attributes) || (await namespacePhase(namespace)) !== undefined) return;
      throw newNotFound(NAMESPACES, namespace);
    },
  };
}

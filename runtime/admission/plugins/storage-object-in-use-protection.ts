import type { Identity } from '../../contract/identity.ts';
import { STORAGE_PROTECTION } from '../../kinds/core/volumes/storage-protection.ts';
import type { AdmissionPlugin } from '../plugin-interface/plugin.ts';
import { only } from '../plugin-interface/refusal.ts';

/** Volumes and claims get the finalizer that keeps them while something uses them. */
export function storageObjectInUseProtection(identity: Identity): AdmissionPlugin {
  const finalizers = new Map(Object.entries(STORAGE_PROTECTION).map(([resource, finalizer]) => [resource, identity.text(finalizer)]));
  return {
    concerns: only('', ...finalizers.keys()),
    mutate({ operation, resource, subresource, object }) {
      if (operation !== 'create' || subresource !== '' || object === undefined || resource.groupResource.group !== '') return;
      const finalizer = finalizers.get(resource.groupResource.resource);
      if (finalizer === undefined || object.metadata.finalizers?.includes(finalizer)) return;
      object.metadata.finalizers = [...(object.metadata.finalizers ?? []), finalizer];
    },
  };
}

import type { Identity } from '../contract/identity.ts';
import type { AdmissionPlugin } from './chain.ts';

/** Volumes and claims get the finalizer that keeps them while something uses them. */
export function storageObjectInUseProtection(identity: Identity): AdmissionPlugin {
  const finalizers: Readonly<Record<string, string>> = {
    persistentvolumes: identity.text('${labelDomain}/pv-protection'),
    persistentvolumeclaims: identity.text('${labelDomain}/pvc-protection'),
  };
  return {
    name: 'StorageObjectInUseProtection',
    mutate({ operation, resource, subresource, object }) {
      if (operation !== 'create' || subresource !== '' || object === undefined || resource.groupResource.group !== '') return;
      const finalizer = finalizers[resource.groupResource.resource];
      if (finalizer === undefined || object.metadata.finalizers?.includes(finalizer)) return;
      object.metadata.finalizers = [...(object.metadata.finalizers ?? []), finalizer];
    },
  };
}

/** Makes what publishes the versions in which a server stores resources. It is loaded only if the feature gates are on. */
import type { Identity } from '../../contract/identity.ts';
import type { Log } from '../../observability/log.ts';
import type { StoredVersionsParts } from '../../registry/emulation/stored-versions.ts';
import { registeredResources, versionsOfResources } from '../../registry/storage-versions/registered-resources.ts';
import { StorageVersionRegistration } from '../../registry/storage-versions/storage-version-registration.ts';

/**
 * 1.32 never becomes ready if the needed resources are not served; this server logs a warning instead.
 * @returns undefined in that case
 */
export function registrationOf(
  parts: Omit<StoredVersionsParts, 'loadPast'>,
  { identity, log }: { readonly identity: Identity; readonly log: Log },
): StorageVersionRegistration | undefined {
  const { snapshot } = parts.builtIn;
  const [group, leases] = [identity.text('internal.apiserver.${groupDomain}'), identity.text('coordination.${groupDomain}')];
  const resources = registeredResources(snapshot);
  const isServed = snapshot.resource(group, 'v1alpha1', 'storageversions') && snapshot.resource(leases, 'v1', 'leases');
  if (isServed) return new StorageVersionRegistration(resources, () => versionsOfResources(resources, parts));
  log.warn(
    {},
    `storage versions or leases are not served, so nobody is told in which versions resources are stored: add --runtime-config=${group}/v1alpha1=true`,
  );
  return undefined;
}

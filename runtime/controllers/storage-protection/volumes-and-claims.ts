/** What uses storage: a volume is in use while it is bound, a claim while a pod on a node mounts it. */
import type { Volume } from '../../../generated/core/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import { claimOf, namesOf, podVolumeClaims } from '../../kinds/core/pods/pod-references.ts';
import { STORAGE_PROTECTION } from '../../kinds/core/volumes/storage-protection.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storageKey, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { READ_AT_ONCE, readInTurns } from '../../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { keptValue, type Storage } from '../../storage/storage.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import type { Protection } from './protected-objects.ts';

export function volumeProtection(server: ControllerServer): Protection {
  return {
    ...protectionOf(server, 'persistentvolumes'),
    isInUse: ({ status }) => status?.phase === 'Bound',
  };
}

export function claimProtection(server: ControllerServer): Protection {
  const { resource, finalizer } = protectionOf(server, 'persistentvolumeclaims');
  const pods = served(server, 'pods');
  return {
    resource,
    finalizer,
    isInUse: (claim) => isMounted(server.storage, storagePrefix(pods, claim.metadata.namespace as string), claim),
    users: [
      {
        prefix: storagePrefix(pods, ''),
        members: ['spec'],
        used: (pod) => claimsOf(pod).map((name) => storageKey(resource, pod.metadata.namespace as string, name)),
      },
    ],
  };
}

function protectionOf(server: ControllerServer, name: keyof typeof STORAGE_PROTECTION): Pick<Protection, 'resource' | 'finalizer'> {
  return { resource: served(server, name), finalizer: server.identity.text(STORAGE_PROTECTION[name]) };
}

function served({ registry }: ControllerServer, name: string): Resource {
  const resource = registry.current.resource('', 'v1', name);
  if (resource === undefined) throw new Error(`--controllers: ${name} are not served`);
  return resource;
}

/** The number of pods that are examined in one turn. */
const SLICE = 250;

/** Tells whether a pod uses a claim. @param prefix the prefix of the keys of the pods in the claim's namespace */
async function isMounted(storage: Storage, prefix: string, claim: ApiObject): Promise<boolean> {
  const named = `"claimName":${JSON.stringify(claim.metadata.name)}`;
  for await (const slice of entrySlices(storage, prefix, { size: SLICE })) {
    const long: StoredObject[] = [];
    for (const { value } of slice) {
      if (!value.includes(named) && !value.includes('"ephemeral":')) continue;
      if (value.length > READ_AT_ONCE) long.push(new StoredObject(keptValue(value)));
      else if (mounts(new StoredObject(value).parse(), claim)) return true;
    }
    for (const stored of long) if (mounts(await readInTurns(stored, ['spec']), claim)) return true;
  }
  return false;
}

/** Lists the names of the claims that a pod's volumes use. */
function claimsOf(pod: ApiObject): string[] {
  return [...namesOf(podVolumeClaims(pod))];
}

/** A node does not start pods whose claim is deleted: those without a node do not count. */
function mounts(pod: ApiObject, claim: ApiObject): boolean {
  if ((pod.spec?.nodeName ?? '') === '') return false;
  return ((pod.spec?.volumes ?? []) as Volume[]).some(
    (volume) => volume.persistentVolumeClaim?.claimName === claim.metadata.name || mountsOwn(pod, volume, claim),
  );
}

/** A claim of the pod's own: it counts until the node is done with the pod. */
function mountsOwn({ metadata }: ApiObject, volume: Volume, claim: ApiObject): boolean {
  const isDone = metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
  if (volume.ephemeral === undefined || isDone || claimOf(volume, metadata.name) !== claim.metadata.name) return false;
  return (claim.metadata.ownerReferences ?? []).some(({ controller, uid }) => controller === true && uid === metadata.uid);
}

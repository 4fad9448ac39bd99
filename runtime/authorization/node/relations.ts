/**
 * What each node has to do with: its pods, and what these need. Follows the store.
 *
 *   pod -> node;  secret, config map, claim, service account -> pod;  persistent volume -> claim;  secret -> persistent volume
 */
import type { PersistentVolume } from '../../../generated/core/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import { MIRROR } from '../../kinds/core/pod-annotations.ts';
import { persistentVolumeSecrets, podConfigMaps, podResourceClaims, podSecrets, podVolumeClaims } from '../../kinds/core/pod-references.ts';
import type { FollowerSink } from '../../registry/store-follower.ts';
import type { StoredObject } from '../../registry/stored-object.ts';

/** Resources whose single objects can be a node's business. */
export type Related =
  | 'pods'
  | 'secrets'
  | 'configmaps'
  | 'serviceaccounts'
  | 'persistentvolumeclaims'
  | 'persistentvolumes'
  | 'resourceclaims'
  | 'volumeattachments'
  | 'resourceslices';

interface Link {
  readonly node: string;
  /** objects that the node may see for this one, itself included */
  readonly objects: readonly string[];
}

interface Volume {
  readonly claim: string;
  readonly secrets: readonly string[];
}

export class NodeRelations implements FollowerSink {
  readonly prefixes = ['pods', 'persistentvolumes', 'volumeattachments', 'resourceslices'];
  readonly #mirror: string;
  /** by key of the object that makes it */
  readonly #links = new Map<string, Link>();
  readonly #volumes = new Map<string, Volume>();
  /** how many links relate an object to a node: by object, then node */
  readonly #nodes = new Map<string, Map<string, number>>();
  /** keys of persistent volumes by the secrets that they need */
  readonly #volumesOfSecret = new Map<string, Set<string>>();

  constructor(identity: Identity) {
    this.#mirror = identity.text(MIRROR);
  }

  reset(): void {
    this.#links.clear();
    this.#volumes.clear();
    this.#nodes.clear();
    this.#volumesOfSecret.clear();
  }

  change(key: string, stored: StoredObject | undefined): void {
    if (key.startsWith('persistentvolumes/')) return this.#changeVolume(key, stored);
    const link = stored === undefined ? undefined : this.#linkOf(key, stored.parse() as ApiObject);
    const old = this.#links.get(key);
    if (old !== undefined) for (const object of old.objects) this.#count(object, old.node, -1);
    if (link === undefined) {
      this.#links.delete(key);
      return;
    }
    this.#links.set(key, link);
    for (const object of link.objects) this.#count(object, link.node, 1);
  }

  /** @param namespace '' for what is in none */
  relates(node: string, resource: Related, namespace: string, name: string): boolean {
    const object = namespace === '' ? `${resource}/${name}` : `${resource}/${namespace}/${name}`;
    if (resource === 'persistentvolumes') return this.#reaches(node, object);
    if (this.#nodes.get(object)?.has(node)) return true;
    if (resource !== 'secrets') return false;
    for (const volume of this.#volumesOfSecret.get(object) ?? []) if (this.#reaches(node, volume)) return true;
    return false;
  }

  #reaches(node: string, volume: string): boolean {
    const claim = this.#volumes.get(volume)?.claim;
    return claim !== undefined && this.#nodes.get(claim)?.has(node) === true;
  }

  #linkOf(key: string, object: ApiObject): Link | undefined {
    const node = object.spec?.nodeName ?? '';
    if (node === '') return undefined;
    if (!key.startsWith('pods/') || object.metadata.annotations?.[this.#mirror] !== undefined) return { node, objects: [key] };
    const { namespace } = object.metadata;
    const named = (resource: Related, names: Iterable<string>): string[] => [...names].map((name) => `${resource}/${namespace}/${name}`);
    const account = object.spec.serviceAccountName ?? '';
    const objects = [
      key,
      ...named('serviceaccounts', account === '' ? [] : [account]),
      ...named('secrets', podSecrets(object)),
      ...named('configmaps', podConfigMaps(object)),
      ...named('persistentvolumeclaims', podVolumeClaims(object)),
      ...named('resourceclaims', podResourceClaims(object)),
    ];
    return { node, objects };
  }

  #count(object: string, node: string, by: 1 | -1): void {
    let nodes = this.#nodes.get(object);
    if (nodes === undefined) {
      nodes = new Map();
      this.#nodes.set(object, nodes);
    }
    const count = (nodes.get(node) ?? 0) + by;
    if (count > 0) nodes.set(node, count);
    else nodes.delete(node);
    if (nodes.size === 0) this.#nodes.delete(object);
  }

  #changeVolume(key: string, stored: StoredObject | undefined): void {
    for (const secret of this.#volumes.get(key)?.secrets ?? []) {
      const volumes = this.#volumesOfSecret.get(secret);
      volumes?.delete(key);
      if (volumes?.size === 0) this.#volumesOfSecret.delete(secret);
    }
    const object = stored?.parse() as PersistentVolume | undefined;
    const { namespace, name } = object?.spec?.claimRef ?? {};
    if (object === undefined || !name) {
      this.#volumes.delete(key);
      return;
    }
    const secrets = persistentVolumeSecrets(object).map((secret) => `secrets/${secret.namespace}/${secret.name}`);
    this.#volumes.set(key, { claim: `persistentvolumeclaims/${namespace}/${name}`, secrets });
    for (const secret of secrets) {
      const volumes = this.#volumesOfSecret.get(secret);
      if (volumes === undefined) this.#volumesOfSecret.set(secret, new Set([key]));
      else volumes.add(key);
    }
  }
}

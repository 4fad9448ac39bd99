/**
 * The objects that each node may see: its pods, and what these need. Follows the store.
 *
 *   pod -> node;  secret, config map, claim, service account -> pod;  persistent volume -> claim;  secret -> persistent volume
 */
import type { PersistentVolume } from '../../../generated/core/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import { ReadingInTurns, type TakingIn } from '../../event-loop/reading-in-turns.ts';
import { MIRROR } from '../../kinds/core/pods/pod-annotations.ts';
import {
  persistentVolumeSecrets,
  podConfigMaps,
  podResourceClaims,
  podSecrets,
  podVolumeClaims,
  type References,
} from '../../kinds/core/pods/pod-references.ts';
import { READ_AT_ONCE, readSlices } from '../../registry/stored-objects/sliced-reading.ts';
import type { FollowerSink } from '../../registry/stored-objects/store-follower.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';

/** Resources of which a node may see single objects. */
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

/** Members of objects that refer to other objects. */
const NEEDED = ['spec', 'status'];
/** Number of objects that are handled in one turn of the event loop. */
const FEW = 1_000;
/** Stands for all objects, of which no key is empty. */
const ALL = '';

/** The objects that a pod names. */
const NAMED: readonly (readonly [resource: Related, references: (pod: ApiObject) => References])[] = [
  ['secrets', podSecrets],
  ['configmaps', podConfigMaps],
  ['persistentvolumeclaims', podVolumeClaims],
  ['resourceclaims', podResourceClaims],
];

interface Link {
  readonly node: string;
  /** keys of the objects that the node may see because of this one, itself included */
  readonly objects: string[];
  /** number of these that count already */
  counted: number;
}

interface Volume {
  readonly claim: string;
  readonly secrets: readonly string[];
}

export class NodeRelations implements FollowerSink {
  readonly prefixes = ['pods', 'persistentvolumes', 'volumeattachments', 'resourceslices'];
  readonly #mirror: string;
  /** by the key of the object that makes the link */
  readonly #links = new Map<string, Link>();
  readonly #volumes = new Map<string, Volume>();
  /** objects that are still being read, and do not count yet: long ones, and all of them at first */
  readonly #reading = new ReadingInTurns();
  /** number of links between an object and a node: by object, then by node */
  readonly #nodes = new Map<string, Map<string, number>>();
  /** keys of persistent volumes by the secrets that they need */
  readonly #volumesOfSecret = new Map<string, Set<string>>();

  constructor(identity: Identity) {
    this.#mirror = identity.text(MIRROR);
  }

  /** Resolves when all objects count. Until then a node may see less than it should. Undefined: all count. */
  get pending(): Promise<unknown> | undefined {
    return this.#reading.pending;
  }

  reset(): void {
    this.#reading.clear();
    this.#links.clear();
    this.#volumes.clear();
    this.#nodes.clear();
    this.#volumesOfSecret.clear();
  }

  takeIn(work: TakingIn): void {
    this.#reading.begin(ALL, work);
  }

  change(key: string, stored: StoredObject | undefined): void {
    this.#reading.end(key);
    const isLong = (stored?.bytes.length ?? 0) > READ_AT_ONCE || (this.#links.get(key)?.objects.length ?? 0) > FEW;
    if (isLong) this.#reading.begin(key, this.#take(key, stored && new StoredObject(Buffer.from(stored.bytes))));
    else for (const _ of this.#take(key, stored));
  }

  /** Replaces the links of an object. The old ones are removed first: a node that is refused meanwhile waits for the new ones. */
  *#take(key: string, stored: StoredObject | undefined): TakingIn {
    const old = this.#links.get(key);
    if (old !== undefined) yield* this.#unlink(old);
    this.#links.delete(key);
    const isVolume = key.startsWith('persistentvolumes/');
    if (isVolume) this.#changeVolume(key, undefined);
    if (stored === undefined) return;
    const object = stored.bytes.length > READ_AT_ONCE ? ((yield* readSlices(stored.json, NEEDED)) as unknown as ApiObject) : stored.parse();
    if (isVolume) return this.#changeVolume(key, object as PersistentVolume);
    const link = yield* this.#linkOf(key, object);
    if (link === undefined) return;
    this.#links.set(key, link);
    yield* this.#link(link);
  }

  *#link(link: Link): TakingIn {
    for (; link.counted < link.objects.length; link.counted++) {
      this.#count(link.objects[link.counted] as string, link.node, 1);
      if (link.counted % FEW === 0) yield;
    }
  }

  *#unlink(link: Link): TakingIn {
    for (; link.counted > 0; link.counted--) {
      this.#count(link.objects[link.counted - 1] as string, link.node, -1);
      if (link.counted % FEW === 0) yield;
    }
  }

  /** @param namespace '' for an object outside of namespaces */
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

  *#linkOf(key: string, object: ApiObject): Generator<void, Link | undefined, void> {
    const node = object.spec?.nodeName ?? '';
    if (node === '') return undefined;
    const link: Link = { node, objects: [key], counted: 0 };
    if (!key.startsWith('pods/') || object.metadata.annotations?.[this.#mirror] !== undefined) return link;
    const { namespace } = object.metadata;
    const account = object.spec.serviceAccountName ?? '';
    if (account !== '') link.objects.push(`serviceaccounts/${namespace}/${account}`);
    for (const [resource, references] of NAMED) {
      const known = new Set<string>();
      let looked = 0;
      for (const name of references(object)) {
        if (++looked % FEW === 0) yield;
        if (name === undefined || known.has(name)) continue;
        known.add(name);
        link.objects.push(`${resource}/${namespace}/${name}`);
      }
    }
    return link;
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

  #changeVolume(key: string, object: PersistentVolume | undefined): void {
    for (const secret of this.#volumes.get(key)?.secrets ?? []) {
      const volumes = this.#volumesOfSecret.get(secret);
      volumes?.delete(key);
      if (volumes?.size === 0) this.#volumesOfSecret.delete(secret);
    }
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

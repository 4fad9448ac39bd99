/** Finds the owners that references name, as they are stored now. */
import type { OwnerReference } from '../../contract/object.ts';
import { FOREGROUND_FINALIZER } from '../../registry/resource-store/deletion.ts';
import type { Registry } from '../../registry/resources/registry.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storageKey } from '../../registry/resources/resource-keys.ts';
import { LatestCache } from '../../registry/stored-objects/latest-cache.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import type { Storage } from '../../storage/storage.ts';
import { type OwnerState, readOwnerState } from './ownership.ts';

/** A reference to a kind that is not served: nothing can be said of the owner, perhaps later. */
export class UnknownOwnerKind extends Error {
  constructor({ apiVersion, kind }: OwnerReference) {
    super(`no resource of kind ${kind} in ${apiVersion} is served`);
  }
}

/** An object of the cluster that names an owner in a namespace: no such owner can be found, or found missing. */
export class NamespacedOwnerOfClusterObject extends Error {
  constructor({ kind }: OwnerReference) {
    super(`objects outside of namespaces cannot have an owner of kind ${kind}`);
  }
}

export interface ClassifiedOwners {
  /** owners that are there and stay for now */
  readonly solid: readonly OwnerReference[];
  readonly dangling: readonly OwnerReference[];
  /** owners whose deletion waits for their dependents' */
  readonly waiting: readonly OwnerReference[];
}

const NOWHERE: ReadonlyMap<string, OwnerState | undefined> = new Map();
/** Owners that are remembered. */
const REMEMBERED = 1_024;

export class Owners {
  readonly #registry: Registry;
  readonly #isElsewhere: (group: string, version: string) => boolean;
  readonly #states: LatestCache<OwnerState>;

  /** @param isElsewhere whether another server answers a group version: whoever owns there is not known here, whatever this store has */
  constructor(registry: Registry, storage: Storage, isElsewhere: (group: string, version: string) => boolean) {
    this.#registry = registry;
    this.#isElsewhere = isElsewhere;
    this.#states = new LatestCache(storage, { keys: REMEMBERED }, ({ value }) => readOwnerState(new StoredObject(value)));
  }

  /** @throws UnknownOwnerKind */
  resource(reference: OwnerReference): Resource {
    const { apiVersion, kind } = reference;
    const groupVersion = this.#registry.current.groupVersions.find(
      ({ group, version }) => apiVersion === (group === '' ? version : `${group}/${version}`),
    );
    const data = groupVersion?.resources.find((resource) => resource.kind === kind && resource.storage !== undefined);
    const resource = data && groupVersion && this.#registry.current.resource(groupVersion.group, groupVersion.version, data.name);
    if (groupVersion === undefined || resource === undefined || this.#isElsewhere(groupVersion.group, groupVersion.version))
      throw new UnknownOwnerKind(reference);
    return resource;
  }

  /**
   * Key that the owner has if it is there.
   * @param namespace of the dependent; '' for one outside of namespaces
   * @throws UnknownOwnerKind, NamespacedOwnerOfClusterObject
   */
  key(reference: OwnerReference, namespace: string): string {
    const resource = this.resource(reference);
    if (namespace === '' && resource.data.scope === 'Namespaced') throw new NamespacedOwnerOfClusterObject(reference);
    return storageKey(resource, namespace, reference.name);
  }

  /** @returns undefined where no object has that key, or one of another uid. @throws as `key` */
  find(reference: OwnerReference, namespace: string): OwnerState | undefined {
    return this.at(this.key(reference, namespace), reference.uid);
  }

  at(key: string, uid: string): OwnerState | undefined {
    const owner = this.#states.get(key);
    return owner?.uid === uid ? owner : undefined;
  }

  /** @returns whether owners of its kind are here */
  isHere(reference: OwnerReference): boolean {
    try {
      this.resource(reference);
      return true;
    } catch (error) {
      if (error instanceof UnknownOwnerKind) return false;
      throw error;
    }
  }

  /**
   * Yields now and then.
   * @param elsewhere owners that are not here, by their uids; undefined for those that are gone
   * @throws as `key`, for the first reference that nothing can be said of
   */
  *classify(
    references: readonly OwnerReference[],
    namespace: string,
    elsewhere: ReadonlyMap<string, OwnerState | undefined> = NOWHERE,
  ): Generator<void, ClassifiedOwners, void> {
    const solid: OwnerReference[] = [];
    const dangling: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const reference of references) {
      const owner = elsewhere.has(reference.uid) ? elsewhere.get(reference.uid) : this.find(reference, namespace);
      if (owner === undefined) dangling.push(reference);
      else if (owner.deleting && owner.finalizers.includes(FOREGROUND_FINALIZER)) waiting.push(reference);
      else solid.push(reference);
      yield;
    }
    return { solid, dangling, waiting };
  }
}

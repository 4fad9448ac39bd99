/** The field managers of all resources: one for each path that objects are written through. */
import type { ScaleVersions } from '../../apply/scale-ownership.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ResourceData } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Resource } from '../resources/resource.ts';
import { FieldManager } from './field-manager.ts';
import { type FieldLimits, KindVersion } from './kind-version.ts';
import type { ResourceStore } from './resource-store.ts';

/** Owner of what the server writes by itself. */
export const SERVER_MANAGER = 'kube-apiserver';

export class FieldManagers {
  readonly #annotation: string;
  readonly #resetsLeaveChanges: boolean;
  /** the managers by resource and subresource */
  readonly #managers = new WeakMap<Resource, Map<string, FieldManager>>();
  readonly #scales = new WeakMap<Resource, ScaleVersions>();

  constructor(identity: Identity) {
    this.#annotation = identity.text('kubectl.${labelDomain}/last-applied-configuration');
    this.#resetsLeaveChanges = identity.resetsLeaveChanges;
  }

  /** @param kind what the path speaks. @param subresource '' for the object itself */
  of(resource: Resource, kind: Kind, subresource: string): FieldManager {
    let managers = this.#managers.get(resource);
    if (managers === undefined) {
      managers = new Map();
      this.#managers.set(resource, managers);
    }
    let manager = managers.get(subresource);
    if (manager === undefined) {
      manager = new FieldManager({
        own: new KindVersion(kind, fieldLimits(resource.data, subresource)),
        subresource,
        lastAppliedAnnotation: this.#annotation,
        resetsLeaveChanges: this.#resetsLeaveChanges,
        load: (apiVersion) => this.#load(resource, subresource, apiVersion),
        converter: resource.versions.converter,
      });
      managers.set(subresource, manager);
    }
    return manager;
  }

  /** Returns the manager for a subresource whose objects have the resource's own version. */
  async ofResource(resource: Resource, subresource: string): Promise<FieldManager> {
    const { data, groupVersion, versions } = resource;
    return this.of(resource, await versions.kinds.kind(groupVersion.group, groupVersion.version, data.kind), subresource);
  }

  /**
   * The server owns what it has changed of an object of the hub by itself; changes `object`.
   * @param old undefined for a new one
   * @param owner the name that it has there
   */
  async ownedByServer({ resource }: ResourceStore, old: ApiObject | undefined, object: ApiObject, owner = SERVER_MANAGER): Promise<void> {
    const manager = await this.ofResource(resource, '');
    return manager.update(old, object, owner, Date.now());
  }

  /** How the owners of the number of replicas of a resource are those of its Scale, of the kind `scale`. */
  scaleVersions(resource: Resource, scale: Kind): ScaleVersions {
    let versions = this.#scales.get(resource);
    if (versions === undefined) {
      const replicas = resource.versions.served.map(
        (each) => [each.apiVersion, memberElements(each.subresources.get('scale')?.scale?.specReplicas ?? '')] as const,
      );
      versions = { scale: scale.apiVersion, parent: resource.apiVersion, replicas: new Map(replicas) };
      this.#scales.set(resource, versions);
    }
    return versions;
  }

  /** The same resource in another version. The Scale of all resources has one version. */
  async #load(resource: Resource, subresource: string, apiVersion: string): Promise<KindVersion | undefined> {
    if (resource.subresources.get(subresource)?.scale !== undefined) return undefined;
    const found = resource.versions.served.find((each) => each.apiVersion === apiVersion);
    if (found === undefined) return undefined;
    const { group, version } = found.groupVersion;
    const limits = found.data.isDefined === true ? UNLIMITED : fieldLimits(found.data, subresource);
    return new KindVersion(await found.versions.kinds.kind(group, version, found.data.kind), limits);
  }
}

/** As in 1.32, a path of a definition's version knows what it resets of that version alone, and takes what others own in other versions for written. */
const UNLIMITED: FieldLimits = { resets: [] };

export function fieldLimits(data: ResourceData, subresource: string): FieldLimits {
  const path = data.subresources.find(({ name }) => name === subresource);
  if (path !== undefined) return { resets: path.resetFields ?? (subresource === 'status' ? ['spec'] : []), owns: path.ownedFields };
  const hasStatus = data.subresources.some(({ name }) => name === 'status');
  return { resets: data.resetFields ?? (hasStatus ? ['status'] : []) };
}

function memberElements(path: string): string[] {
  return path
    .split('.')
    .filter((name) => name !== '')
    .map((name) => `f:${name}`);
}

/** Finds and changes the objects that are collected, by their keys: those of this server's store, and those of API servers behind it. */
import type { ObjectMeta } from '../../contract/object.ts';
import { inTurns } from '../../event-loop/turns.ts';
import type { DeleteOptions } from '../../registry/resource-store/deletion.ts';
import type { NamedObject, ResourceKeys } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { isLongOwnership, type Ownership, ownershipSlices, readOwnership } from './ownership.ts';
import { RemoteObjects } from './remote-objects.ts';
import type { RemoteRequests } from './remote-requests.ts';

export interface CollectedObject {
  readonly key: string;
  /** '' for one outside of namespaces */
  readonly namespace: string;
  readonly ownership: Ownership;
  /** undefined for one of another server */
  readonly here: NamedObject | undefined;
}

type Options = Required<Pick<DeleteOptions, 'propagationPolicy' | 'preconditions'>>;

export interface CollectedObjectsParts {
  readonly storage: Storage;
  readonly keys: ResourceKeys;
  readonly writer: ControllerWriter;
  /** absent: nobody has objects but this server */
  readonly requests: (() => Promise<RemoteRequests>) | undefined;
}

export class CollectedObjects {
  readonly #parts: CollectedObjectsParts;

  constructor(parts: CollectedObjectsParts) {
    this.#parts = parts;
  }

  /** @returns undefined for an object that is not there, or whose resource is not served. @throws as `RemoteRequests.object` */
  async find(key: string): Promise<CollectedObject | undefined> {
    const { storage, keys, requests } = this.#parts;
    if (RemoteObjects.isKey(key)) {
      const ownership = await (await requests?.())?.object(key);
      return ownership && { key, namespace: ownership.namespace, ownership, here: undefined };
    }
    const entry = storage.get(key);
    const here = keys.parse(key);
    if (entry === undefined || here === undefined) return undefined;
    const stored = new StoredObject(entry.value);
    const ownership = isLongOwnership(stored) ? await inTurns(ownershipSlices(stored)) : readOwnership(stored);
    return { key, namespace: here.namespace, ownership, here };
  }

  /** @returns undefined where the key belongs to no resource that is served */
  namespaceOf(key: string): string | undefined {
    return RemoteObjects.isKey(key) ? RemoteObjects.namespaceOf(key) : this.#parts.keys.parse(key)?.namespace;
  }

  /** @throws StatusError; as `RemoteRequests.delete` */
  async delete({ key, here }: Pick<CollectedObject, 'key' | 'here'>, options: Options): Promise<void> {
    if (here === undefined) await (await this.#parts.requests?.())?.delete(key, options);
    else await this.#parts.writer.delete(here, options);
  }

  /** @param edit as of `ControllerWriter.editMetadata`. @returns the object's resourceVersion. @throws StatusError; as `RemoteRequests.editMetadata` */
  async editMetadata(key: string, edit: (metadata: ObjectMeta) => void): Promise<string> {
    if (RemoteObjects.isKey(key)) return (await (await this.#parts.requests?.())?.editMetadata(key, edit)) ?? '';
    return this.#parts.writer.editMetadata(this.#parts.keys.parse(key) as NamedObject, edit);
  }
}

/** Takes what servers that are gone said of their storage versions out of the objects, as 1.32 does: of each server there is a lease as long as it lives. */
import type { ServerStorageVersion } from '../../../generated/apiserverinternal/v1alpha1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storageKey, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { isConflict, isNotFound, newConflict, OBJECT_MODIFIED } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';
import { entriesOf, withEntries } from './server-entries.ts';
import { type StorageVersionResources, storageVersionResources } from './storage-version-updates.ts';

/** The names that the queues have in metrics of 1.32. */
const LEASE_QUEUE = 'storage_version_garbage_collector_leases';
const OBJECT_QUEUE = 'storage_version_garbage_collector_storageversions';
/** The number of objects that are examined in one turn. */
const SLICE = 64;

/** Makes the controller. @returns undefined if one of its feature gates is off, or if its resources are not served */
export function storageVersionCollector(server: ControllerServer): StorageVersionCollector | undefined {
  if (!server.featureEnabled('StorageVersionAPI') || !server.featureEnabled('APIServerIdentity')) return undefined;
  const resources = storageVersionResources(server);
  return resources && new StorageVersionCollector(server, resources);
}

export class StorageVersionCollector implements Controller {
  readonly #server: ControllerServer;
  readonly #objects: Resource;
  readonly #leases: Resource;
  readonly #namespace: string;
  /** the prefixes of the keys of objects, and of leases in that namespace */
  readonly #prefixes: { readonly objects: string; readonly leases: string };
  /** the label of leases of servers */
  readonly #label: readonly [key: string, value: string];
  readonly #writer: ControllerWriter;
  readonly #leaseQueue: WorkQueue;
  readonly #objectQueue: WorkQueue;

  constructor(server: ControllerServer, { storageVersions, leases }: StorageVersionResources) {
    const { text } = server.identity;
    this.#server = server;
    this.#objects = storageVersions;
    this.#leases = leases;
    this.#namespace = text('${systemNamespace}');
    this.#prefixes = { objects: storagePrefix(storageVersions, ''), leases: storagePrefix(leases, this.#namespace) };
    this.#label = [text('apiserver.${labelDomain}/identity'), text('${serverName}')];
    this.#writer = new ControllerWriter(server);
    this.#leaseQueue = this.#queue(LEASE_QUEUE, (name) => this.#serverGone(name));
    this.#objectQueue = this.#queue(OBJECT_QUEUE, (name) => this.#look(name));
  }

  #queue(name: string, process: (key: string) => Promise<void>): WorkQueue {
    const { metrics, log } = this.#server;
    return new WorkQueue({
      name,
      metrics,
      workers: 1,
      process,
      failed: (key, error) => {
        // somebody else was faster
        if (!isConflict(error))
          log.error({ err: error, key }, 'storage versions of servers that are gone could not be removed; it is tried again');
      },
    });
  }

  async list(revision: number): Promise<void> {
    for await (const slice of entrySlices(this.#server.storage, this.#prefixes.objects, { size: SLICE, atRevision: revision }))
      for (const { value } of slice) this.#toLook(new StoredObject(value).parse());
  }

  changed({ key, operation, value }: Change): void {
    const { objects, leases } = this.#prefixes;
    if (operation === 'delete') {
      if (key.startsWith(leases) && this.#isOfServer(value)) this.#leaseQueue.add(key.slice(leases.length));
    } else if (key.startsWith(objects)) this.#toLook(new StoredObject(value).parse());
  }

  /** Resolves when all that has changed so far was looked at. */
  async settled(): Promise<void> {
    await this.#leaseQueue.idle();
    await this.#objectQueue.idle();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#leaseQueue.stop(), this.#objectQueue.stop()]);
    this.#writer.stop();
  }

  #toLook(object: ApiObject): void {
    if (entriesOf(object).some(({ apiServerID = '' }) => !this.#lives(apiServerID))) this.#objectQueue.add(object.metadata.name ?? '');
  }

  /** A server whose lease cannot be read does not. */
  #lives(server: string): boolean {
    try {
      return this.#server.storage.look(this.#leaseKey(server), ({ value }) => this.#isOfServer(value)) === true;
    } catch {
      return false;
    }
  }

  #leaseKey(server: string): string {
    return storageKey(this.#leases, this.#namespace, server);
  }

  #isOfServer(lease: Buffer): boolean {
    const [key, value] = this.#label;
    return new StoredObject(lease).label(key) === value;
  }

  async #serverGone(server: string): Promise<void> {
    const { storage } = this.#server;
    if (storage.revisionOf(this.#leaseKey(server)) !== undefined) return;
    const errors: unknown[] = [];
    for await (const slice of entrySlices(storage, this.#prefixes.objects, { size: SLICE })) {
      const objects = Array.from(slice, ({ value }) => new StoredObject(value).parse());
      for (const object of objects)
        await this.#keep(object, ({ apiServerID }) => apiServerID !== server).catch((error) => void errors.push(error));
    }
    // what was written in vain is written with the next attempt
    if (errors.length > 0) throw errors.find((error) => !isConflict(error)) ?? errors[0];
  }

  async #look(name: string): Promise<void> {
    const object = this.#server.storage.look(storageKey(this.#objects, '', name), ({ value }) => new StoredObject(value).parse());
    if (object !== undefined) await this.#keep(object, ({ apiServerID = '' }) => this.#lives(apiServerID));
  }

  /** An object that has lost its last entry goes. @throws StatusError Conflict where it is no longer the version that was read */
  async #keep(object: ApiObject, isKept: (entry: ServerStorageVersion) => boolean): Promise<void> {
    const { name = '', resourceVersion = '' } = object.metadata;
    const entries = entriesOf(object);
    const kept = entries.filter(isKept);
    if (kept.length === entries.length) return;
    const place = { resource: this.#objects, namespace: '', name };
    try {
      if (kept.length === 0) return await this.#writer.delete(place, { preconditions: { resourceVersion } });
      await this.#writer.update(place, 'status', (old) => {
        if (old.metadata.resourceVersion !== resourceVersion) throw newConflict(this.#objects.groupResource, name, OBJECT_MODIFIED);
        return withEntries(old, kept, Date.now());
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/**
 * Keeps the objects of a resource while something uses them: each living one has a finalizer, which goes when the object is deleted and nothing
 * uses it any longer.
 */
import type { ApiObject, ObjectMeta } from '../../contract/object.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { ResourceKeys, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { type Members, READ_AT_ONCE, readParts } from '../../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { isNotFound } from '../../status/status.ts';
import { type Change, keptValue } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';

export interface Protection {
  readonly resource: Resource;
  readonly finalizer: string;
  /** Decides from the store as it is now; yields every few milliseconds. */
  isInUse(object: ApiObject): boolean | Promise<boolean>;
  /** other objects whose changes may end a use */
  readonly users?: readonly Users[];
}

/** The objects of one resource that may use protected objects. */
export interface Users {
  /** the prefix of their keys */
  readonly prefix: string;
  /** the members that `used` reads, besides the metadata */
  readonly members: Members;
  /** Returns the keys of the objects that a user uses, and perhaps of others. */
  used(user: ApiObject): readonly string[];
}

/** Objects that are looked at, and written, at a time. */
const WORKERS = 4;
/** The number of objects that are examined in one turn while listing. */
const SLICE = 250;

export class ProtectedObjects implements Controller {
  readonly #server: ControllerServer;
  readonly #protection: Protection;
  readonly #prefix: string;
  readonly #keys: ResourceKeys;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  /** keys of objects that are deleted and may be in use */
  readonly #waiting = new Set<string>();

  constructor(server: ControllerServer, protection: Protection) {
    const { resource, finalizer } = protection;
    this.#server = server;
    this.#protection = protection;
    this.#prefix = storagePrefix(resource, '');
    this.#keys = new ResourceKeys(server.registry);
    this.#writer = new ControllerWriter(server);
    this.#queue = new WorkQueue({
      name: finalizer,
      metrics: server.metrics,
      workers: WORKERS,
      process: (key) => this.#sync(key),
      failed: (key, error) => server.log.warn({ key, finalizer, err: error }, 'the protection of an object could not be changed'),
    });
  }

  async list(revision: number): Promise<void> {
    this.#waiting.clear();
    for await (const slice of entrySlices(this.#server.storage, this.#prefix, { size: SLICE, atRevision: revision }))
      for (const { key, value } of slice) if (this.#needsLook(value)) this.#queue.add(key);
  }

  changed({ key, operation, value, previousValue }: Change): void | Promise<void> {
    if (key.startsWith(this.#prefix)) {
      if (operation === 'delete') this.#waiting.delete(key);
      else if (this.#needsLook(value)) this.#queue.add(key);
      return;
    }
    const users = this.#waiting.size === 0 ? undefined : this.#protection.users?.find(({ prefix }) => key.startsWith(prefix));
    if (users === undefined) return;
    const looks = [value, ...(previousValue === undefined ? [] : [previousValue])].map((each) => this.#lookAtUsed(each, users));
    if (looks.some((each) => each !== undefined)) return Promise.all(looks).then(() => undefined);
  }

  #lookAtUsed(value: Buffer, { members, used }: Users): void | Promise<void> {
    const reading = readParts(lasting(value), members);
    if (reading instanceof Promise) return reading.then((user) => this.#lookAt(used(user)));
    this.#lookAt(used(reading));
  }

  #lookAt(used: readonly string[]): void {
    for (const each of used) if (this.#waiting.has(each)) this.#queue.add(each);
  }

  stop(): Promise<void> {
    this.#writer.stop();
    return this.#queue.stop();
  }

  /** Cheap, and true of all that are deleted or lack the finalizer. */
  #needsLook(value: Buffer): boolean {
    const stored = new StoredObject(value);
    return stored.deleting || !stored.metadata.includes(`"${this.#protection.finalizer}"`);
  }

  async #sync(key: string): Promise<void> {
    const { finalizer, isInUse } = this.#protection;
    const entry = this.#server.storage.get(key);
    if (entry === undefined) return;
    const object = await readParts(new StoredObject(entry.value), ['status']);
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const isProtected = finalizers.includes(finalizer);
    if (deletionTimestamp === undefined) {
      if (!isProtected) await this.#setFinalizers(key, object, (kept) => [...kept, finalizer]);
    } else if (isProtected) {
      // Before anything is looked at: a use that ends meanwhile leads to another look.
      this.#waiting.add(key);
      if (!(await isInUse(object))) await this.#setFinalizers(key, object, (kept) => kept);
    }
  }

  /** @param change gets the finalizers without the one that protects. */
  async #setFinalizers(key: string, { metadata: { uid } }: ApiObject, change: (kept: string[]) => string[]): Promise<void> {
    const named = this.#keys.parse(key);
    if (named === undefined) return;
    try {
      await this.#writer.editMetadata(named, (metadata) => {
        if (metadata.uid === uid) setFinalizers(metadata, change(this.#others(metadata)));
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #others({ finalizers = [] }: ObjectMeta): string[] {
    return finalizers.filter((each) => each !== this.#protection.finalizer);
  }
}

const lasting = (value: Buffer): StoredObject => new StoredObject(value.length > READ_AT_ONCE ? keptValue(value) : value);

function setFinalizers(metadata: ObjectMeta, finalizers: string[]): void {
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

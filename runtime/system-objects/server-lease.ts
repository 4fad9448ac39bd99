/** The key by which other servers of one etcd know this one (`registry/etcd/server-leases.ts`): it expires unless it is written again and again. */
import { ObjectEncoding } from '../registry/resource-store/object-encoding.ts';
import { StoredObject } from '../registry/stored-objects/stored-object.ts';
import { Conflict, KeyExists, KeyNotFound } from '../storage/errors.ts';
import type { StoredBytes } from '../storage/storage.ts';
import type { Ensuring } from './ensure.ts';
import { ENDPOINTS } from './own-service.ts';

/** Times that a write is tried which another one of the same server has overtaken, such as that of a process that is still ending. */
const ATTEMPTS = 5;

/** What an Endpoints object says of a server. */
export interface LeaseMembers {
  readonly labels?: Readonly<Record<string, string>>;
  readonly subsets: readonly object[];
}

export class ServerLease {
  readonly #server: Ensuring;
  readonly #key: string;
  readonly #members: LeaseMembers;

  constructor(server: Ensuring, key: string, members: LeaseMembers) {
    this.#server = server;
    this.#key = key;
    this.#members = members;
  }

  /** @throws StorageError */
  async renew(): Promise<void> {
    const { storage } = this.#server;
    await this.#againWhenOvertaken(async () => {
      const entry = storage.get(this.#key);
      const { generation = 0 } = entry === undefined ? {} : new StoredObject(entry.value).parse().metadata;
      // As in 1.32 the generation counts renewals: its servers write nothing where a value would stay the same.
      const value = await this.#value(generation + 1);
      await (entry === undefined ? storage.create(this.#key, value) : storage.update(this.#key, entry.revision, value));
    });
  }

  /** @throws StorageError */
  async remove(): Promise<void> {
    const { storage } = this.#server;
    await this.#againWhenOvertaken(async () => {
      const entry = storage.get(this.#key);
      if (entry !== undefined) await storage.delete(this.#key, entry.revision, { bytes: entry.value, revisionOffset: -1 });
    });
  }

  async #value(generation: number): Promise<StoredBytes> {
    const { group, version, name } = ENDPOINTS;
    const resource = this.#server.registry.current.resourceOfForm(group, version, name);
    if (resource === undefined) throw new Error(`${name} are not served, by which servers of one etcd know one another`);
    const { hub } = await this.#server.store(resource);
    const { labels, subsets } = this.#members;
    const { object } = hub.decode({ metadata: { generation, ...(labels && { labels }) }, subsets });
    return new ObjectEncoding(hub, undefined, () => []).of(object);
  }

  /** Runs a write anew where another one was faster, and can be seen here. */
  async #againWhenOvertaken(write: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write();
      } catch (error) {
        const isOvertaken = error instanceof KeyExists || error instanceof KeyNotFound || error instanceof Conflict;
        if (!isOvertaken || attempt === ATTEMPTS) throw error;
        await this.#server.storage.barrier();
      }
    }
  }
}

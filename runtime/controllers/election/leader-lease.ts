/**
 * The Lease by which servers that share a store elect the one that runs the controllers: an object as any other, written with admission as those of controllers
 * are.
 */
import type { LeaseAccess, LeaseSpec } from '../../client/leader-election/lease-election.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { type NamedObject, storageKey } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { isAlreadyExists, isConflict, isNotFound, newConflict, OBJECT_MODIFIED } from '../../status/status.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';

export type LeaseObject = ApiObject & { readonly spec?: LeaseSpec };

export interface LeasePlace {
  readonly namespace: string;
  readonly name: string;
}

/** @param writer absent: as a controller manager. @returns undefined where leases are not served */
export function leaderLease(server: ControllerServer, place: LeasePlace, writer?: ControllerWriter): LeaderLease | undefined {
  const leases = server.registry.current.resource(server.identity.text('coordination.${groupDomain}'), 'v1', 'leases');
  return leases && new LeaderLease(server, { resource: leases, ...place }, writer);
}

export class LeaderLease implements LeaseAccess<LeaseObject> {
  /** the key of the lease in the store */
  readonly key: string;
  readonly #server: ControllerServer;
  readonly #writer: ControllerWriter;
  readonly #lease: NamedObject & { readonly resource: Resource };
  /** who held it at a revision */
  #known: { readonly revision: number; readonly holder: string } | undefined;

  constructor(server: ControllerServer, lease: NamedObject, writer = new ControllerWriter(server)) {
    this.#server = server;
    this.#lease = lease;
    this.#writer = writer;
    this.key = storageKey(lease.resource, lease.namespace, lease.name);
  }

  /** @returns the revision of the lease, as far as it has come here, where this holder has it; undefined where not. Costs little where it has not changed */
  revisionHeldBy(holder: string): number | undefined {
    const revision = this.#server.storage.revisionOf(this.key);
    if (revision === undefined) return undefined;
    if (this.#known?.revision !== revision) this.#known = { revision, holder: this.#stored()?.spec?.holderIdentity ?? '' };
    return this.#known.holder === holder ? revision : undefined;
  }

  async read(): Promise<LeaseObject | undefined> {
    await this.#server.storage.barrier();
    return this.#stored();
  }

  #stored(): LeaseObject | undefined {
    return this.#server.storage.look(this.key, ({ value }) => new StoredObject(value).parse() as LeaseObject);
  }

  async create(spec: LeaseSpec): Promise<LeaseObject | undefined> {
    const { resource, namespace, name } = this.#lease;
    const { group, version } = resource.groupVersion;
    const object = { apiVersion: `${group}/${version}`, kind: resource.data.kind, metadata: { namespace, name }, spec };
    try {
      await this.#writer.create(resource, object);
    } catch (error) {
      if (isAlreadyExists(error)) return undefined;
      throw error;
    }
    const stored = this.#stored();
    // somebody may have changed it since
    return stored?.spec?.holderIdentity === spec.holderIdentity ? stored : undefined;
  }

  async update({ metadata: { resourceVersion } }: LeaseObject, spec: LeaseSpec): Promise<LeaseObject | undefined> {
    const { groupResource } = this.#lease.resource;
    try {
      const { object } = await this.#writer.update(this.#lease, 'object', (old) => {
        if (old.metadata.resourceVersion !== resourceVersion) throw newConflict(groupResource, this.#lease.name, OBJECT_MODIFIED);
        return { ...old, spec: { ...spec } };
      });
      return object as LeaseObject;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return undefined;
      throw error;
    }
  }
}

/** The IPAddress objects of services: an address is that service's whose name stands in the object. */

import type { Owner } from '../../contract/allocation.ts';
import type { Identity } from '../../contract/identity.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { familyOf } from '../../formats/addresses.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../status/status.ts';
import type { Storage } from '../../storage/storage.ts';
import type { FieldManagers } from '../resource-store/field-managers.ts';
import type { ResourceStore } from '../resource-store/resource-store.ts';
import type { Resource } from '../resources/resource.ts';
import { storageKey, storagePrefix } from '../resources/resource-keys.ts';
import { StoredObject } from '../stored-objects/stored-object.ts';
import { canonicalAddress } from './address-range.ts';

/** The parts of a server that are needed. */
export interface AddressServer {
  readonly identity: Identity;
  readonly storage: Storage;
  store(resource: Resource): ResourceStore | Promise<ResourceStore>;
  ruleContext(dryRun: boolean): RuleContext;
  readonly fieldManagers: FieldManagers;
}

/** What an IPAddress says of who uses it; a member that is absent is ''. */
export interface Parent {
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface StoredAddress {
  readonly name: string;
  readonly uid: string;
  /** the revision of its last write */
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly parent: Parent;
}

export class IpAddresses {
  readonly #server: () => AddressServer;
  readonly #resource: Resource;

  /** @param server asked for when something is read or written first */
  constructor(server: () => AddressServer, resource: Resource) {
    this.#server = server;
    this.#resource = resource;
  }

  /** The prefix of the objects' keys. */
  get prefix(): string {
    return storagePrefix(this.#resource, '');
  }

  /** @param address in any of its spellings */
  exists(address: string): boolean {
    return this.#server().storage.get(this.#keyOf(address)) !== undefined;
  }

  /** @returns undefined where there is none */
  get(address: string): StoredAddress | undefined {
    const entry = this.#server().storage.get(this.#keyOf(address));
    return entry && storedAddress(new StoredObject(entry.value).parse(), entry.revision);
  }

  /** @returns the object's uid; undefined where one of that name exists. @throws StatusError */
  async create(address: string, service: Owner): Promise<string | undefined> {
    const server = this.#server();
    const store = await server.store(this.#resource);
    const parentRef = { group: '', resource: 'services', namespace: service.namespace, name: service.name };
    const metadata = { name: canonicalAddress(address), labels: this.labelsOf(address) };
    const { object } = store.hub.decode({ metadata, spec: { parentRef } });
    await server.fieldManagers.ownedByServer(store, undefined, object);
    try {
      const { object: written } = await store.create(object, server.ruleContext(false), nothing);
      return written.metadata.uid;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return undefined;
    }
  }

  /** Nothing where that object is gone, or where it has changed since a revision that is named. @throws StatusError */
  async delete(address: string, uid: string, revision?: number): Promise<void> {
    const server = this.#server();
    const store = await server.store(this.#resource);
    const preconditions = { uid, ...(revision !== undefined && { resourceVersion: String(revision) }) };
    try {
      await store.deletions.delete('', canonicalAddress(address), { preconditions }, server.ruleContext(false), nothing);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  /** Makes the labels that 1.32 gives to the object of an address. */
  labelsOf(address: string): Record<string, string> {
    const { text } = this.#server().identity;
    return {
      [text('ipaddress.${labelDomain}/ip-family')]: familyOf(canonicalAddress(address)) ?? '',
      [this.#managedBy]: this.#manager,
    };
  }

  /** whether the allocator looks after it, and not somebody else */
  isManaged({ labels }: StoredAddress): boolean {
    return labels[this.#managedBy] === this.#manager;
  }

  get #managedBy(): string {
    return this.#server().identity.text('ipaddress.${labelDomain}/managed-by');
  }

  get #manager(): string {
    return this.#server().identity.text('ipallocator.${groupDomain}');
  }

  #keyOf(address: string): string {
    return storageKey(this.#resource, '', canonicalAddress(address));
  }
}

export function storedAddress({ metadata, spec }: ApiObject, revision: number): StoredAddress {
  const { name = '', uid = '', labels = {} } = metadata;
  return { name, uid, revision, labels: labels as Record<string, string>, parent: spec?.parentRef ?? {} };
}

/** whether an object says that it is the address of that service */
export function isOfService({ group = '', resource, namespace, name }: Parent, service: Owner): boolean {
  return group === '' && resource === 'services' && namespace === service.namespace && name === service.name;
}

const nothing = async (): Promise<undefined> => undefined;

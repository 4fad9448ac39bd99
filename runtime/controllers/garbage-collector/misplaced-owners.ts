/** Tells, by an event, of references to owners that are in another namespace than their dependent: they count as missing. */
import type { OwnerReference } from '../../contract/object.ts';
import { timestamp } from '../../registry/resource-store/strategy.ts';
import type { Registry } from '../../registry/resources/registry.ts';
import { type NamedObject, storageKey } from '../../registry/resources/resource-keys.ts';
import { StatusError } from '../../status/status.ts';
import type { Storage } from '../../storage/storage.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import type { Owners } from './owners.ts';

const NAMESPACES = 'namespaces/';
const COMPONENT = 'garbage-collector-controller';
/** The number of namespaces that are examined in one turn. */
const SLICE = 500;
/** The number of owners that were found nowhere, and that are remembered for their other dependents. */
const REMEMBERED = 500;

export class MisplacedOwners {
  readonly #registry: Registry;
  readonly #storage: Storage;
  readonly #owners: Owners;
  readonly #writer: ControllerWriter;
  readonly #nowhere = new Set<string>();

  constructor(parts: { registry: Registry; storage: Storage; owners: Owners; writer: ControllerWriter }) {
    this.#registry = parts.registry;
    this.#storage = parts.storage;
    this.#owners = parts.owners;
    this.#writer = parts.writer;
  }

  /** @param uid of the dependent */
  async report(dependent: NamedObject, uid: string, reference: OwnerReference): Promise<void> {
    if (!(await this.#isElsewhere(reference, dependent.namespace))) return;
    await this.#writeEvent(dependent, uid, reference);
  }

  async #isElsewhere(reference: OwnerReference, namespace: string): Promise<boolean> {
    const resource = this.#owners.resource(reference);
    if (resource.data.scope === 'Cluster' || this.#nowhere.has(reference.uid)) return false;
    for await (const slice of entrySlices(this.#storage, NAMESPACES, { size: SLICE }))
      for (const { key } of slice) {
        const name = key.slice(NAMESPACES.length);
        if (name !== namespace && this.#owners.at(storageKey(resource, name, reference.name), reference.uid) !== undefined) return true;
      }
    if (this.#nowhere.size >= REMEMBERED) this.#nowhere.clear();
    this.#nowhere.add(reference.uid);
    return false;
  }

  async #writeEvent({ resource, namespace, name }: NamedObject, uid: string, reference: OwnerReference): Promise<void> {
    const events = this.#registry.current.resource('', 'v1', 'events');
    if (events === undefined) return;
    const { apiVersion, kind, name: ownerName, uid: ownerUid } = reference;
    const now = Date.now();
    const { hub } = await this.#writer.store(events);
    const { object } = hub.decode({
      metadata: { name: `${name}.${(BigInt(now) * 1_000_000n).toString(16)}`, namespace: namespace === '' ? 'default' : namespace },
      involvedObject: { kind: resource.data.kind, namespace, name, uid, apiVersion: resource.apiVersion },
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${ownerName}, uid: ${ownerUid}] does not exist in namespace "${namespace}"`,
      source: { component: COMPONENT },
      firstTimestamp: timestamp(now),
      lastTimestamp: timestamp(now),
      count: 1,
      type: 'Warning',
      reportingComponent: COMPONENT,
      reportingInstance: '',
    });
    try {
      await this.#writer.create(events, object);
    } catch (error) {
      // Events inform where they can, and hold nothing up: a namespace that goes takes no new ones.
      if (!(error instanceof StatusError)) throw error;
    }
  }
}

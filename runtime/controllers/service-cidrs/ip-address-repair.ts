/**
 * Compares services with the IPAddress objects of their addresses, as 1.32 does behind the gate MultiCIDRServiceAllocator: makes what is missing, removes
 * what nobody uses, and tells of what it cannot repair. A change of either makes it look at that object, and every three minutes it looks at all if
 * anything was written.
 *
 * An object is there before its service has the address, and some time after. So one that nobody uses goes when it was seen so, unchanged, for as long as a
 * request may take. 1.32 goes by the time at which the object was made: it may take one from an old service that is just being given it.
 */
import type { ApiObject } from '../../contract/object.ts';
import { type StoredAddress, storedAddress } from '../../registry/allocation/ip-addresses.ts';
import type { ServiceAddresses } from '../../registry/allocation/service-addresses.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storageKey, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import type { Change } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { EventRecorder, type Subject } from '../writes/event-recorder.ts';
import { type Finding, type FindService, findingsOf, leakOf, type ServiceFinding } from './address-checks.ts';

/** The milliseconds between two examinations of all objects, as in 1.32. */
const INTERVAL = 180_000;
/** The milliseconds for which an object is unused before it is removed, which is the time for a request in 1.32. */
const GRACE = 60_000;
/** The milliseconds until an object that somebody else has just made is examined. */
const SOON = 1_000;
/** The number of workers, as in 1.32. */
const WORKERS = 5;
/** The number of entries that are read in one turn. */
const SLICE = 64;
/** The source of events, as in 1.32. */
const NAME = 'ipallocator-repair-controller';

interface Suspect {
  readonly revision: number;
  /** when it was seen first, in milliseconds of the clock */
  readonly since: number;
}

export class IpAddressRepair implements Controller {
  readonly #server: ControllerServer;
  readonly #addresses: ServiceAddresses;
  readonly #prefix: string;
  readonly #clock: () => number;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;
  readonly #find: FindService;
  /** the objects that nobody uses, by their keys */
  readonly #suspects = new Map<string, Suspect>();
  /** what was logged about services that cannot be repaired, by their keys */
  readonly #logged = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #changed = true;
  #stopped = false;

  constructor(server: ControllerServer, addresses: ServiceAddresses, services: Resource, clock: () => number) {
    this.#server = server;
    this.#addresses = addresses;
    this.#prefix = storagePrefix(services, '');
    this.#clock = clock;
    this.#events = new EventRecorder(server, NAME);
    this.#find = (namespace, name) => this.#stored(storageKey(services, namespace, name))?.object;
    this.#queue = new WorkQueue({
      name: 'ipaddresses',
      metrics: server.metrics,
      workers: WORKERS,
      process: (key) => (key.startsWith(this.#prefix) ? this.#repairService(key) : this.#repairAddress(key)),
      failed: (key, error) => server.log.warn({ key, err: error }, 'the address of a service could not be repaired; it is tried again'),
    });
  }

  async list(): Promise<void> {
    this.#changed = true;
    if (this.#timer !== undefined || this.#stopped) return;
    this.#timer = setInterval(() => this.look(), INTERVAL).unref();
    void this.look();
  }

  changed({ key }: Change): void {
    const { cidrs, objects } = this.#addresses;
    const isLookedAt = key.startsWith(this.#prefix) || key.startsWith(objects.prefix);
    if (isLookedAt) this.#queue.add(key);
    this.#changed ||= isLookedAt || key.startsWith(cidrs.prefix);
  }

  /** Waits for what is under way; nothing more begins but that events are written which have come. */
  async rest(): Promise<void> {
    this.#stopped = true;
    await this.#queue.stop();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#looking;
    await this.#queue.stop();
    await this.#events.stop();
  }

  /** Resolves when everything was looked at, and what can be repaired now is; problems are logged. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error) => {
        this.#changed = true;
        this.#server.log.error({ err: error }, 'addresses of services could not be looked at');
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (!this.#changed) return;
    this.#changed = false;
    await this.#each(this.#prefix, (service) => findingsOf(service, this.#addresses, this.#find).length > 0);
    await this.#each(this.#addresses.objects.prefix, (object) => this.#leak(storedAddress(object, 0)) !== undefined);
    await this.#queue.idle();
  }

  /** Has those looked at that need it. */
  async #each(prefix: string, needsLook: (object: ApiObject) => boolean): Promise<void> {
    for await (const slice of entrySlices(this.#server.storage, prefix, { size: SLICE })) {
      for (const { key, value } of slice) if (needsLook(new StoredObject(value).parse())) this.#queue.add(key);
      if (this.#stopped) return;
    }
  }

  #stored(key: string): { object: ApiObject; revision: number } | undefined {
    const entry = this.#server.storage.get(key);
    return entry && { object: new StoredObject(entry.value).parse(), revision: entry.revision };
  }

  /** What others have made is theirs. */
  #leak(stored: StoredAddress): Finding | undefined {
    return this.#addresses.objects.isManaged(stored) ? leakOf(stored, this.#find) : undefined;
  }

  async #repairService(key: string): Promise<void> {
    const service = this.#stored(key)?.object;
    const found = service === undefined ? [] : findingsOf(service, this.#addresses, this.#find);
    if (service !== undefined) for (const each of found) await this.#repair(key, service, each);
    // What stays wrong is not logged again with each look.
    const lasting = found.filter(({ repair }) => repair === undefined).flatMap(({ finding }) => finding?.message ?? []);
    if (lasting.length === 0) this.#logged.delete(key);
    else if (this.#logged.get(key) !== lasting.join('\n')) {
      this.#logged.set(key, lasting.join('\n'));
      this.#server.log.warn({ service: key, problems: lasting }, 'a service should be created anew: it has what it cannot have');
    }
  }

  async #repair(key: string, service: ApiObject, { address, finding, repair }: ServiceFinding): Promise<void> {
    const { objects } = this.#addresses;
    const { namespace = '', name = '', uid = '' } = service.metadata;
    if (finding !== undefined) this.#record({ kind: 'Service', namespace, name, uid }, finding);
    if (repair === undefined) return;
    this.#server.log.warn({ service: key, address }, 'a service lacked the IPAddress of its address, which is made');
    if (repair !== 'create') await objects.delete(address, repair.uid);
    const created = await objects.create(address, service.metadata);
    if (created === undefined) this.#queue.addAfter(key, SOON);
  }

  async #repairAddress(key: string): Promise<void> {
    const found = this.#stored(key);
    const stored = found && storedAddress(found.object, found.revision);
    const leak = stored && this.#leak(stored);
    if (stored === undefined || leak === undefined) {
      this.#suspects.delete(key);
      return;
    }
    const wait = this.#suspected(key, stored.revision) + GRACE - this.#clock();
    if (wait > 0) {
      this.#queue.addAfter(key, wait);
      return;
    }
    const { group, version } = this.#addresses.cidrResource.groupVersion;
    this.#server.log.warn({ key }, 'an IPAddress that no service has is removed');
    this.#record({ apiVersion: `${group}/${version}`, kind: 'IPAddress', namespace: '', name: stored.name, uid: stored.uid }, leak);
    await this.#addresses.objects.delete(stored.name, stored.uid, stored.revision);
    this.#suspects.delete(key);
  }

  /** @returns since when nobody has used the object as it is */
  #suspected(key: string, revision: number): number {
    const before = this.#suspects.get(key);
    const since = before?.revision === revision ? before.since : this.#clock();
    this.#suspects.set(key, { revision, since });
    return since;
  }

  #record(subject: Subject, { reason, action, message }: Finding): void {
    this.#events.record({ subject, type: 'Warning', reason, action, message });
  }
}

/**
 * @param clock milliseconds, which only go forward
 * @returns undefined where addresses are given out without objects, or services are not served
 */
export function ipAddressRepair(server: ControllerServer, clock = () => performance.now()): IpAddressRepair | undefined {
  const services = server.registry.current.resource('', 'v1', 'services');
  return server.serviceAddresses && services && new IpAddressRepair(server, server.serviceAddresses, services, clock);
}

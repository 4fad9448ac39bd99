/** Publishes in which version this server stores each resource (KEP-2339): at the start, and every ten minutes again if somebody has changed the object. */
import { hostname } from 'node:os';
import { DATED_CLOCK, type DatedClock } from '../../client/work-queue/clock.ts';
import { turn } from '../../event-loop/turns.ts';
import { RecurringFailures } from '../../observability/recurring-failures.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storageKey } from '../../registry/resources/resource-keys.ts';
import type { RegisteredResource, ServerVersions } from '../../registry/storage-versions/registered-resources.ts';
import type { StorageVersionRegistration } from '../../registry/storage-versions/storage-version-registration.ts';
import { isAlreadyExists, isConflict, resourceText } from '../../status/status.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { identityName } from '../election/identity-lease.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { serverWriter } from '../writes/server-writer.ts';
import { withEntry } from './server-entries.ts';

/** All as in 1.32, in milliseconds. */
const LEASE_LOOK = 100;
const INTERVAL = 10 * 60 * 1_000;
const PAUSE = 1_000;
/** The number of failures of a resource after which the next one has its turn. Conflicts with other writers do not count. */
const TRIES = 3;

export interface StorageVersionResources {
  readonly storageVersions: Resource;
  readonly leases: Resource;
}

/** @returns undefined where one of them is not served */
export function storageVersionResources({ registry, identity }: Pick<ControllerServer, 'registry' | 'identity'>) {
  const storageVersions = registry.current.resource(identity.text('internal.apiserver.${groupDomain}'), 'v1alpha1', 'storageversions');
  const leases = registry.current.resource(identity.text('coordination.${groupDomain}'), 'v1', 'leases');
  return storageVersions && leases && { storageVersions, leases };
}

export interface UpdateSettings {
  /** the name of this machine */
  readonly host: string;
  readonly clock: DatedClock;
}

export class StorageVersionUpdates implements Controller {
  readonly #server: ControllerServer;
  readonly #registration: StorageVersionRegistration;
  readonly #resources: StorageVersionResources;
  readonly #clock: DatedClock;
  readonly #writer: ControllerWriter;
  /** the name of this server's lease, and of its entries */
  readonly #name: string;
  readonly #failures = new RecurringFailures();
  #running: Promise<void> | undefined;
  #stopped = false;
  #wake: () => void = () => {};

  constructor(
    server: ControllerServer,
    registration: StorageVersionRegistration,
    resources: StorageVersionResources,
    { host = hostname(), clock = DATED_CLOCK }: Partial<UpdateSettings> = {},
  ) {
    this.#server = server;
    this.#registration = registration;
    this.#resources = resources;
    this.#clock = clock;
    this.#writer = serverWriter(server);
    this.#name = identityName(server.identity, host);
  }

  /** The first round begins at the start; a listing that is made anew is none. */
  async list(): Promise<void> {
    this.#running ??= this.#run().catch((error) => this.#server.log.error({ err: error }, 'storage versions are not registered'));
  }

  /** What others make of the objects is put right in the next round. */
  changed(): void {}

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#writer.stop();
    this.#wake();
    await this.#running;
  }

  /** Entries of a server without a lease would be taken for those of one that is gone. */
  async #run(): Promise<void> {
    while (!this.#stopped && !this.#hasLease()) await this.#pause(LEASE_LOOK);
    const versions = await this.#registration.versions();
    while (!this.#stopped) {
      if (await this.#registerAll(versions)) this.#registration.complete();
      await this.#pause(INTERVAL);
    }
  }

  #hasLease(): boolean {
    const { leases } = this.#resources;
    return this.#server.storage.revisionOf(storageKey(leases, this.#server.identity.text('${systemNamespace}'), this.#name)) !== undefined;
  }

  /** @returns whether none has failed */
  async #registerAll(versions: ReadonlyMap<RegisteredResource, ServerVersions>): Promise<boolean> {
    let isComplete = true;
    for (const [resource, own] of versions) {
      await turn();
      if (this.#stopped) return false;
      const shown = resourceText(resource.groupResource);
      try {
        await this.#register(resource, own);
        this.#registration.succeeded(resource);
        this.#failures.succeeded(shown);
      } catch (error) {
        isComplete = false;
        this.#registration.failed(resource, error);
        if (!this.#stopped && this.#failures.isNew(shown, error))
          this.#server.log.error(
            { err: error, resource: shown },
            'the storage version of a resource could not be registered; it is tried again',
          );
      }
    }
    return isComplete;
  }

  async #register(resource: RegisteredResource, versions: ServerVersions): Promise<void> {
    for (let failures = 0; ; ) {
      try {
        return await this.#write(resource, versions);
      } catch (error) {
        if (!isConflict(error) && !isAlreadyExists(error)) failures++;
        await this.#pause(PAUSE);
        if (this.#stopped || failures === TRIES) throw error;
      }
    }
  }

  async #write({ groupResource: { group, resource } }: RegisteredResource, versions: ServerVersions): Promise<void> {
    const { storageVersions } = this.#resources;
    const object = { resource: storageVersions, namespace: '', name: `${group || 'core'}.${resource}` };
    const { encodingVersion, decodableVersions, servedVersions } = versions;
    const entry = {
      apiServerID: this.#name,
      encodingVersion,
      decodableVersions: [...decodableVersions],
      servedVersions: [...servedVersions],
    };
    if (this.#server.storage.revisionOf(storageKey(storageVersions, '', object.name)) === undefined)
      await this.#writer.create(storageVersions, {
        apiVersion: storageVersions.apiVersion,
        kind: storageVersions.data.kind,
        metadata: { name: object.name },
        spec: {},
        status: {},
      });
    await this.#writer.update(object, 'status', (old) => withEntry(old, entry, this.#clock.date()));
  }

  /** Resolves after that time, or when the controller stops. */
  #pause(milliseconds: number): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const callOff = this.#clock.after(milliseconds, resolve);
      this.#wake = () => {
        callOff();
        resolve();
      };
    });
  }
}

/** Keeps one object of the same name in every namespace that is not going: made where it is missing, put right where it was changed. */
import type { ApiObject } from '../contract/object.ts';
import type { Resource } from '../registry/resources/resource.ts';
import type { ObjectLookup } from '../registry/stored-objects/object-lookup.ts';
import { hasReason, isAlreadyExists, isNotFound } from '../status/status.ts';
import type { Change } from '../storage/storage.ts';
import type { Controller } from './controller/controller.ts';
import type { ControllerServer } from './controller/controller-server.ts';
import { entrySlices } from './controller/entry-slices.ts';
import { RepairPauses } from './controller/repair-pauses.ts';
import { WorkQueue } from './controller/work-queue.ts';
import { ControllerWriter } from './writes/controller-writer.ts';

export interface NamespaceObject {
  readonly resource: 'serviceaccounts' | 'configmaps';
  readonly name: string;
  /** its members besides name and namespace */
  readonly members: Partial<ApiObject>;
  /** @returns the object as it should be, or undefined where it is right; never changes its argument */
  repaired(object: ApiObject): ApiObject | undefined;
}

const NAMESPACES = 'namespaces/';
/** Namespaces that are emptied at a time: half as many as in 1.32, since one thread does the work. */
const WORKERS = 5;
/** The number of namespaces that are examined in one turn while listing. */
const SLICE = 500;

export class NamespaceObjects implements Controller {
  readonly #server: ControllerServer;
  readonly #kept: NamespaceObject;
  readonly #resource: Resource;
  readonly #objects: ObjectLookup;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  readonly #pauses = new RepairPauses();
  #isContestTold = false;

  constructor(server: ControllerServer, kept: NamespaceObject) {
    const resource = server.registry.current.resource('', 'v1', kept.resource);
    if (resource === undefined) throw new Error(`--controllers: ${kept.resource} are not served`);
    this.#server = server;
    this.#kept = kept;
    this.#resource = resource;
    this.#objects = server.objects;
    this.#writer = new ControllerWriter(server);
    this.#queue = new WorkQueue({
      name: `${kept.resource}/${kept.name}`,
      metrics: server.metrics,
      workers: WORKERS,
      process: (namespace) => this.#sync(namespace),
      failed: (namespace, error) => server.log.warn({ namespace, err: error }, `${kept.resource}/${kept.name} could not be kept`),
    });
  }

  async list(revision: number): Promise<void> {
    for await (const slice of entrySlices(this.#server.storage, NAMESPACES, { size: SLICE, atRevision: revision }))
      for (const { key } of slice) this.#queue.add(key.slice(NAMESPACES.length));
  }

  changed({ key, operation }: Change): void {
    if (key.startsWith(NAMESPACES)) {
      const namespace = key.slice(NAMESPACES.length);
      if (operation === 'delete') this.#pauses.forget(namespace);
      else this.#queue.add(namespace);
      return;
    }
    const { resource, name } = this.#kept;
    if (key.startsWith(`${resource}/`) && key.endsWith(`/${name}`)) this.#queue.add(key.slice(resource.length + 1, -name.length - 1));
  }

  stop(): Promise<void> {
    this.#writer.stop();
    return this.#queue.stop();
  }

  async #sync(namespace: string): Promise<void> {
    const owner = this.#objects.get('namespaces', '', namespace);
    if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) return;
    const { resource, name, repaired } = this.#kept;
    const object = this.#objects.get(resource, namespace, name);
    try {
      if (object === undefined) await this.#create(namespace);
      else if (repaired(object) !== undefined) await this.#repair(namespace);
    } catch (error) {
      if (!isSettled(error)) throw error;
    }
  }

  async #repair(namespace: string): Promise<void> {
    const { name, repaired } = this.#kept;
    const pause = this.#pauses.begin(namespace);
    if (pause > 0) return this.#queue.addAfter(namespace, pause);
    if (this.#pauses.isContested(namespace)) this.#tellContest(namespace);
    await this.#writer.update({ resource: this.#resource, namespace, name }, 'object', (old) => repaired(old) ?? old);
  }

  #tellContest(namespace: string): void {
    if (this.#isContestTold) return;
    this.#isContestTold = true;
    const { resource, name } = this.#kept;
    this.#server.log.warn(
      { namespace },
      `somebody else changes ${resource}/${name} back again and again: servers of one store need the same authority, as by a copy of one --cert-dir; ` +
        'if another program keeps it, leave its controller out of --controllers',
    );
  }

  async #create(namespace: string): Promise<void> {
    const { members, name } = this.#kept;
    const { hub } = await this.#writer.store(this.#resource);
    const metadata = { ...members.metadata, name, namespace };
    await this.#writer.create(this.#resource, hub.decode({ ...members, metadata }).object as ApiObject);
  }
}

/** The namespace or the object has gone or come meanwhile: the change that did it is looked at by itself. */
function isSettled(error: unknown): boolean {
  return isNotFound(error) || isAlreadyExists(error) || hasReason(error, 'Forbidden');
}

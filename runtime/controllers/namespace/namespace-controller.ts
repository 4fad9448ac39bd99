/** Empties namespaces that are deleted, says in their status how far it is, and lets them go (specification: Deleting a namespace). */
import type { ApiObject } from '../../contract/object.ts';
import { RecurringFailures } from '../../observability/recurring-failures.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { type NamedObject, ResourceKeys, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { copyValue } from '../../schema/copy.ts';
import { isNotFound } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';
import { namespaceConditions, setNamespaceConditions } from './conditions.ts';
import { NamespaceContent } from './content.ts';

const PREFIX = 'namespaces/';
/** Keeps a namespace until this controller has emptied it. */
const FINALIZER = 'kubernetes';
const WORKERS = 10;
/** The number of namespaces that are examined in one turn while listing. */
const SLICE = 500;
/** The milliseconds after which a removed namespace is searched for objects that were being created at that time. */
const LATE_CONTENT = 5_000;

/** Objects could not be deleted, or are still there although nothing is known that they wait for. */
class NotEmptied extends Error {}

/** What a namespace waits for. */
interface Left {
  /** the number of objects */
  count: number;
  /** the prefix of their keys; empty for objects of any resource */
  readonly prefix: string;
}

export class NamespaceController implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource;
  readonly #keys: ResourceKeys;
  readonly #writer: ControllerWriter;
  readonly #content: NamespaceContent;
  readonly #queue: WorkQueue;
  /** what namespaces wait for, by their names */
  readonly #left = new Map<string, Left>();
  readonly #failures = new RecurringFailures();

  constructor(server: ControllerServer) {
    const resource = server.registry.current.resource('', 'v1', 'namespaces');
    if (resource === undefined) throw new Error('--controllers: namespaces are not served');
    this.#server = server;
    this.#resource = resource;
    this.#keys = new ResourceKeys(server.registry);
    this.#writer = new ControllerWriter(server);
    this.#content = new NamespaceContent(server, this.#keys, this.#writer);
    this.#queue = new WorkQueue({
      name: 'namespace',
      metrics: server.metrics,
      workers: WORKERS,
      process: (name) => this.#sync(name),
      failed: (namespace, error) => this.#tellFailure(namespace, error),
    });
  }

  async list(revision: number): Promise<void> {
    this.#left.clear();
    for await (const slice of entrySlices(this.#server.storage, PREFIX, { size: SLICE, atRevision: revision }))
      for (const { key, value } of slice) if (new StoredObject(value).deleting) this.#queue.add(key.slice(PREFIX.length));
  }

  changed(change: Change): void {
    const { key, operation } = change;
    if (!key.startsWith(PREFIX)) {
      if (operation === 'delete' && this.#left.size > 0) this.#countDown(key, this.#keys.parse(key)?.namespace ?? '');
      return;
    }
    const name = key.slice(PREFIX.length);
    if (operation === 'delete') this.#forget(name);
    else if (new StoredObject(change.value).deleting && !wasDeleting(change)) this.#queue.add(name);
  }

  #tellFailure(namespace: string, error: unknown): void {
    if (!this.#failures.isNew(namespace, error)) return;
    const reason = error instanceof NotEmptied ? { problem: error.message } : { err: error };
    this.#server.log.warn({ namespace, ...reason }, 'a namespace is not empty yet; it is tried again');
  }

  #forget(name: string): void {
    this.#left.delete(name);
    this.#failures.succeeded(name);
    this.#queue.addAfter(name, LATE_CONTENT);
  }

  #countDown(key: string, namespace: string): void {
    const left = this.#left.get(namespace);
    if (left === undefined || !key.startsWith(left.prefix)) return;
    left.count--;
    if (left.count > 0) return;
    this.#left.delete(namespace);
    this.#queue.add(namespace);
  }

  /** @throws NotEmptied when objects could not be deleted: it is tried again later */
  async #sync(name: string): Promise<void> {
    const namespace = this.#read(name);
    if (namespace === undefined) return void (await this.#content.deleteHere(name, 0));
    const { deletionTimestamp } = namespace.metadata;
    if (deletionTimestamp === undefined || (namespace.spec?.finalizers ?? []).length === 0) return;
    try {
      const deletedFor = (Date.now() - Date.parse(deletionTimestamp)) / 1000;
      const found = await this.#content.delete(name, deletedFor);
      await this.#reportConditions(name, namespaceConditions(found));
      const problems = [...(found.undiscovered === undefined ? [] : [found.undiscovered]), ...found.failures];
      if (problems.length > 0) throw new NotEmptied(problems.join(', '));
      const count = found.remaining.size === 0 ? 0 : this.#content.count(name, found.first);
      if (found.first !== undefined && count === 0) return this.#queue.add(name);
      if (count + found.elsewhere === 0) return await this.#finalize(name);
      const prefix = found.first === undefined ? '' : storagePrefix(found.first, name);
      if (count > 0 && found.elsewhere === 0) this.#left.set(name, { count, prefix });
      this.#queue.addAfter(name, (found.estimate / 2 + 1) * 1000);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #read(name: string): ApiObject | undefined {
    const entry = this.#server.storage.get(`${PREFIX}${name}`);
    return entry === undefined ? undefined : new StoredObject(entry.value).parse();
  }

  async #reportConditions(name: string, outcomes: ReturnType<typeof namespaceConditions>): Promise<void> {
    await this.#writer.update(this.#object(name), 'status', (old) => {
      const namespace = copyValue(old);
      setNamespaceConditions(namespace, outcomes, Date.now());
      namespace.status.phase = 'Terminating';
      return namespace;
    });
  }

  async #finalize(name: string): Promise<void> {
    await this.#writer.update(this.#object(name), { part: 'finalize' }, (old) => {
      const namespace = copyValue(old);
      const finalizers = (old.spec?.finalizers ?? []).filter((finalizer: string) => finalizer !== FINALIZER);
      namespace.spec = { ...namespace.spec, finalizers };
      if (finalizers.length === 0) delete namespace.spec.finalizers;
      return namespace;
    });
  }

  #object(name: string): NamedObject {
    return { resource: this.#resource, namespace: '', name };
  }

  stop(): Promise<void> {
    this.#writer.stop();
    return this.#queue.stop();
  }
}

function wasDeleting({ previousValue }: Change): boolean {
  return previousValue !== undefined && new StoredObject(previousValue).deleting;
}

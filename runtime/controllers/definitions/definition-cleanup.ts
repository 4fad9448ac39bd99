/**
 * Deletes the objects of a definition that is being deleted; the finalizer that holds the definition goes when they have gone. A definition of a kind that the
 * schemas have meanwhile goes alone: the objects are theirs.
 */
import type { ApiObject } from '../../contract/object.ts';
import { EMPTIED } from '../../custom-resources/emptied-definition.ts';
import { outlineOf } from '../../custom-resources/stored-definition.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { type NamedObject, storageKey, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { isNotFound, StatusError } from '../../status/status.ts';
import { type Change, prefixEnd } from '../../storage/storage.ts';
import { type Condition, hasCondition, reasonOf, statusOf, withCondition } from '../conditions/conditions.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { serverWriter } from '../writes/server-writer.ts';

/** The milliseconds for which it waits for the last object, as in 1.32. */
const PATIENCE = 60_000;
const TYPE = 'Terminating';
const IN_PROGRESS: Condition = {
  type: TYPE,
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
/** @param problem without a full stop */
const failed = (problem: string): Condition => ({ type: TYPE, status: 'True', reason: 'InstanceDeletionFailed', message: problem });
const REMAINING: Condition = {
  type: TYPE,
  status: 'True',
  reason: 'InstanceDeletionCheck',
  message: 'could not confirm zero CustomResources remaining: timed out waiting for the condition',
};
const OVERLAPPING: Condition = {
  type: TYPE,
  status: 'False',
  reason: 'OverlappingBuiltInResource',
  message: 'instances overlap with built-in resources in storage',
};
const NEVER_ESTABLISHED: Condition = { type: TYPE, status: 'False', reason: 'NeverEstablished', message: 'resource was never established' };

const hasFailed = (definition: ApiObject): boolean => reasonOf(definition, TYPE) === 'InstanceDeletionFailed';
const isTold = (definition: ApiObject): boolean => hasFailed(definition) || hasCondition(definition, REMAINING);

/** @returns undefined where definitions are not served */
export function definitionCleanup(server: ControllerServer, patience = PATIENCE): DefinitionCleanup | undefined {
  const { text } = server.identity;
  const resource = server.registry.current.resource(text('apiextensions.${groupDomain}'), 'v1', 'customresourcedefinitions');
  return resource && new DefinitionCleanup(server, resource, text('customresourcecleanup.apiextensions.${groupDomain}'), patience);
}

export class DefinitionCleanup implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource;
  readonly #finalizer: string;
  readonly #prefix: string;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  /** names of definitions, by the keys of the objects that they wait for */
  readonly #waiting = new Map<string, string>();
  /** when their objects were first found to remain, by the names of definitions: of the process, in milliseconds */
  readonly #since = new Map<string, number>();
  readonly #patience: number;

  /** @param patience milliseconds for which objects may remain until that is told */
  constructor(server: ControllerServer, resource: Resource, finalizer: string, patience: number) {
    this.#patience = patience;
    this.#server = server;
    this.#resource = resource;
    this.#finalizer = finalizer;
    this.#prefix = storagePrefix(resource, '');
    this.#writer = serverWriter(server);
    this.#queue = new WorkQueue({
      name: 'crd_finalizer',
      metrics: server.metrics,
      workers: 5,
      process: (name) => this.#process(name),
      failed: (name, error) => server.log.warn({ err: error, name }, 'objects of a definition could not be deleted; it is tried again'),
    });
  }

  async list(): Promise<void> {
    this.#waiting.clear();
    this.#since.clear();
    for (const { key, value } of this.#server.storage.range({ start: this.#prefix, end: prefixEnd(this.#prefix) }))
      if (new StoredObject(value).deleting) this.#queue.add(key.slice(this.#prefix.length));
  }

  changed({ key, operation }: Change): void {
    if (key.startsWith(this.#prefix)) this.#queue.add(key.slice(this.#prefix.length));
    if (operation !== 'delete') return;
    for (const [prefix, name] of this.#waiting) if (key.startsWith(prefix)) this.#queue.add(name);
  }

  async stop(): Promise<void> {
    this.#writer.stop();
    await this.#queue.stop();
  }

  #isHeld({ metadata }: Pick<ApiObject, 'metadata'>): boolean {
    return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(this.#finalizer);
  }

  /** Returns a definition that is being deleted; undefined for any other one, which it does not read. */
  #ending(name: string): ApiObject | Promise<ApiObject> | undefined {
    const { storage } = this.#server;
    const key = storageKey(this.#resource, '', name);
    if (storage.look(key, ({ value }) => new StoredObject(value).deleting) !== true) return undefined;
    const entry = storage.get(key);
    return entry && outlineOf(new StoredObject(entry.value));
  }

  async #process(name: string): Promise<void> {
    const definition = await this.#ending(name);
    if (definition === undefined || !this.#isHeld(definition)) return void this.#since.delete(name);
    const prefix = `${definition.spec.group}/${definition.status?.acceptedNames?.plural ?? definition.spec.names.plural}/`;
    try {
      if (this.#server.registry.current.ownsPrefix(prefix.slice(0, -1))) await this.#release(name, OVERLAPPING);
      else if (statusOf(definition, 'Established') !== 'True') await this.#release(name, NEVER_ESTABLISHED);
      else if (await this.#deleteAll(definition, prefix)) await this.#release(name, EMPTIED);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** @returns whether none are left and none will come; otherwise the last one's end asks again, or what was told */
  async #deleteAll(definition: ApiObject, prefix: string): Promise<boolean> {
    const { name = '' } = definition.metadata;
    this.#waiting.set(prefix, name);
    if (hasCondition(definition, EMPTIED) && this.#isEmpty(prefix)) return true;
    // what is wrong is told until that is known to have changed: telling it asks for the next look
    if (!isTold(definition)) await this.#tell(name, IN_PROGRESS);
    if (this.#isEmpty(prefix)) return this.#close(name, prefix);
    // it may have been established a moment ago
    await this.#server.definitionsUnderWay?.();
    const { current } = this.#server.registry;
    const resource = current.storedAt(prefix.slice(0, -1)) ?? current.unservedAt(prefix.slice(0, -1));
    if (resource === undefined) throw new Error(`${prefix} is not known to this process yet`);
    try {
      await this.#writer.deleteCollection(resource, '', {}, { skipsAdmission: true });
    } catch (error) {
      if (error instanceof StatusError && !hasFailed(definition))
        await this.#tell(name, failed(`could not list instances: ${error.message}`));
      throw error;
    }
    if (this.#isEmpty(prefix)) return this.#close(name, prefix);
    await this.#tellRemaining(definition, name);
    return false;
  }

  /**
   * Ends creations by updates, which go on while a definition is being deleted: what one of them stored since the last look would be there when a later
   * definition has the name. 1.32 says so with the finalizer's end alone, and leaves such objects.
   */
  async #close(name: string, prefix: string): Promise<boolean> {
    await this.#tell(name, EMPTIED);
    await this.#server.storage.barrier();
    return this.#isEmpty(prefix);
  }

  /** Once that has been so for a while. */
  async #tellRemaining(definition: ApiObject, name: string): Promise<void> {
    const now = performance.now();
    const since = this.#since.get(name) ?? now;
    this.#since.set(name, since);
    const left = since + this.#patience - now;
    if (left > 0) {
      this.#queue.addAfter(name, left);
      if (hasFailed(definition)) await this.#tell(name, IN_PROGRESS);
    } else if (!hasCondition(definition, REMAINING)) await this.#tell(name, REMAINING);
  }

  async #tell(name: string, condition: Condition): Promise<void> {
    await this.#edit(name, (old) => (hasCondition(old, condition) ? old : withCondition(old, condition, Date.now())));
  }

  #isEmpty(start: string): boolean {
    for (const _ of this.#server.storage.range({ start, end: prefixEnd(start), limit: 1 })) return false;
    return true;
  }

  /**
   * The last condition, where it is not told yet, is told with the finalizer's end, in one write, as in 1.32: one that is refused changes nothing that would ask for the next. It is
   * one of the status, which asks for no more of the definition than 1.32 does: what its status says of stored versions may be wrong.
   */
  async #release(name: string, condition: Condition): Promise<void> {
    await this.#edit(name, (old) => {
      const edited = withCondition(old, condition, Date.now());
      edited.metadata.finalizers = (old.metadata.finalizers ?? []).filter((each) => each !== this.#finalizer);
      return edited;
    });
    this.#since.delete(name);
    for (const [prefix, waiting] of this.#waiting) if (waiting === name) this.#waiting.delete(prefix);
  }

  #edit(name: string, edit: (old: ApiObject) => ApiObject): Promise<ApiObject> {
    const object: NamedObject = { resource: this.#resource, namespace: '', name };
    return this.#writer.editStatus(object, (old) => (this.#isHeld(old) ? edit(old) : old));
  }
}

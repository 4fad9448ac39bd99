/** Keeps one condition of all objects of a resource that has no namespaces and few objects. */
import type { ApiObject } from '../../contract/object.ts';
import { timestamp } from '../../registry/resource-store/strategy.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storageKey, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { isNotFound } from '../../status/status.ts';
import { type Change, prefixEnd, type Storage } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { serverWriter } from '../writes/server-writer.ts';
import { type Condition, hasCondition } from './conditions.ts';

export interface ConditionSource {
  readonly resource: Resource;
  /** resources that the condition depends on besides */
  readonly others: readonly Resource[];
  /** owner of the condition's fields */
  readonly manager: string;
  /** Reads what judging one object or all of them needs. @returns what an object's condition is to be; undefined: it stays as it is */
  round(): (object: ApiObject) => Condition | undefined;
}

/** The milliseconds from a change of something else to the round that it causes, which covers all changes in between. */
const GATHERING = 20;
/** The key that stands for all objects, while the name of an object stands for that object. */
const ROUND = '';

export class ConditionController implements Controller {
  readonly #server: ControllerServer;
  readonly #source: ConditionSource;
  readonly #prefix: string;
  readonly #others: readonly string[];
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;

  constructor(server: ControllerServer, source: ConditionSource) {
    this.#server = server;
    this.#source = source;
    this.#prefix = storagePrefix(source.resource, '');
    this.#others = source.others.map((resource) => storagePrefix(resource, ''));
    this.#writer = serverWriter(server, source.manager);
    this.#queue = new WorkQueue({
      name: source.resource.data.name,
      metrics: server.metrics,
      workers: 1,
      process: (name) => this.#process(name),
      failed: (_key, error) =>
        server.log.error({ err: error }, `conditions of ${source.resource.data.name} could not be written; they are tried again`),
    });
  }

  async list(): Promise<void> {
    this.#queue.add(ROUND);
  }

  changed({ key }: Change): void {
    if (key.startsWith(this.#prefix)) this.#queue.add(key.slice(this.#prefix.length));
    else if (this.#others.some((prefix) => key.startsWith(prefix))) this.#queue.addAfter(ROUND, GATHERING);
  }

  /** Resolves when nothing is left to do. */
  settled(): Promise<void> {
    return this.#queue.idle();
  }

  async stop(): Promise<void> {
    this.#writer.stop();
    await this.#queue.stop();
  }

  async #process(name: string): Promise<void> {
    const { resource, round } = this.#source;
    const { storage } = this.#server;
    const objects = name === ROUND ? storedObjects(storage, resource) : [storedObject(storage, resource, '', name)];
    const conditionOf = round();
    for (const object of objects) {
      const condition = object && conditionOf(object);
      if (condition !== undefined && !hasCondition(object as ApiObject, condition)) await this.#write(object as ApiObject, condition);
    }
  }

  /** Applies it, so that it owns this condition alone, whoever else has conditions there. */
  async #write({ metadata }: ApiObject, condition: Condition): Promise<void> {
    const object = { resource: this.#source.resource, namespace: '', name: metadata.name ?? '' };
    try {
      await this.#writer.applyStatus(object, { conditions: [{ ...condition, lastTransitionTime: timestamp(Date.now()) }] });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** All objects of a resource with few of them, as they are stored. */
export function storedObjects(storage: Storage, resource: Resource): ApiObject[] {
  const start = storagePrefix(resource, '');
  return Array.from(storage.range({ start, end: prefixEnd(start) }), ({ value }) => new StoredObject(value).parse());
}

/** @returns undefined for an object that is not there */
export function storedObject(storage: Storage, resource: Resource, namespace: string, name: string): ApiObject | undefined {
  const entry = storage.get(storageKey(resource, namespace, name));
  return entry && new StoredObject(entry.value).parse();
}

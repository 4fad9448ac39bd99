/** Keeps an APIService for each group version that definitions of resources have, while they have it, as 1.32's registration of custom resources does. */
import type { ApiObject } from '../../contract/object.ts';
import { eachInTurns, turn } from '../../event-loop/turns.ts';
import { GROUP_PRIORITY, VERSION_PRIORITY } from '../../registry/resources/defined-resources.ts';
import type { RegistrySnapshot } from '../../registry/resources/registry-snapshot.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storageKey, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { isAlreadyExists, isNotFound } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import { apiServiceResource, isManaged, managedLabel } from '../../system-objects/api-services.ts';
import { storedObject } from '../conditions/condition-controller.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { serverWriter } from '../writes/server-writer.ts';

/** Milliseconds from a change of definitions to the round that it makes; changes in between are part of it. */
const GATHERING = 20;
/** Milliseconds for which an APIService may be there without its definition. */
const PATIENCE = 500;
/** The number of APIServices that are examined in one turn. */
const SLICE = 250;
/** The key that stands for all names, while any other key stands for one name. */
const ROUND = '';

interface Spec {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

/** @returns undefined where APIServices are not served */
export function definitionApiServices(server: ControllerServer): DefinitionApiServices | undefined {
  const { group, version, name } = apiServiceResource(server.identity);
  const resource = server.registry.current.resource(group, version, name);
  return resource && new DefinitionApiServices(server, resource);
}

export class DefinitionApiServices implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource;
  readonly #prefix: string;
  readonly #label: Readonly<Record<string, string>>;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  readonly #endListening: () => void;
  /** names that no definition had a moment ago */
  readonly #unwanted = new Set<string>();
  /** the APIServices that were found to be right, by name, so that a round, which examines all, need not parse them again */
  readonly #kept = new Map<string, { readonly revision: number; readonly spec: Spec }>();

  constructor(server: ControllerServer, resource: Resource) {
    this.#server = server;
    this.#resource = resource;
    this.#prefix = storagePrefix(resource, '');
    this.#label = managedLabel(server.identity, 'always');
    this.#writer = serverWriter(server);
    this.#queue = new WorkQueue({
      name: 'autoregister',
      metrics: server.metrics,
      workers: 1,
      process: async (name) => (name === ROUND ? this.#round() : this.#settle(name, specOf(await this.#latest(), name))),
      failed: (name, error) =>
        server.log.error({ err: error, apiService: name }, 'an APIService of definitions could not be kept; it is tried again'),
    });
    this.#endListening = server.registry.onSwap(() => this.#queue.addAfter(ROUND, GATHERING));
  }

  async list(): Promise<void> {
    this.#queue.add(ROUND);
  }

  changed({ key, value }: Change): void {
    if (!key.startsWith(this.#prefix)) return;
    const name = key.slice(this.#prefix.length);
    if (this.#isKept(new StoredObject(value)) || specOf(this.#server.registry.current, name) !== undefined) this.#queue.add(name);
  }

  /** Tells whether this controller keeps an object. It does not parse the object, because it keeps only a few. */
  #isKept(stored: StoredObject): boolean {
    return Object.entries(this.#label).every(([key, value]) => stored.label(key) === value);
  }

  async stop(): Promise<void> {
    this.#endListening();
    this.#writer.stop();
    await this.#queue.stop();
  }

  /** What is served at the store's revision of now. */
  async #latest(): Promise<RegistrySnapshot> {
    const { registry, latestRegistry, definitionsUnderWay } = this.#server;
    latestRegistry?.();
    await definitionsUnderWay?.();
    return registry.current;
  }

  async #round(): Promise<void> {
    const latest = await this.#latest();
    const names = new Set<string>();
    await eachInTurns(latest.groupVersions, ({ group, version, folder }) => {
      if (folder === '') names.add(`${version}.${group}`);
    });
    for await (const slice of entrySlices(this.#server.storage, this.#prefix, { size: SLICE }))
      for (const { key, value } of slice) if (this.#isKept(new StoredObject(value))) names.add(key.slice(this.#prefix.length));
    let looked = 0;
    for (const name of names) {
      await this.#settle(name, specOf(latest, name));
      if (++looked % SLICE === 0) await turn();
    }
  }

  /** What somebody else has made under the name stays as it is. */
  async #settle(name: string, spec: Spec | undefined): Promise<void> {
    const { storage } = this.#server;
    const revision = storage.revisionOf(`${this.#prefix}${name}`);
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.revision === revision && deepEqual(kept.spec, spec)) return;
    this.#kept.delete(name);
    const stored = storedObject(storage, this.#resource, '', name);
    if (stored === undefined) {
      if (spec !== undefined) await this.#create(name, spec);
      return;
    }
    if (!isManaged(stored, this.#server.identity, 'always')) return;
    if (spec !== undefined) this.#unwanted.delete(name);
    else if (this.#unwanted.delete(name)) return this.#delete(stored);
    else return this.#lookAgain(name);
    if (!deepEqual(stored.spec, spec)) return this.#update(stored, spec);
    if (revision !== undefined) this.#kept.set(name, { revision, spec });
  }

  /** A definition that is about to be served has its APIServices before that is seen. */
  #lookAgain(name: string): void {
    this.#unwanted.add(name);
    this.#queue.addAfter(name, PATIENCE);
  }

  #create(name: string, spec: Spec): Promise<void> {
    return createApiService(this.#writer, this.#resource, { name, labels: { ...this.#label } }, spec);
  }

  async #update({ metadata: { name = '', uid } }: ApiObject, spec: Spec): Promise<void> {
    try {
      await this.#writer.update({ resource: this.#resource, namespace: '', name }, 'object', (old) =>
        old.metadata.uid === uid && isManaged(old, this.#server.identity, 'always') ? { ...old, spec: { ...spec } } : old,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #delete({ metadata: { name = '', uid } }: ApiObject): Promise<void> {
    try {
      await this.#writer.delete({ resource: this.#resource, namespace: '', name }, { preconditions: { ...(uid && { uid }) } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Creates an APIService, unless there is one of its name. */
async function createApiService(writer: ControllerWriter, resource: Resource, metadata: ApiObject['metadata'], spec: Spec): Promise<void> {
  const { apiVersion, data } = resource;
  try {
    await writer.create(resource, { kind: data.kind, apiVersion, metadata, spec: { ...spec } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/**
 * Makes the APIServices of a definition that is about to be served, where they are not there: who sees its resources served finds nothing else written
 * for that afterwards.
 */
export async function announceDefinition(server: ControllerServer, writer: ControllerWriter, { spec }: ApiObject): Promise<void> {
  const { group: ownGroup, version: ownVersion, name: ownName } = apiServiceResource(server.identity);
  const resource = server.registry.current.resource(ownGroup, ownVersion, ownName);
  if (resource === undefined) return;
  const group: string = spec.group;
  const versions: readonly { readonly name: string; readonly served?: boolean }[] = spec.versions ?? [];
  let looked = 0;
  for (const { name: version, served } of versions) {
    if (++looked % SLICE === 0) await turn();
    const name = `${version}.${group}`;
    if (served !== true || server.storage.revisionOf(storageKey(resource, '', name)) !== undefined) continue;
    const priorities = { groupPriorityMinimum: GROUP_PRIORITY, versionPriority: VERSION_PRIORITY };
    await createApiService(
      writer,
      resource,
      { name, labels: { ...managedLabel(server.identity, 'always') } },
      { group, version, ...priorities },
    );
  }
}

/** @param name of an APIService. @returns undefined where no definition has its version */
function specOf(served: RegistrySnapshot, name: string): Spec | undefined {
  const dot = name.indexOf('.');
  const [version, group] = [name.slice(0, dot), name.slice(dot + 1)];
  if (dot < 0 || !served.definesVersion(group, version)) return undefined;
  return { group, version, groupPriorityMinimum: GROUP_PRIORITY, versionPriority: VERSION_PRIORITY };
}

/** Makes and repairs the objects of the system. */
import type { RuleContext } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import type { FieldManagers } from '../registry/field-managers.ts';
import type { Registry, Resource } from '../registry/registry.ts';
import { storageKey, storagePrefix } from '../registry/resource-keys.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import { StoredObject } from '../registry/stored-object.ts';
import { copyValue } from '../schema/copy.ts';
import { isAlreadyExists, isNotFound } from '../status/status.ts';
import { prefixEnd, type Storage } from '../storage/storage.ts';
import type { SystemObject } from './system-object.ts';

/** The parts of a server that are needed. */
export interface Ensuring {
  readonly registry: Registry;
  readonly storage: Storage;
  store(resource: Resource): ResourceStore | Promise<ResourceStore>;
  ruleContext(dryRun: boolean): RuleContext;
  readonly fieldManagers: FieldManagers;
}

/** Writes what differs, all at once, so that it shares transactions of the store; with nothing to write it loads no kinds. */
export async function ensureObjects(server: Ensuring, objects: readonly SystemObject[]): Promise<void> {
  await Promise.all(objects.map((object) => ensureObject(server, object)));
}

async function ensureObject(server: Ensuring, object: SystemObject): Promise<void> {
  const { group, version, name: plural } = object.resource;
  const resource = server.registry.resource(group, version, plural);
  if (resource === undefined) return;
  const entry = server.storage.get(storageKey(resource, '', object.metadata.name));
  if (entry === undefined) return create(server, resource, object);
  if (object.repair?.(new StoredObject(entry.value).parse()) !== undefined) return repair(server, resource, object);
}

async function create(server: Ensuring, resource: Resource, { metadata, members }: SystemObject): Promise<void> {
  const store = await server.store(resource);
  const { object } = store.hub.decode(copyValue({ metadata, ...members }));
  await server.fieldManagers.ownedByServer(store, undefined, object);
  try {
    await store.create(object, server.ruleContext(false), nothing);
  } catch (error) {
    // Another process that started at the same time was faster.
    if (!isAlreadyExists(error)) throw error;
  }
}

async function repair(server: Ensuring, resource: Resource, object: SystemObject): Promise<void> {
  const store = await server.store(resource);
  const produce = async (old: ApiObject): Promise<ApiObject> => {
    const repaired = copyValue(object.repair?.(old) ?? old);
    await server.fieldManagers.ownedByServer(store, old, repaired);
    return repaired;
  };
  try {
    await store.update('', object.metadata.name, produce, {
      target: 'object',
      context: server.ruleContext(false),
      admit: nothing,
      retry: true,
      checkUid: false,
    });
  } catch (error) {
    // Deleted meanwhile: the next round makes it again.
    if (!isNotFound(error)) throw error;
  }
}

/** Those of `prefix` that `select` takes, deleted. */
export async function deleteObjects(server: Ensuring, resource: Resource, select: (object: ApiObject) => boolean): Promise<void> {
  const prefix = storagePrefix(resource, '');
  const names: string[] = [];
  for (const { value } of server.storage.range({ start: prefix, end: prefixEnd(prefix) })) {
    const object = new StoredObject(value).parse();
    if (select(object)) names.push(object.metadata.name ?? '');
  }
  if (names.length === 0) return;
  const store = await server.store(resource);
  for (const name of names)
    await store.delete('', name, {}, server.ruleContext(false), nothing).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
}

const nothing = async (): Promise<void> => {};

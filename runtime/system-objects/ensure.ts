/** Makes and repairs the objects of the system. */
import type { RuleContext } from '../contract/kind-rules.ts';
import type { ApiObject } from '../contract/object.ts';
import type { FieldManagers } from '../registry/resource-store/field-managers.ts';
import type { ResourceStore } from '../registry/resource-store/resource-store.ts';
import type { Registry } from '../registry/resources/registry.ts';
import type { Resource } from '../registry/resources/resource.ts';
import { storageKey, storagePrefix } from '../registry/resources/resource-keys.ts';
import { StoredObject } from '../registry/stored-objects/stored-object.ts';
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

/**
 * Writes what differs, all at once, so that it shares transactions of the store; with nothing to write it loads no kinds.
 * @returns the keys of all whose resources are served
 */
export async function ensureObjects(server: Ensuring, objects: readonly SystemObject[]): Promise<string[]> {
  const keys = await Promise.all(objects.map((object) => ensureObject(server, object)));
  return keys.filter((key) => key !== undefined);
}

/** Reads the stored bytes themselves. @returns its key; undefined where its resource is not served */
async function ensureObject(server: Ensuring, object: SystemObject): Promise<string | undefined> {
  const { group, version, name: plural } = object.resource;
  const resource = server.registry.current.resourceOfForm(group, version, plural);
  if (resource === undefined) return undefined;
  const { namespace = '', name } = object.metadata;
  const key = storageKey(resource, namespace, name);
  const entry = server.storage.get(key);
  const wanted = entry && object.repair?.(new StoredObject(entry.value).parse());
  if (entry === undefined) await create(server, resource, object, asModelled(server, resource, object));
  else if (wanted === 'recreate') await recreate(server, resource, object);
  else if (wanted !== undefined) await repair(server, resource, object);
  return key;
}

/** What a missing object is made of. */
function asModelled({ storage }: Ensuring, resource: Resource, object: SystemObject): Pick<SystemObject, 'metadata' | 'members'> {
  const { model } = object;
  const entry = model && storage.get(storageKey(resource, '', model.name));
  return model === undefined || entry === undefined ? object : model.taken(new StoredObject(entry.value).parse());
}

async function create(
  server: Ensuring,
  resource: Resource,
  { manager }: SystemObject,
  { metadata, members }: Pick<SystemObject, 'metadata' | 'members'>,
): Promise<void> {
  const store = await server.store(resource);
  const { object } = store.hub.decode({ metadata, ...members });
  await server.fieldManagers.ownedByServer(store, undefined, object, manager);
  try {
    await store.create(object, server.ruleContext(false), nothing);
  } catch (error) {
    // Another process that started at the same time was faster.
    if (!isAlreadyExists(error)) throw error;
  }
}

async function repair(server: Ensuring, resource: Resource, object: SystemObject): Promise<void> {
  const store = await server.store(resource);
  const { namespace = '', name } = object.metadata;
  const produce = async (old: ApiObject): Promise<ApiObject> => {
    const wanted = object.repair?.(old);
    if (typeof wanted !== 'object') return old;
    const repaired = store.hub.decode(wanted).object;
    await server.fieldManagers.ownedByServer(store, old, repaired, object.manager);
    return repaired;
  };
  try {
    await store.update(namespace, name, produce, {
      target: 'object',
      context: server.ruleContext(false),
      admit: nothing,
      retry: true,
    });
  } catch (error) {
    // Deleted meanwhile.
    if (!isNotFound(error)) throw error;
    await create(server, resource, object, object);
  }
}

async function recreate(server: Ensuring, resource: Resource, object: SystemObject): Promise<void> {
  const { namespace = '', name } = object.metadata;
  await remove(server, await server.store(resource), namespace, name);
  await create(server, resource, object, object);
}

/** Also where it is gone already. */
async function remove(server: Ensuring, store: ResourceStore, namespace: string, name: string): Promise<void> {
  try {
    await store.deletions.delete(namespace, name, {}, server.ruleContext(false), nothing);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Deletes those of a resource without namespaces that `select` takes. */
export async function deleteObjects(server: Ensuring, resource: Resource, select: (object: ApiObject) => boolean): Promise<void> {
  const prefix = storagePrefix(resource, '');
  const names: string[] = [];
  for (const { value } of server.storage.range({ start: prefix, end: prefixEnd(prefix) })) {
    const object = new StoredObject(value).parse();
    if (select(object)) names.push(object.metadata.name ?? '');
  }
  if (names.length === 0) return;
  const store = await server.store(resource);
  for (const name of names) await remove(server, store, '', name);
}

const nothing = async (): Promise<undefined> => undefined;

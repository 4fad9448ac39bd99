/** Makes and repairs the default roles and bindings at a start. */
import type { DefaultPolicy } from '../../contract/default-policy.ts';
import type { Identity } from '../../contract/identity.ts';
import type { RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { FieldManagers } from '../../registry/field-managers.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import { isAlreadyExists } from '../../status/status.ts';
import type { Storage } from '../../storage/storage.ts';
import { autoUpdateAnnotation, DEFAULT_RESOURCES, defaultObjects } from './default-objects.ts';
import { reconcile } from './reconcile.ts';

export interface BootstrapParts {
  readonly table: DefaultPolicy;
  readonly identity: Identity;
  readonly storage: Storage;
  /** of a resource of the group of roles; asked for only where something is to be written */
  readonly store: (resource: string) => Promise<ResourceStore>;
  readonly context: RuleContext;
  readonly fieldManagers: FieldManagers;
}

/**
 * Writes what differs, all at once, so that it shares transactions of the store.
 * @returns the keys of all objects of the table
 */
export async function bootstrapPolicy(parts: BootstrapParts): Promise<string[]> {
  const objects = defaultObjects(parts.table, parts.identity);
  const bootstrap = new Bootstrap(parts);
  await Promise.all(DEFAULT_RESOURCES.flatMap((resource) => objects[resource].map((object) => bootstrap.ensure(resource, object))));
  return DEFAULT_RESOURCES.flatMap((resource) => objects[resource].map((object) => keyOf(resource, object)));
}

function keyOf(resource: string, { metadata }: ApiObject): string {
  return metadata.namespace === undefined ? `${resource}/${metadata.name}` : `${resource}/${metadata.namespace}/${metadata.name}`;
}

class Bootstrap {
  readonly #parts: BootstrapParts;
  readonly #autoUpdate: string;

  constructor(parts: BootstrapParts) {
    this.#parts = parts;
    this.#autoUpdate = autoUpdateAnnotation(parts.identity);
  }

  /** Reads the stored bytes themselves, so that a start with nothing to do loads no kinds. */
  async ensure(resource: string, expected: ApiObject): Promise<void> {
    const entry = this.#parts.storage.get(keyOf(resource, expected));
    if (entry === undefined) return this.#create(resource, expected);
    const difference = reconcile(new StoredObject(entry.value).parse(), expected, this.#autoUpdate);
    if (difference === undefined) return;
    if (difference === 'recreate') return this.#recreate(resource, expected);
    return this.#repair(resource, expected);
  }

  async #create(resource: string, expected: ApiObject): Promise<void> {
    const store = await this.#parts.store(resource);
    const { object } = store.hub.decode(expected);
    await this.#parts.fieldManagers.ownedByServer(store, undefined, object);
    try {
      await store.create(object, this.#parts.context, nothing);
    } catch (error) {
      // Another process that started at the same time was faster.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #repair(resource: string, expected: ApiObject): Promise<void> {
    const store = await this.#parts.store(resource);
    const { name = '', namespace = '' } = expected.metadata;
    const produce = async (old: ApiObject): Promise<ApiObject> => {
      const repaired = reconcile(old, expected, this.#autoUpdate);
      if (typeof repaired !== 'object') return old;
      const { object } = store.hub.decode(repaired);
      await this.#parts.fieldManagers.ownedByServer(store, old, object);
      return object;
    };
    await store.update(namespace, name, produce, {
      target: 'object',
      context: this.#parts.context,
      admit: nothing,
      retry: true,
      checkUid: false,
    });
  }

  async #recreate(resource: string, expected: ApiObject): Promise<void> {
    const store = await this.#parts.store(resource);
    const { name = '', namespace = '' } = expected.metadata;
    await store.delete(namespace, name, {}, this.#parts.context, nothing);
    await this.#create(resource, expected);
  }
}

const nothing = async (): Promise<void> => {};

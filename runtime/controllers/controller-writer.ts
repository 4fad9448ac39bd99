/** How controllers write: through the same store and admission as clients, as a user of their own. */
import type { ApiObject } from '../contract/object.ts';
import type { AdmissionAttributes, ApiServer, User } from '../endpoints/api-server.ts';
import { deleteObjects } from '../registry/collection-deletion.ts';
import type { DeleteOptions } from '../registry/deletion.ts';
import { ObjectList } from '../registry/list.ts';
import type { Resource } from '../registry/resource.ts';
import type { NamedObject } from '../registry/resource-keys.ts';
import type { Produce, ResourceStore, UpdateOptions, Written } from '../registry/resource-store.ts';
import { EVERYTHING } from '../registry/selection.ts';

const USER: User = { name: 'system:kube-controller-manager', uid: '', groups: ['system:authenticated'], extra: {} };

/** Owner of the fields that controllers change. */
const MANAGER = 'kube-controller-manager';

export class ControllerWriter {
  readonly #server: ApiServer;
  readonly #manager: string;
  readonly #ending = new AbortController();

  /** @param manager owner of the fields that it changes */
  constructor(server: ApiServer, manager = MANAGER) {
    this.#server = server;
    this.#manager = manager;
  }

  /** Ends deletions of collections that are under way. */
  stop(): void {
    this.#ending.abort();
  }

  store(resource: Resource): ResourceStore | Promise<ResourceStore> {
    return this.#server.store(resource);
  }

  /** A change that is tried again when another writer was faster. @throws StatusError */
  async update({ resource, namespace, name }: NamedObject, target: UpdateOptions['target'], produce: Produce): Promise<Written> {
    const subresource = typeof target === 'object' ? target.part : target === 'status' ? 'status' : '';
    const attributes = (object: ApiObject, old: ApiObject | undefined): AdmissionAttributes => ({
      operation: 'update',
      resource,
      subresource,
      namespace,
      name,
      object,
      old,
      user: USER,
      dryRun: false,
    });
    const { admission, registry, fieldManagers } = this.#server;
    const store = await this.store(resource);
    const { group, version } = resource.groupVersion;
    const fields = fieldManagers.of(resource, await registry.current.kind(group, version, resource.data.kind), subresource);
    const admitted = async (old: ApiObject): Promise<ApiObject> => {
      const object = await produce(old);
      await fields.update(old, object, this.#manager, Date.now());
      await admission.mutate(attributes(object, old));
      return object;
    };
    return store.update(namespace, name, admitted, {
      target,
      context: this.#server.ruleContext(false),
      admit: (object, old) => admission.validate(attributes(object, old)),
      retry: true,
      checkUid: false,
    });
  }

  /** @throws StatusError */
  async delete({ resource, namespace, name }: NamedObject, options: DeleteOptions): Promise<void> {
    const store = await this.store(resource);
    await store.delete(namespace, name, options, this.#server.ruleContext(false), (old) =>
      this.#admitDelete(resource, namespace, name, old),
    );
  }

  /** Deletes what a resource has in a namespace now. @throws StatusError */
  async deleteCollection(resource: Resource, namespace: string, options: DeleteOptions): Promise<void> {
    const { storage, identity } = this.#server;
    const store = await this.store(resource);
    const objects = await ObjectList.open(store, storage, identity, { ...NOW, namespace });
    const admit = (old: ApiObject) => this.#admitDelete(resource, namespace, '', old);
    await deleteObjects(store, objects, options, this.#server.ruleContext(false), admit, this.#ending.signal);
  }

  async #admitDelete(resource: Resource, namespace: string, name: string, old: ApiObject): Promise<void> {
    const { admission } = this.#server;
    const attributes = {
      operation: 'delete',
      resource,
      subresource: '',
      namespace,
      name,
      object: undefined,
      old,
      user: USER,
      dryRun: false,
    } as const;
    await admission.mutate(attributes);
    await admission.validate(attributes);
  }

  /** @throws StatusError */
  async create(resource: Resource, object: ApiObject): Promise<void> {
    const { admission, fieldManagers } = this.#server;
    const { namespace = '', name = '' } = object.metadata;
    const attributes: AdmissionAttributes = {
      operation: 'create',
      resource,
      subresource: '',
      namespace,
      name,
      object,
      old: undefined,
      user: USER,
      dryRun: false,
    };
    const store = await this.store(resource);
    await fieldManagers.of(resource, store.hub, '').update(undefined, object, this.#manager, Date.now());
    await admission.mutate(attributes);
    await store.create(object, this.#server.ruleContext(false, '', USER), (created) =>
      admission.validate({ ...attributes, object: created }),
    );
  }
}

/** All objects as they are at the moment. */
const NOW = { selection: EVERYTHING, resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' };

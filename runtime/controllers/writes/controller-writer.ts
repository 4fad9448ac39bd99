/** Writes of controllers: they go through the same stores and admission as those of clients, as a user of their own. */

import { ObjectAdmission, type Operated } from '../../admission/object-admission.ts';
import type { Operation } from '../../admission/request/attributes.ts';
import type { ApiObject, ObjectMeta } from '../../contract/object.ts';
import { OWN_WORK, type RequestContext } from '../../contract/request-context.ts';
import { deleteObjects } from '../../registry/lists/collection-deletion.ts';
import { ObjectList } from '../../registry/lists/list.ts';
import type { DeleteOptions } from '../../registry/resource-store/deletion.ts';
import type { Written } from '../../registry/resource-store/object-writes.ts';
import type { Produce, ResourceStore, UpdateOptions } from '../../registry/resource-store/resource-store.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import type { NamedObject } from '../../registry/resources/resource-keys.ts';
import { EVERYTHING } from '../../registry/selection/selection.ts';
import { LongObject } from '../../registry/stored-objects/long-value.ts';
import { copyValue } from '../../schema/copy.ts';
import { isNotFound, newConflict, OBJECT_MODIFIED } from '../../status/status.ts';
import type { Guard } from '../../storage/storage.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { type Author, createElsewhere, deletedElsewhere, editElsewhere, editStatusElsewhere, longObject, USER } from './long-objects.ts';

/** The owner of the fields that controllers change. */
export const MANAGER = 'kube-controller-manager';

export class ControllerWriter {
  readonly author: Author;
  readonly #server: ControllerServer;
  readonly #request: RequestContext;
  readonly #ending = new AbortController();

  /**
   * @param manager owner of the fields that it changes
   * @param user as whom it writes
   */
  constructor(server: ControllerServer, manager = MANAGER, user = USER) {
    this.#server = server;
    this.author = { user, manager };
    this.#request = { ...OWN_WORK, user };
  }

  /** Ends the deletions of collections that are under way. */
  stop(): void {
    this.#ending.abort();
  }

  store(resource: Resource): ResourceStore | Promise<ResourceStore> {
    return this.#server.store(resource);
  }

  /**
   * Changes an object. Tries again when another writer was faster.
   * @param guard what must still be so besides; absent: nothing. @throws StatusError, of reason Conflict where the guard is broken
   */
  async update(
    { resource, namespace, name }: NamedObject,
    target: UpdateOptions['target'],
    produce: Produce,
    guard?: Guard,
  ): Promise<Written> {
    const subresource = typeof target === 'object' ? target.part : target === 'status' ? 'status' : '';
    const { store, fields, admission } = await this.#updateParts({ resource, namespace, name }, subresource);
    const admitted = async (old: ApiObject): Promise<ApiObject> => {
      const object = await produce(old);
      await fields.update(old, object, this.author.manager, Date.now());
      await admission.mutate(object, old);
      return object;
    };
    return store.update(namespace, name, admitted, {
      target,
      context: this.#server.ruleContext(false),
      admit: async (object, old) => (await admission.validate(object, old)) ?? (guard && { guard, renew: () => broken(resource, name) }),
      retry: true,
    });
  }

  /**
   * Applies an object's status, and takes over its fields from whoever owns them. Fields that were applied before and are left out are removed.
   * @param status in the form of the resource's version. @throws StatusError
   */
  async applyStatus({ resource, namespace, name }: NamedObject, status: object): Promise<Written> {
    const metadata = namespace === '' ? { name } : { namespace, name };
    const intent = { apiVersion: resource.apiVersion, kind: resource.data.kind, metadata, status };
    const { store, kind, fields, admission } = await this.#updateParts({ resource, namespace, name }, 'status');
    const applied = async (old: ApiObject): Promise<ApiObject> => {
      const { object } = await fields.apply(old, intent, this.author.manager, true, Date.now());
      const fresh = kind.toHub(object);
      await admission.mutate(fresh, old);
      return fresh;
    };
    return store.update(namespace, name, applied, {
      target: 'status',
      context: this.#server.ruleContext(false),
      admit: (object, old) => admission.validate(object, old),
      retry: true,
    });
  }

  /** What an update of an object goes through. @param subresource '' for the object itself */
  async #updateParts({ resource, namespace, name }: NamedObject, subresource: string) {
    const store = await this.store(resource);
    const { group, version } = resource.groupVersion;
    const kind = await resource.versions.kinds.kind(group, version, resource.data.kind);
    const fields = this.#server.fieldManagers.of(resource, kind, subresource);
    const admission = this.#admission('update', { resource, kind, subresource, namespace, name });
    return { store, kind, fields, admission };
  }

  /**
   * Changes finalizers and owner references of an object of any length. Tries again when another writer was faster.
   * @param edit changes the finalizers and owner references of the metadata that it gets, and nothing else
   * @returns the object's resourceVersion. @throws StatusError
   */
  async editMetadata(object: NamedObject, edit: (metadata: ObjectMeta) => void): Promise<string> {
    const store = await this.store(object.resource);
    const long = longObject(this.#server, store, object);
    if (long !== undefined) return editElsewhere(this.#server, store, object, long, edit, this.author);
    const { object: edited } = await this.update(object, 'prepared', (old) => {
      const changed = copyValue(old);
      edit(changed.metadata);
      return changed;
    });
    return edited.metadata.resourceVersion as string;
  }

  /**
   * Changes the status of an object of any length. Tries again when another writer was faster.
   * @param edit gives the object with another status, always the same one for the same object, and with other finalizers where a write of the status may change
   *   them. Of a long object it gets only the metadata, the spec and the status
   * @param shared as of `statusPatch`
   * @returns the changed object, with the members that `edit` gets. @throws StatusError
   */
  async editStatus(
    object: NamedObject,
    edit: (old: ApiObject) => ApiObject | Promise<ApiObject>,
    shared: readonly string[] = [],
  ): Promise<ApiObject> {
    const store = await this.store(object.resource);
    const long = longObject(this.#server, store, object);
    if (long !== undefined) return editStatusElsewhere(this.#server, store, object, long, edit, shared, this.author);
    return (await this.update(object, 'status', edit)).object;
  }

  /** @throws StatusError */
  async delete(object: NamedObject, options: DeleteOptions): Promise<void> {
    const { resource, namespace, name } = object;
    const store = await this.store(resource);
    if (await deletedElsewhere(this.#server, store, object, options, this.author.user)) return;
    const admission = this.#admission('delete', { resource, kind: store.hub, subresource: '', namespace, name });
    await store.deletions.delete(namespace, name, options, this.#server.ruleContext(false), (old) => admission.admit(undefined, old));
  }

  /**
   * Deletes all objects of a resource that are in a namespace now.
   * @param skipsAdmission whether admission is not asked. @throws StatusError
   */
  async deleteCollection(
    resource: Resource,
    namespace: string,
    options: DeleteOptions,
    { skipsAdmission = false }: { readonly skipsAdmission?: boolean } = {},
  ): Promise<void> {
    const { storage, identity } = this.#server;
    const store = await this.store(resource);
    const objects = await ObjectList.open(store, storage, identity, { ...NOW, namespace });
    const admission = this.#admission('delete', { resource, kind: store.hub, subresource: '', namespace, name: '' });
    const admit = async (old: ApiObject): Promise<void> => {
      if (!skipsAdmission) await admission.admit(undefined, old);
    };
    const elsewhere = async (of: string, name: string): Promise<boolean> => {
      try {
        return await deletedElsewhere(this.#server, store, { resource, namespace: of, name }, options, this.author.user, skipsAdmission);
      } catch (error) {
        // the other thread may not serve the resource any more, whose definition is being deleted
        if (!skipsAdmission || !isNotFound(error)) throw error;
        return false;
      }
    };
    const context = this.#server.ruleContext(false);
    await deleteObjects(store, objects, { options, context, admit, signal: this.#ending.signal, elsewhere });
  }

  #admission(operation: Operation, what: Pick<Operated, 'resource' | 'kind' | 'subresource' | 'namespace' | 'name'>): ObjectAdmission {
    return new ObjectAdmission(this.#server.admission, {
      ...what,
      operation,
      request: this.#request,
      user: this.author.user,
      options: { dryRun: false },
    });
  }

  /** @throws StatusError */
  async create(resource: Resource, object: ApiObject): Promise<void> {
    const { namespace = '', name = '' } = object.metadata;
    const store = await this.store(resource);
    const admission = this.#admission('create', { resource, kind: store.hub, subresource: '', namespace, name });
    const fields = await this.#server.fieldManagers.ofResource(resource, '');
    const sent = copyValue(object);
    await fields.update(undefined, object, this.author.manager, Date.now());
    try {
      await admission.mutate(object, undefined);
      await store.create(object, this.#server.ruleContext(false, this.#request), (created) => admission.validate(created, undefined));
    } catch (error) {
      if (!(error instanceof LongObject) || this.#server.longRequests === undefined) throw error;
      await createElsewhere(this.#server, resource, sent, this.author);
    }
  }
}

async function broken({ groupResource }: Resource, name: string): Promise<never> {
  throw newConflict(groupResource, name, OBJECT_MODIFIED);
}

/** All objects as they are at the moment. */
const NOW = { selection: EVERYTHING, resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' };

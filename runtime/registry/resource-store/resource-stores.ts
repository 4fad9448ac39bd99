/** The store of each resource, made when it is first asked for; it goes with the resource. */
import type { Waiting } from '../../contract/request-context.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Resource } from '../resources/resource.ts';
import { ConvertingStorage } from './converting-storage.ts';
import type { DeletionSettings } from './deletion.ts';
import { ResourceStore } from './resource-store.ts';
import { VersionView } from './version-view.ts';

/** How objects are handled that take long, on a thread that others wait for. */
export interface LongWork {
  /** see `ResourceReader` */
  readonly readsLong?: boolean;
  /** Has another thread convert a stored value for a version; absent if this thread does that. */
  readonly convertLong?: ((resource: Resource, value: Buffer, waiting?: Waiting) => Promise<Buffer>) | undefined;
}

/** How a version sees what is stored, where a converter stands between them. */
async function viewOf(
  resource: Resource,
  stored: Kind,
  { convertLong }: LongWork,
): Promise<{ readonly own: Kind; readonly view: VersionView } | undefined> {
  const { data, groupVersion, versions } = resource;
  if (versions.converter === undefined) return undefined;
  const own = await versions.kinds.kind(groupVersion.group, groupVersion.version, data.kind);
  const fields = { own: data.selectableFields, stored: versions.stored?.selectableFields ?? [] };
  return {
    own,
    view: new VersionView(
      own,
      stored,
      fields,
      versions.converter,
      convertLong && ((value, waiting) => convertLong(resource, value, waiting)),
    ),
  };
}

export class ResourceStores {
  readonly #storage: Storage;
  readonly #deletion: DeletionSettings;
  readonly #long: LongWork;
  readonly #stores = new WeakMap<Resource, ResourceStore>();

  constructor(storage: Storage, deletion: DeletionSettings, long: LongWork = {}) {
    this.#storage = storage;
    this.#deletion = deletion;
    this.#long = long;
  }

  /** A promise where the kind is not loaded. @throws Error for a resource that is not stored */
  of(resource: Resource): ResourceStore | Promise<ResourceStore> {
    return this.#stores.get(resource) ?? this.#make(resource);
  }

  async #make(resource: Resource): Promise<ResourceStore> {
    const { storage } = resource.data;
    if (storage === undefined) throw new Error(`${resource.data.name} is not stored`);
    const stored = await resource.versions.storedKinds.kind(storage.group, storage.version, storage.kind);
    const view = await viewOf(resource, stored, this.#long);
    const form = this.#storage instanceof ConvertingStorage ? this.#storage.formAt(storage.prefix) : undefined;
    const forms = { view: view?.view, form };
    // whoever waited for the kind as well may have been first
    const store =
      this.#stores.get(resource) ??
      new ResourceStore(resource, view?.own ?? stored, this.#storage, this.#deletion, forms, this.#long.readsLong);
    this.#stores.set(resource, store);
    return store;
  }
}

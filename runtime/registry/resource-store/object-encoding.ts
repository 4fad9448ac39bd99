/** Objects of one resource as they are stored, within the limits that writes have. */
import type { RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Waiting } from '../../contract/request-context.ts';
import { newRequestEntityTooLarge } from '../../status/status.ts';
import type { StoredBytes } from '../../storage/storage.ts';
import type { Kind } from '../kinds/kind.ts';
import { encodeStoredObject, type MetadataOrder, metadataOrder } from '../stored-objects/stored-object.ts';
import type { VersionView } from './version-view.ts';

/**
 * Of an object as it is stored: what one request of 3 MiB brings, with its defaults and the owners of its fields, and less than many requests could
 * make of it.
 */
const MAX_OBJECT_BYTES = 8 * 1024 * 1024;
/** The most bytes of an object with its managedFields. They can be longer than everything else in it; as in 1.32, they are left out if they do not fit. */
const MAX_OWNED_BYTES = 3 * 1024 * 1024;

export class ObjectEncoding {
  readonly #hub: Kind;
  readonly #view: VersionView | undefined;
  readonly #selectableFields: (object: ApiObject) => string[];
  readonly #metadataOrder: MetadataOrder;

  /** @param selectableFields values by which the object is found */
  constructor(hub: Kind, view: VersionView | undefined, selectableFields: (object: ApiObject) => string[]) {
    this.#hub = hub;
    this.#view = view;
    this.#selectableFields = selectableFields;
    this.#metadataOrder = metadataOrder(hub.data.type);
  }

  /** @param rest what is stored behind the metadata of the object before, where this one is the same there */
  of(object: ApiObject, rest?: Buffer, waiting?: Waiting): StoredBytes | Promise<StoredBytes> {
    if (this.#view !== undefined) return this.#view.toStored(object, waiting);
    const { schemaHash } = this.#hub.data;
    const { bytes, revisionOffset } = encodeStoredObject(object, schemaHash, this.#selectableFields(object), this.#metadataOrder, rest);
    return { bytes, revisionOffset, object };
  }

  /**
   * @param object loses its managedFields where it would be too long with them
   * @throws StatusError RequestEntityTooLarge; what only marks or removes an object is not held to the limit
   */
  ofWrite(object: ApiObject, { request }: RuleContext, rest?: Buffer): StoredBytes | Promise<StoredBytes> {
    const waiting = this.#view && request;
    const bounded = (value: StoredBytes): StoredBytes | Promise<StoredBytes> => {
      if (value.bytes.length <= MAX_OWNED_BYTES || object.metadata.managedFields === undefined) return ofBoundedSize(value);
      delete object.metadata.managedFields;
      const encoding = this.of(object, rest, waiting);
      return encoding instanceof Promise ? encoding.then(ofBoundedSize) : ofBoundedSize(encoding);
    };
    const encoding = this.of(object, rest, waiting);
    return encoding instanceof Promise ? encoding.then(bounded) : bounded(encoding);
  }
}

/** @throws StatusError RequestEntityTooLarge */
function ofBoundedSize(value: StoredBytes): StoredBytes {
  if (value.bytes.length > MAX_OBJECT_BYTES) throw newRequestEntityTooLarge(MAX_OBJECT_BYTES);
  return value;
}

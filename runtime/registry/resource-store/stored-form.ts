/** How objects of one resource are stored where that is another form than rules see: the kind of an earlier release, or one that was stored before. */
import type { ApiObject } from '../../contract/object.ts';
import { copyValue } from '../../schema/copy.ts';
import { fillRevision, type StoredBytes } from '../../storage/storage.ts';
import type { Kind } from '../kinds/kind.ts';
import { selectableField } from '../kinds/selectable-field.ts';
import {
  encodeStoredObject,
  isOfSchema,
  isStoredObject,
  type MetadataOrder,
  metadataOrder,
  StoredObject,
} from '../stored-objects/stored-object.ts';

export interface StoredFormParts {
  /** the kind that rules see, and that values are read as */
  readonly hub: Kind;
  /** the kind that values are written as: `hub`, or one that is converted to it */
  readonly written: Kind;
  /** other versions that objects may be stored in, each of which is converted to `hub`, by `apiVersion` */
  readonly others: ReadonlyMap<string, Kind>;
  /** the paths of the selectable fields in the hub */
  readonly fields: readonly string[];
}

export class StoredForm {
  readonly #parts: StoredFormParts;
  readonly #order: MetadataOrder;
  readonly #writtenOrder: MetadataOrder;

  constructor(parts: StoredFormParts) {
    this.#parts = parts;
    this.#order = metadataOrder(parts.hub.data.type);
    this.#writtenOrder = metadataOrder(parts.written.data.type);
  }

  /**
   * An object that is about to be written as it will be read: with what of it is stored, and completed. Rules have judged all of it before, for the stored
   * version may not even be able to say what they refuse.
   * @param object of the hub; not changed
   */
  asRead(object: ApiObject): ApiObject {
    const { hub, written } = this.#parts;
    return written === hub ? object : this.#asHub(written.fromHub(copyValue(object)));
  }

  /** @param value of the hub, as `encodeStoredObject` makes it. @returns the same where it is stored as it is */
  toStored(value: StoredBytes): StoredBytes {
    const { hub, written } = this.#parts;
    if (written === hub) return value;
    const stored = new StoredObject(value.bytes);
    // header and selectors are those of the hub, whatever is stored
    return encodeStoredObject(written.fromHub(stored.parse()), written.data.schemaHash, stored.fields, this.#writtenOrder);
  }

  /**
   * @param value as the store has it; what is no object is given back as it is
   * @returns as if the hub had been stored, with the hub's defaults
   * @throws DecodeError for what no version can have; Error for an object of a version that nobody knows
   */
  fromStored(value: Buffer): Buffer {
    if (!isStoredObject(value)) return value;
    const { hub, fields } = this.#parts;
    const stored = new StoredObject(value);
    if (isOf(hub, stored)) return value;
    const object = this.#asHub(stored.parse());
    const selectable = fields.map((path) => selectableField(hub, object, path));
    const { bytes, revisionOffset } = encodeStoredObject(object, hub.data.schemaHash, selectable, this.#order);
    fillRevision(bytes, revisionOffset, Number(stored.resourceVersion));
    return bytes;
  }

  /** Whether a value of the store would be stored otherwise now. */
  isOutdated(value: Buffer): boolean {
    return isStoredObject(value) && !isOf(this.#parts.written, new StoredObject(value));
  }

  #asHub(object: ApiObject): ApiObject {
    return this.#parts.hub.completed(this.#converted(object));
  }

  /** @returns an object that the hub can decode */
  #converted(object: ApiObject): ApiObject {
    const { hub, others } = this.#parts;
    if (object.apiVersion === hub.apiVersion) return object;
    const kind = others.get(object.apiVersion);
    if (kind === undefined) throw new Error(`${object.apiVersion} ${object.kind} is stored, which nothing converts to ${hub.apiVersion}`);
    return kind.toHub(kind.completed(object));
  }
}

const isOf = (kind: Kind, stored: StoredObject): boolean => isOfSchema(stored, kind.data) && stored.isOf(kind.kind, kind.apiVersion);

/**
 * One version of a resource whose versions a converter stands between. Its objects are stored in another version, or were so once: they are
 * converted where slices of them are read and where one is written, so that all that lies between has objects of its own version at hand.
 */
import type { Converter } from '../../contract/converter.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Waiting } from '../../contract/request-context.ts';
import { eachInTurns } from '../../event-loop/turns.ts';
import { copyValue } from '../../schema/copy.ts';
import { deepEqual } from '../../schema/equal.ts';
import { fillRevision, type StoredBytes } from '../../storage/storage.ts';
import type { Kind } from '../kinds/kind.ts';
import { selectableField } from '../kinds/selectable-field.ts';
import { isLong, LongObject } from '../stored-objects/long-value.ts';
import { encodeStoredObject, isOfSchema, type MetadataOrder, metadataOrder, StoredObject } from '../stored-objects/stored-object.ts';

/** One version, and what its objects show of themselves in their headers. */
interface Form {
  readonly kind: Kind;
  /** paths of the selectable fields */
  readonly fields: readonly string[];
  readonly order: MetadataOrder;
}

/** Objects of other versions, and their places in the list that they come from. */
interface Foreign {
  readonly places: number[];
  readonly objects: ApiObject[];
}

/** Converts a stored value. @returns the bytes that it would have if it were stored in the version of the view */
export type ConvertLong = (value: Buffer, waiting?: Waiting) => Promise<Buffer>;

export class VersionView {
  readonly #own: Form;
  readonly #stored: Form;
  readonly #converter: Converter;
  readonly #convertLong: ConvertLong | undefined;

  /**
   * @param convertLong has another thread convert what takes long; absent if this thread converts everything
   * @param own the version that is spoken; equal to `stored` where objects are stored in it
   * @param fields paths of selectable fields, of the one and of the other
   */
  constructor(
    own: Kind,
    stored: Kind,
    fields: { readonly own: readonly string[]; readonly stored: readonly string[] },
    converter: Converter,
    convertLong?: ConvertLong,
  ) {
    this.#own = { kind: own, fields: fields.own, order: metadataOrder(own.data.type) };
    this.#stored = { kind: stored, fields: fields.stored, order: metadataOrder(stored.data.type) };
    this.#converter = converter;
    this.#convertLong = convertLong;
  }

  /** Whether new objects are stored as they are spoken of. */
  get isStored(): boolean {
    return this.#own.kind.apiVersion === this.#stored.kind.apiVersion;
  }

  /** Whether an object would be stored otherwise today. */
  isOutdated(value: Buffer): boolean {
    const stored = new StoredObject(value);
    if (isOf(this.#stored, stored)) return false;
    const { kind } = this.#stored;
    return !stored.isOf(kind.kind, kind.apiVersion) || !deepEqual(kind.completed(stored.parse()), stored.parse());
  }

  /**
   * What is stored of objects, as if all were stored in this version under its present schema.
   * @param values those that are so are returned as they are; the others are good until a promise is resolved
   * @returns in the same order; a promise where the converter waits, or where it takes long. @throws what the converter throws
   */
  ofStored(values: readonly Buffer[], waiting?: Waiting): readonly Buffer[] | Promise<readonly Buffer[]> {
    const own = [...values];
    const foreign: Foreign = { places: [], objects: [] };
    const long: number[] = [];
    const reading = eachInTurns(values, (value, place) => {
      const stored = new StoredObject(value);
      if (isOf(this.#own, stored)) return;
      if (this.#convertLong !== undefined && isLong(stored.json, 'reading')) {
        long.push(place);
        return;
      }
      const object = stored.parse();
      if (object.apiVersion === this.#own.kind.apiVersion) {
        own[place] = this.#encode(this.#own.kind.decode(object).object, object);
        return;
      }
      foreign.places.push(place);
      foreign.objects.push(this.#defaulted(object, stored));
    });
    const convert = (): readonly Buffer[] | Promise<readonly Buffer[]> =>
      long.length === 0 ? this.#convert(foreign, own, waiting) : this.#convertAll(foreign, long, own, waiting);
    return reading === undefined ? convert() : reading.then(convert);
  }

  /** @param long places of what somebody else converts */
  async #convertAll(foreign: Foreign, long: readonly number[], own: Buffer[], waiting?: Waiting): Promise<readonly Buffer[]> {
    await this.#convert(foreign, own, waiting);
    for (const place of long) own[place] = await (this.#convertLong as ConvertLong)(own[place] as Buffer, waiting);
    return own;
  }

  /** @param own gets them at their places */
  #convert({ places, objects }: Foreign, own: Buffer[], waiting?: Waiting): readonly Buffer[] | Promise<readonly Buffer[]> {
    if (objects.length === 0) return own;
    const elsewhere = (error: unknown): Promise<readonly Buffer[]> => {
      // what a webhook makes of short objects may be long
      if (!(error instanceof LongObject) || this.#convertLong === undefined) throw error;
      return this.#convertAll({ places: [], objects: [] }, places, own, waiting);
    };
    const fill = (converted: readonly ApiObject[]): readonly Buffer[] | Promise<readonly Buffer[]> => {
      const filling = eachInTurns(converted, (object, index) => {
        own[places[index] as number] = this.#encode(this.#own.kind.normalized(object), object);
      });
      return filling === undefined ? own : filling.then(() => own);
    };
    const converting = this.#converter.convert(objects, this.#own.kind.apiVersion, waiting);
    return converting instanceof Promise ? converting.then(fill, elsewhere) : fill(converting);
  }

  /** An object of this version as it is to be stored. @param object never changed. @throws what the converter throws */
  toStored(object: ApiObject, waiting?: Waiting): StoredBytes | Promise<StoredBytes> {
    if (this.isStored) return encoded(this.#stored, object);
    const encode = ([converted]: readonly ApiObject[]): StoredBytes =>
      encoded(this.#stored, this.#stored.kind.decode(converted as ApiObject).object);
    const converted = this.#converter.convert([copyValue(object)], this.#stored.kind.apiVersion, waiting);
    return converted instanceof Promise ? converted.then(encode) : encode(converted);
  }

  /** Objects have the defaults of the version that they are stored in, as in 1.32; what a converter makes of them has no others. */
  #defaulted(object: ApiObject, stored: StoredObject): ApiObject {
    const { kind } = this.#stored;
    return object.apiVersion !== kind.apiVersion || isOf(this.#stored, stored)
      ? object
      : kind.decode(object, { dropsInvalidMetadata: true }).object;
  }

  /** @param object of this version, with the revision of `of` */
  #encode(object: ApiObject, of: ApiObject): Buffer {
    const { bytes, revisionOffset } = encoded(this.#own, object);
    fillRevision(bytes, revisionOffset, Number(of.metadata.resourceVersion));
    return bytes;
  }
}

const isOf = ({ kind }: Form, stored: StoredObject): boolean => isOfSchema(stored, kind.data) && stored.isOf(kind.kind, kind.apiVersion);

const encoded = ({ kind, fields, order }: Form, object: ApiObject): StoredBytes =>
  encodeStoredObject(
    object,
    kind.data.schemaHash,
    fields.map((path) => selectableField(kind, object, path)),
    order,
  );

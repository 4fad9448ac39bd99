/**
 * Values of etcd as kube-apiserver 1.32 has them: of the schemas' kinds protobuf or JSON of the version that is stored, of custom resources JSON or CBOR.
 * Nothing of them says a revision, which etcd counts. What is read is as if it had been stored here: JSON with its header, with the defaults of today.
 */
import type { StructType } from '../../contract/descriptor.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { ReadValue, ValueCodec } from '../../storage/etcd/value-codec.ts';
import { resourcePrefix } from '../../storage/storage.ts';
import type { StoredVersionsParts } from '../emulation/stored-versions.ts';
import type { Resource } from '../resources/resource.ts';
import { isStoredObject, StoredObject } from '../stored-objects/stored-object.ts';
import { BuiltInResources } from './built-in-resources.ts';
import { CustomValues } from './custom-values.ts';
import { goObject } from './go-json.ts';
import { asItIs, ownFromEtcd, ownToEtcd } from './own-values.ts';
import { jsonToEtcd } from './stored-json.ts';
import { formOf, writtenForm } from './value-form.ts';

export interface ValueCodecParts extends StoredVersionsParts {
  /** the form in which objects of the schemas' kinds are written (`--storage-media-type`); all forms are read in any case */
  readonly mediaType: string;
  /** whether custom resources are written as CBOR, by the feature gate CBORServingAndStorage; default false, for JSON. Both are read in any case */
  readonly writesCbor?: boolean;
  /**
   * The resource that definitions, or structural schemas, have for keys of a prefix without a slash at its end at the time, in the version that is
   * stored: as of `RegistrySnapshot.storedAt` and `unservedAt`.
   */
  readonly customResource: (prefix: string) => Resource | undefined;
  /** Go's struct of metadata, loaded when the first custom resource is read */
  readonly loadObjectMeta: () => Promise<StructType>;
}

/** @throws Error for a media type in which nothing is stored */
export const createValueCodec = (parts: ValueCodecParts): ValueCodec => new KindValueCodec(parts);

class KindValueCodec implements ValueCodec {
  readonly #parts: ValueCodecParts;
  readonly #builtIn: BuiltInResources;
  #custom: CustomValues | undefined;

  constructor(parts: ValueCodecParts) {
    this.#parts = parts;
    this.#builtIn = new BuiltInResources(parts, writtenForm(parts.mediaType, parts.builtIn.kindParts.identity));
  }

  toEtcd(key: string, value: Buffer, object?: object): Uint8Array | Promise<Uint8Array> {
    const prefix = resourcePrefix(key);
    const values = this.#builtIn.of(prefix);
    if (!isStoredObject(value)) {
      if (values !== undefined || this.#parts.customResource(prefix) !== undefined)
        throw new Error(`what is to be stored as ${key} is no object: kube-apiserver reads whatever is below ${prefix}/`);
      return ownToEtcd(value);
    }
    const stored = new StoredObject(value);
    if (values === undefined) return this.#customToEtcd(prefix, stored);
    return values instanceof Promise
      ? values.then((loaded) => loaded.toEtcd(stored))
      : values.toEtcd(stored, object as ApiObject | undefined);
  }

  #customToEtcd(prefix: string, stored: StoredObject): Buffer | Promise<Buffer> {
    const json = jsonToEtcd(stored);
    const isJson = this.#parts.writesCbor !== true || this.#parts.customResource(prefix) === undefined;
    return isJson ? goObject(json) : import('./cbor-values.ts').then(({ cborOfJson }) => cborOfJson(json));
  }

  fromEtcd(key: string, value: Uint8Array): ReadValue | Promise<ReadValue> {
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    const prefix = resourcePrefix(key);
    const values = this.#builtIn.of(prefix);
    if (values === undefined) return this.#fromElsewhere(prefix, bytes);
    return values instanceof Promise ? values.then((loaded) => loaded.fromEtcd(bytes)) : values.fromEtcd(bytes);
  }

  /** Reads a value that does not belong to a resource of the schemas. */
  #fromElsewhere(prefix: string, value: Buffer): ReadValue | Promise<ReadValue> {
    const form = formOf(value);
    const resource = this.#parts.customResource(prefix);
    if (form === 'json') {
      const read = this.#fromJson(value, resource);
      return this.#parts.writesCbor === true && resource !== undefined ? this.#readAsJson(value, read) : read;
    }
    if (form === 'cbor') return this.#fromCbor(value, resource);
    if (resource !== undefined) throw new Error(`it is no JSON, where ${resource.data.kind} of ${resource.groupResource.group} is stored`);
    if (form === 'own') return ownFromEtcd(value);
    // such as the ranges of kube-apiserver, which nobody here reads
    if (form === 'protobuf') return asItIs(value);
    throw new Error('it is no object of any kind: neither JSON nor protobuf');
  }

  async #fromCbor(value: Buffer, resource: Resource | undefined): Promise<ReadValue> {
    const { jsonOfCbor } = await import('./cbor-values.ts');
    const custom = this.#custom ?? (await this.#loadCustom());
    const read = custom.fromEtcd(jsonOfCbor(value), resource);
    return this.#parts.writesCbor === true || resource === undefined ? read : { ...read, outdated: true };
  }

  async #readAsJson(value: Buffer, reading: ReadValue | Promise<ReadValue>): Promise<ReadValue> {
    const [{ cborOfJson }, read] = await Promise.all([import('./cbor-values.ts'), reading]);
    return cborOfJson(value) === value ? read : { ...read, outdated: true };
  }

  #fromJson(value: Buffer, resource: Resource | undefined): ReadValue | Promise<ReadValue> {
    if (this.#custom !== undefined) return this.#custom.fromEtcd(value, resource);
    return this.#loadCustom().then((custom) => custom.fromEtcd(value, resource));
  }

  async #loadCustom(): Promise<CustomValues> {
    const { loadObjectMeta, builtIn } = this.#parts;
    const objectMeta = await loadObjectMeta();
    this.#custom ??= new CustomValues(objectMeta, builtIn.kindParts.identity);
    return this.#custom;
  }
}

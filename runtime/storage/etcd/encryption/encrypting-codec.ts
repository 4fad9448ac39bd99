/** A codec that encrypts the bytes of another one, if the configuration says so. */
import { resourcePrefix } from '../../storage.ts';
import type { ReadValue, ValueCodec } from '../value-codec.ts';
import type { TransformedValue, ValueTransformers } from './value-transformers.ts';

export class EncryptingCodec implements ValueCodec {
  readonly #plain: ValueCodec;
  readonly #transformers: ValueTransformers;
  readonly #prefix: string;

  /**
   * @param plain the codec of unencrypted values
   * @param prefix of all keys in etcd, such as `/registry/`
   */
  constructor(plain: ValueCodec, transformers: ValueTransformers, prefix: string) {
    this.#plain = plain;
    this.#transformers = transformers;
    this.#prefix = prefix;
  }

  toEtcd(key: string, value: Buffer, object?: object): Uint8Array | Promise<Uint8Array> {
    const plain = this.#plain.toEtcd(key, value, object);
    const encrypted = (bytes: Uint8Array) => this.#transformers.toStorage(resourcePrefix(key), this.#prefix + key, bytes);
    return plain instanceof Promise ? plain.then(encrypted) : encrypted(plain);
  }

  /** @throws ValueUntransformable if the value cannot be decrypted; and what the codec of plain values throws */
  fromEtcd(key: string, value: Uint8Array): ReadValue | Promise<ReadValue> {
    const transformed = this.#transformers.fromStorage(resourcePrefix(key), this.#prefix + key, value);
    const decoded = (each: TransformedValue) => this.#decoded(key, each);
    return transformed instanceof Promise ? transformed.then(decoded) : decoded(transformed);
  }

  #decoded(key: string, { plain, outdated }: TransformedValue): ReadValue | Promise<ReadValue> {
    const value = this.#plain.fromEtcd(key, plain);
    if (!outdated) return value;
    return value instanceof Promise ? value.then(asOutdated) : asOutdated(value);
  }
}

const asOutdated = (value: ReadValue): ReadValue => ({ ...value, outdated: true });

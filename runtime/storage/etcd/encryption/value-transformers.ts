/** Encrypts values for etcd, in exactly the format of kube-apiserver 1.32. */

export interface ValueTransformers {
  /**
   * @param resource prefix of the keys of one resource
   * @param etcdKey the key in etcd, with the prefix of all keys; some ciphers bind the value to it
   * @param plain the value in etcd's form before encryption; not changed
   * @returns the bytes for etcd, which may be `plain` itself
   * @throws ValueUnencryptable
   */
  toStorage(resource: string, etcdKey: string, plain: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /**
   * @param stored the bytes in etcd; not changed
   * @throws ValueUntransformable
   */
  fromStorage(resource: string, etcdKey: string, stored: Uint8Array): TransformedValue | Promise<TransformedValue>;
}

export interface TransformedValue {
  /** may be the same buffer as in etcd's answer, if the value is not encrypted */
  readonly plain: Uint8Array;
  /** whether a new write would encrypt the value with another key or provider */
  readonly outdated: boolean;
}

/** The value in etcd cannot be decrypted. The message is the reason, worded as in 1.32. */
export class ValueUntransformable extends Error {
  override readonly name = 'ValueUntransformable';
}

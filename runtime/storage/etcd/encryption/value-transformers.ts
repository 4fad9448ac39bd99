/** How values are encrypted in etcd, in the very bytes of kube-apiserver 1.32. */

export interface ValueTransformers {
  /**
   * @param resource prefix of the keys of one resource
   * @param etcdKey as etcd has it, with the prefix of all keys; some ciphers bind the value to it
   * @param plain as it stands in etcd where it is not encrypted; not changed
   * @returns what etcd is to have, which may be `plain` itself
   * @throws ValueUnencryptable
   */
  toStorage(resource: string, etcdKey: string, plain: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /**
   * @param stored as etcd has it; not changed
   * @throws ValueUntransformable
   */
  fromStorage(resource: string, etcdKey: string, stored: Uint8Array): TransformedValue | Promise<TransformedValue>;
}

export interface TransformedValue {
  /** may be what etcd has, where that is not encrypted */
  readonly plain: Uint8Array;
  /** it would be encrypted otherwise now */
  readonly outdated: boolean;
}

/** Nobody here can decrypt what etcd has. The message is the reason, in the words of 1.32. */
export class ValueUntransformable extends Error {
  override readonly name = 'ValueUntransformable';
}

/** How values stand in etcd, where kube-apiserver reads and writes them too, and how they stand here. */
import type { StoredBytes } from '../storage.ts';

export interface ValueCodec {
  /**
   * @param key without the prefix that all keys in etcd have
   * @param value as it was handed to the store; not changed
   * @param object what the value was made of, as of `StoredBytes`
   * @throws ValueUnencryptable
   */
  toEtcd(key: string, value: Buffer, object?: object): Uint8Array | Promise<Uint8Array>;
  /**
   * @param value as etcd has it; not changed, and kept by nobody
   * @returns bytes of their own, as if they had been handed to this store; `outdated` where they would be written otherwise now. A promise where something has to be loaded first
   * @throws Error for what cannot be read: the reason is shown to who asks for the value, and its key stays
   */
  fromEtcd(key: string, value: Uint8Array): ReadValue | Promise<ReadValue>;
}

export interface ReadValue extends StoredBytes {
  readonly outdated?: true;
}

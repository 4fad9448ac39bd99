/** Keys in etcd, which have a prefix, and keys of this store, which have none. */
import { isKey } from '../storage.ts';

export class KeyNames {
  /** what all keys in etcd begin with; ends with a slash */
  readonly prefix: string;
  /** behind the last key that begins so */
  readonly end: string;

  /** @param prefix with or without a slash at its end; the slash before it is added, as in 1.32 */
  constructor(prefix: string) {
    this.prefix = `/${prefix.replace(/^\/+|\/+$/g, '')}/`.replace(/^\/\/$/, '/');
    // the character after the slash
    this.end = `${this.prefix.slice(0, -1)}0`;
  }

  inEtcd(key: string): string {
    return this.prefix + key;
  }

  /** @returns undefined for a key that no store takes: nothing of this API has it */
  here(key: Buffer): string | undefined {
    const text = key.toString('utf8', this.prefix.length);
    // bytes that are no UTF-8 would be read as others
    return isKey(text) && !text.includes('\ufffd') ? text : undefined;
  }
}

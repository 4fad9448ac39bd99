/** Keys in etcd, which have a prefix, and keys of this store, which have none. */
import path from 'node:path';
import { isKey } from '../storage.ts';

export class KeyNames {
  /** what all keys in etcd begin with; ends with a slash */
  readonly prefix: string;
  /** behind the last key that begins so */
  readonly end: string;
  /** of the prefix in etcd */
  readonly #prefixBytes: number;

  /** @param prefix made a path from the root, as in 1.32: with one slash at each end and between its parts */
  constructor(prefix: string) {
    this.prefix = path.posix.join('/', prefix, '/');
    this.#prefixBytes = Buffer.byteLength(this.prefix);
    // the character after the slash
    this.end = `${this.prefix.slice(0, -1)}0`;
  }

  inEtcd(key: string): string {
    return this.prefix + key;
  }

  /** @returns undefined for a key that no store takes: nothing of this API has it */
  here(key: Buffer): string | undefined {
    const text = key.toString('utf8', this.#prefixBytes);
    if (!isKey(text)) return undefined;
    // bytes that are no UTF-8 are read as this character, which a key may have as well
    return text.includes('\ufffd') && !Buffer.from(text).equals(key.subarray(this.#prefixBytes)) ? undefined : text;
  }
}

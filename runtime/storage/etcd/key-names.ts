/** Translates between keys in etcd, which have a prefix, and keys of this store, which have none. */
import path from 'node:path';
import { isKey } from '../storage.ts';

export class KeyNames {
  /** prefix of all keys in etcd; ends with a slash */
  readonly prefix: string;
  /** end of the range of keys with this prefix; exclusive */
  readonly end: string;
  /** the length of the prefix in etcd */
  readonly #prefixBytes: number;

  /** @param prefix is normalized as in 1.32: to one slash at each end and between its parts */
  constructor(prefix: string) {
    this.prefix = path.posix.join('/', prefix, '/');
    this.#prefixBytes = Buffer.byteLength(this.prefix);
    // the character after the slash
    this.end = `${this.prefix.slice(0, -1)}0`;
  }

  inEtcd(key: string): string {
    return this.prefix + key;
  }

  /** @returns undefined for a key that this store cannot have, so that no object of this API has it */
  here(key: Buffer): string | undefined {
    const text = key.toString('utf8', this.#prefixBytes);
    if (!isKey(text)) return undefined;
    // decoding puts this character in place of invalid UTF-8, but a key may also contain it
    return text.includes('\ufffd') && !Buffer.from(text).equals(key.subarray(this.#prefixBytes)) ? undefined : text;
  }
}

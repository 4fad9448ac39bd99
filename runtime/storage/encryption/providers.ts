/** Who encrypts values: keys that have names, beneath the name of how they do it; or nobody. */

import { createHmac, hkdfSync } from 'node:crypto';
import { aggregateText } from '../../contract/aggregate-text.ts';
import { type CipherName, type Ciphers, ciphers } from './ciphers.ts';
import { TERM_BYTES } from './sealed-value.ts';
import type { Transformations } from './transformation-counts.ts';

/** A text that was decrypted. */
export interface Decrypted {
  readonly text: Buffer;
  /** it would be encrypted otherwise now */
  readonly outdated: boolean;
}

/** One element of a configuration's list. */
export interface Provider {
  /** the prefix of everything that it encrypts; empty if it encrypts nothing */
  readonly prefix: string;
  /**
   * @param key of the store
   * @param counts of the resource; who has keys with prefixes of their own counts them there
   * @returns what follows the prefix, in pieces that last until the next call
   * @throws Error where it cannot be done at present
   */
  encrypt(text: Buffer, key: string, counts: Transformations): readonly Buffer[];
  /** Decrypts a value. @param encrypted the bytes behind the prefix. @throws Error if that is not possible */
  decrypt(encrypted: Buffer, key: string, counts: Transformations): Decrypted;
  /**
   * the keys that hash terms: the first one those of values that it encrypts, all of them those of values that it may have encrypted; empty if such values have
   * no terms
   */
  readonly searchKeys: readonly SearchKey[];
  /** the identity of the key that it encrypts with, which is that of its first search key if it has one; undefined if it encrypts nothing */
  readonly writesBy: string | undefined;
}

/** Hashes terms, so that only who has the key knows what a value is found by. Two values with the same term have the same hash. */
export class SearchKey {
  /** tells the key apart from all others, and nothing else of it */
  readonly id: string;
  readonly #secret: Buffer;
  /** the hashes by resource and term */
  readonly #known = new Map<string, Map<string, string>>();
  #remembered = 0;
  /** the hashes of the last lists of terms, because many values have the same list */
  readonly #lists = new Map<readonly string[], { readonly resource: string; readonly hashes: Buffer }>();

  /** @param name the names of its provider and of the key */
  constructor(name: string, secret: Buffer) {
    this.id = `${name}${derived(secret, 'the identity of a key').toString('hex', 0, TERM_BYTES)}`;
    this.#secret = derived(secret, 'the hashes of terms');
  }

  /** @returns `TERM_BYTES`, each a character of latin1 */
  hash(resource: string, term: string): string {
    const known = this.#known.get(resource)?.get(term);
    if (known !== undefined) return known;
    const hash = createHmac('sha256', this.#secret).update(`${resource}\0${term}`).digest().toString('latin1', 0, TERM_BYTES);
    if (term.length <= MAX_TERM) this.#remember(resource, term, hash);
    return hash;
  }

  /** @param terms of one value, which nobody changes. @returns their hashes in order, one behind the other */
  hashesOf(resource: string, terms: readonly string[]): Buffer {
    const known = this.#lists.get(terms);
    if (known?.resource === resource) return known.hashes;
    const sorted = terms.map((term) => this.hash(resource, term)).sort();
    const hashes = Buffer.from(sorted.join(''), 'latin1');
    if (this.#lists.size >= MAX_LISTS) this.#lists.clear();
    this.#lists.set(terms, { resource, hashes });
    return hashes;
  }

  #remember(resource: string, term: string, hash: string): void {
    if (this.#remembered >= MAX_REMEMBERED) {
      this.#known.clear();
      this.#remembered = 0;
    }
    const terms = this.#known.get(resource) ?? new Map<string, string>();
    this.#known.set(resource, terms);
    terms.set(term, hash);
    this.#remembered++;
  }
}

/** Terms whose hashes are remembered, and the longest of them: most objects share their labels with others. */
const MAX_REMEMBERED = 4_096;
const MAX_TERM = 200;
/** Lists of terms whose hashes are. */
const MAX_LISTS = 256;

const derived = (secret: Buffer, use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', use, 32));

/** The provider that does not encrypt. As in 1.32, it refuses to read values that are encrypted. */
export const identityProvider: Provider = {
  prefix: '',
  encrypt: (text) => [text],
  decrypt() {
    throw new Error('identity transformer tried to read encrypted data');
  },
  searchKeys: [],
  writesBy: undefined,
};

export interface NamedSecret {
  readonly name: string;
  readonly secret: Buffer;
}

/** What counts where nobody is asked. */
export const UNKNOWN = 'unknown';

const MISSING_KEY: Readonly<Record<CipherName, string>> = {
  aescbc: 'no matching key was found for the provided AES transformer',
  aesgcm: 'no matching key was found for the provided AES transformer',
  secretbox: 'no matching key was found for the provided Secretbox transformer',
};

/** Makes a provider for keys in the configuration, the first of which encrypts. @param made the ciphers */
export function keyProvider(name: CipherName, secrets: readonly NamedSecret[], made: Ciphers = ciphers): Provider {
  const prefix = `k8s:enc:${name}:v1:`;
  const keys = secrets.map((each) => ({ name: `${each.name}:`, prefix: Buffer.from(`${each.name}:`), cipher: made[name](each.secret) }));
  const searchKeys = secrets.map((each) => new SearchKey(`${prefix}${each.name}:`, each.secret));
  const [first] = keys;
  if (first === undefined) throw new Error(`${name} has no keys`);
  return {
    prefix,
    encrypt(text, key, counts) {
      const began = performance.now();
      const pieces = [first.prefix, ...first.cipher.encrypt(text, key)];
      counts.done('to_storage', first.name, began);
      return pieces;
    },
    decrypt(encrypted, key, counts) {
      const began = performance.now();
      const problems: string[] = [];
      for (const { name, prefix, cipher } of keys) {
        if (!startsWith(encrypted, prefix)) continue;
        try {
          const text = cipher.decrypt(encrypted.subarray(prefix.length), key);
          counts.done('from_storage', name, began);
          return { text, outdated: cipher !== first.cipher };
        } catch (error) {
          counts.failed('from_storage', name, error);
          problems.push((error as Error).message);
        }
      }
      if (problems.length === 0) counts.failed('from_storage', UNKNOWN);
      throw new Error(joined(problems, MISSING_KEY[name]));
    },
    searchKeys,
    writesBy: searchKeys[0]?.id,
  };
}

export const startsWith = (bytes: Buffer, prefix: Buffer): boolean =>
  bytes.length >= prefix.length && bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;

/** Joins problems to one text, without repetitions, as 1.32 does. @param none the text if there are none */
export function joined(problems: readonly string[], none: string): string {
  return aggregateText(problems) || none;
}

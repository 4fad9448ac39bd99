/**
 * Encrypts and decrypts the values of one resource, as 1.32 does: the first provider encrypts, and each provider whose prefix a value has is tried to decrypt
 * it.
 */

import { type Decrypted, joined, startsWith, UNKNOWN } from '../../encryption/providers.ts';
import type { Transformations } from '../../encryption/transformation-counts.ts';
import { ValueUnencryptable } from '../../errors.ts';
import { type TransformedValue, ValueUntransformable } from './value-transformers.ts';

/** One provider of a configuration's list. Providers with keys in the configuration return no promises, but those that ask a service do. */
export interface ValueProvider {
  /** prefix of all values that it has encrypted; empty: it does not encrypt */
  readonly prefix: string;
  /**
   * @param text not changed
   * @param key the key in etcd
   * @param counts metrics of the resource; a provider whose keys have prefixes of their own counts these there, too
   * @returns the bytes behind the prefix, in pieces that are valid until the next call
   * @throws Error if that is not possible at present
   */
  encrypt(text: Buffer, key: string, counts: Transformations): readonly Buffer[] | Promise<readonly Buffer[]>;
  /** @param encrypted the bytes behind the prefix. @throws Error if they cannot be decrypted */
  decrypt(encrypted: Buffer, key: string, counts: Transformations): Decrypted | Promise<Decrypted>;
}

/** All encrypted values begin so, whoever encrypted them. Values in JSON or protobuf never do. */
const ENCRYPTED = Buffer.from('k8s:enc:');
/** Name by which 1.32 counts values that are not encrypted. */
const IDENTITY = 'identity';
const NO_PROVIDER = 'no matching prefix found';
/** The reason why an encrypted value cannot be read if no configuration names the resource. */
export const ENCRYPTED_ANYHOW = 'identity transformer tried to read encrypted data';

export const isEncrypted = (stored: Buffer): boolean => startsWith(stored, ENCRYPTED);

interface PrefixedProvider {
  readonly prefix: Buffer;
  readonly provider: ValueProvider;
}

/** One attempt to read a value. */
interface Reading {
  readonly key: string;
  readonly stored: Buffer;
  /** when the reading began, by `performance.now()` */
  readonly began: number;
  /** messages of the providers that were tried */
  readonly problems: string[];
}

export class ResourceTransformer {
  readonly #providers: readonly PrefixedProvider[];
  readonly #counts: Transformations;

  /** @param providers at least one. @param counts metrics of the resource */
  constructor(providers: readonly ValueProvider[], counts: Transformations) {
    this.#providers = providers.map((provider) => ({ prefix: Buffer.from(provider.prefix), provider }));
    this.#counts = counts;
  }

  /** @throws ValueUnencryptable */
  toStorage(key: string, plain: Buffer): Buffer | Promise<Buffer> {
    const began = performance.now();
    const { prefix, provider } = this.#providers[0] as PrefixedProvider;
    const written = (pieces: readonly Buffer[]): Buffer => {
      this.#counts.done('to_storage', provider.prefix, began);
      return prefix.length === 0 ? plain : Buffer.concat([prefix, ...pieces]);
    };
    const failed = (error: unknown): never => {
      this.#counts.failed('to_storage', provider.prefix, error);
      throw new ValueUnencryptable(error as Error);
    };
    let pieces: ReturnType<ValueProvider['encrypt']>;
    try {
      pieces = provider.encrypt(plain, key, this.#counts);
    } catch (error) {
      return failed(error);
    }
    return pieces instanceof Promise ? pieces.then(written, failed) : written(pieces);
  }

  /** @throws ValueUntransformable */
  fromStorage(key: string, stored: Buffer): TransformedValue | Promise<TransformedValue> {
    return this.#read(0, { key, stored, began: performance.now(), problems: [] });
  }

  /** @param from index of the first provider that was not tried yet */
  #read(from: number, reading: Reading): TransformedValue | Promise<TransformedValue> {
    const { key, stored, problems } = reading;
    for (let at = from; at < this.#providers.length; at++) {
      const { prefix, provider } = this.#providers[at] as PrefixedProvider;
      if (!startsWith(stored, prefix)) continue;
      if (prefix.length === 0) {
        // a provider without a prefix matches any value, but must not keep others from decrypting an encrypted one
        if (isEncrypted(stored)) continue;
        return this.#done(at, reading, { text: stored, outdated: false });
      }
      try {
        const decrypted = provider.decrypt(stored.subarray(prefix.length), key, this.#counts);
        if (!(decrypted instanceof Promise)) return this.#done(at, reading, decrypted);
        return decrypted.then(
          (text) => this.#done(at, reading, text),
          (error: Error) => {
            this.#failed(provider, reading, error);
            return this.#read(at + 1, reading);
          },
        );
      } catch (error) {
        this.#failed(provider, reading, error as Error);
      }
    }
    if (problems.length === 0) this.#counts.failed('from_storage', UNKNOWN);
    throw new ValueUntransformable(joined(problems, NO_PROVIDER));
  }

  #done(at: number, { began }: Reading, { text, outdated }: Decrypted): TransformedValue {
    const { prefix } = (this.#providers[at] as PrefixedProvider).provider;
    this.#counts.done('from_storage', prefix === '' ? IDENTITY : prefix, began);
    return { plain: text, outdated: outdated || at !== 0 };
  }

  #failed({ prefix }: ValueProvider, { problems }: Reading, error: Error): void {
    this.#counts.failed('from_storage', prefix, error);
    problems.push(error.message);
  }
}

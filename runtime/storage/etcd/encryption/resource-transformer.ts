/** How values of one resource are encrypted in etcd: the first provider encrypts, and each that a value may be of is asked to decrypt it, by what 1.32 does. */

import { type Decrypted, joined, startsWith, UNKNOWN } from '../../encryption/providers.ts';
import type { Transformations } from '../../encryption/transformation-counts.ts';
import { ValueUnencryptable } from '../../errors.ts';
import { type TransformedValue, ValueUntransformable } from './value-transformers.ts';

/** One element of a configuration's list. What stands in the configuration answers at once; who asks a service may not. */
export interface ValueProvider {
  /** what all begins with that it has encrypted; empty: it encrypts nothing */
  readonly prefix: string;
  /**
   * @param text not changed
   * @param key as etcd has it
   * @param counts of the resource; who has keys with prefixes of their own counts them there
   * @returns what follows the prefix, in pieces that last until the next call
   * @throws Error where it cannot be done at present
   */
  encrypt(text: Buffer, key: string, counts: Transformations): readonly Buffer[] | Promise<readonly Buffer[]>;
  /** @param encrypted behind the prefix. @throws Error where it cannot be done */
  decrypt(encrypted: Buffer, key: string, counts: Transformations): Decrypted | Promise<Decrypted>;
}

/** What all begins with that anybody has encrypted: neither JSON nor protobuf does. */
const ENCRYPTED = Buffer.from('k8s:enc:');
/** As 1.32 counts what it reads as it is stored. */
const IDENTITY = 'identity';
const NO_PROVIDER = 'no matching prefix found';
/** The reason where no configuration names the resource. */
export const ENCRYPTED_ANYHOW = 'identity transformer tried to read encrypted data';

export const isEncrypted = (stored: Buffer): boolean => startsWith(stored, ENCRYPTED);

interface PrefixedProvider {
  readonly prefix: Buffer;
  readonly provider: ValueProvider;
}

/** One reading. */
interface Reading {
  readonly key: string;
  readonly stored: Buffer;
  /** by `performance.now()` */
  readonly began: number;
  /** of those that were asked */
  readonly problems: string[];
}

export class ResourceTransformer {
  readonly #providers: readonly PrefixedProvider[];
  readonly #counts: Transformations;

  /** @param providers one at least. @param counts of the resource */
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

  /** @param from the first provider that has not been asked */
  #read(from: number, reading: Reading): TransformedValue | Promise<TransformedValue> {
    const { key, stored, problems } = reading;
    for (let at = from; at < this.#providers.length; at++) {
      const { prefix, provider } = this.#providers[at] as PrefixedProvider;
      if (!startsWith(stored, prefix)) continue;
      if (prefix.length === 0) {
        // who reads what is not encrypted does not keep others from answering
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

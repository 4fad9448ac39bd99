/** How values of one resource are encrypted: the first provider encrypts, all decrypt, by what 1.32 does. */
import { ValueUndecryptable, ValueUnencryptable } from '../errors.ts';
import type { StoredBytes, Terms } from '../storage.ts';
import type { OpenedValue, OpenedValues } from './opened-values.ts';
import { joined, type Provider, type SearchKey, startsWith, UNKNOWN } from './providers.ts';
import { LentBytes } from './reused-bytes.ts';
import { encryptedPart, isSealed, sealedLength, sealedTerm, sealedValue, valueWithin, withOffset } from './sealed-value.ts';
import type { Transformations } from './transformation-counts.ts';

/** An encrypted value in the form that the store takes. */
export interface SealedValue extends StoredBytes {
  /** the memory with its bytes */
  readonly memory: Buffer;
  /** the value before encryption, which nobody changes any more, apart from its revision */
  readonly plain: Buffer;
  /** the generation of the opened values when it was encrypted */
  readonly generation: number;
}

interface PrefixedProvider {
  readonly prefix: Buffer;
  readonly provider: Provider;
}

export class ValueEncryption {
  readonly #resource: string;
  readonly #providers: readonly PrefixedProvider[];
  readonly #first: PrefixedProvider;
  readonly #termsOf: Terms['of'];
  readonly #searchKeys: readonly SearchKey[];
  readonly #readsPlain: boolean;
  readonly #opened: OpenedValues;
  readonly #counts: Transformations;

  /**
   * @param providers one at least
   * @param opened what these providers have decrypted
   * @param counts of the resource
   */
  constructor(resource: string, providers: readonly Provider[], termsOf: Terms['of'], opened: OpenedValues, counts: Transformations) {
    this.#opened = opened;
    this.#counts = counts;
    this.#resource = resource;
    this.#providers = providers.map((provider) => ({ prefix: Buffer.from(provider.prefix), provider }));
    this.#first = this.#providers[0] as PrefixedProvider;
    this.#termsOf = termsOf;
    this.#searchKeys = providers.flatMap(({ searchKeys }) => searchKeys);
    this.#readsPlain = providers.some(({ prefix }) => prefix === '');
  }

  /** @returns undefined where values are not encrypted. @throws ValueUnencryptable where they cannot be at present */
  seal(key: string, value: StoredBytes): SealedValue | undefined {
    const { prefix, provider } = this.#first;
    if (prefix.length === 0) {
      this.#counts.done('to_storage', provider.prefix, performance.now());
      return undefined;
    }
    const [searchKey] = provider.searchKeys;
    const hashes = searchKey?.hashesOf(this.#resource, this.#termsOf(this.#resource, value.bytes)) ?? NO_HASHES;
    const text = withOffset(value);
    const { generation } = this.#opened;
    const pieces = [prefix, ...this.#encrypt(provider, text, key)];
    const memory = lent.lend(sealedLength(hashes, pieces));
    return { bytes: sealedValue(hashes, pieces, memory), revisionOffset: -1, memory, plain: value.bytes, generation };
  }

  /** Takes the memory of a sealed value back. It must be called when its write has ended, because the store has then copied what it keeps. */
  written({ memory }: SealedValue): void {
    lent.giveBack(memory);
  }

  #encrypt(provider: Provider, text: Buffer, key: string): readonly Buffer[] {
    const began = performance.now();
    try {
      const pieces = provider.encrypt(text, key, this.#counts);
      this.#counts.done('to_storage', provider.prefix, began);
      return pieces;
    } catch (error) {
      this.#counts.failed('to_storage', provider.prefix, error);
      throw new ValueUnencryptable(error as Error);
    }
  }

  /** Keeps a value that was sealed, as it is read once it is stored. To be called when it has its revision. */
  stored(revision: number, { plain, generation }: SealedValue): void {
    if (generation === this.#opened.generation) this.#opened.keep(revision, { value: plain, outdated: false });
  }

  /** What was opened already, or is known since it was sealed. */
  known(revision: number): OpenedValue | undefined {
    return this.#opened.get(revision);
  }

  /** @param value as the store has it. @returns what nobody may change. @throws ValueUndecryptable for what nobody here can decrypt */
  open(key: string, revision: number, value: Buffer): OpenedValue {
    if (!isSealed(value)) {
      if (this.#readsPlain) {
        this.#counts.done('from_storage', IDENTITY, performance.now());
        return { value, outdated: this.#first.prefix.length > 0 };
      }
      this.#counts.failed('from_storage', UNKNOWN);
      throw new ValueUndecryptable(key, revision, NO_PROVIDER);
    }
    const known = this.#opened.get(revision);
    if (known !== undefined) return known;
    const opened = this.#decrypt(key, revision, encryptedPart(value));
    this.#opened.keep(revision, opened);
    return opened;
  }

  #decrypt(key: string, revision: number, encrypted: Buffer): OpenedValue {
    const began = performance.now();
    const problems: string[] = [];
    let none = NO_PROVIDER;
    for (const { prefix, provider } of this.#providers) {
      if (!startsWith(encrypted, prefix)) continue;
      try {
        const { text, outdated } = provider.decrypt(encrypted.subarray(prefix.length), key, this.#counts);
        const value = valueWithin(text, revision);
        this.#counts.done('from_storage', provider.prefix, began);
        return { value, outdated: outdated || provider !== this.#first.provider };
      } catch (error) {
        // who reads plain values as well is asked first, and does not keep others from answering
        if (prefix.length > 0) {
          this.#counts.failed('from_storage', provider.prefix, error);
          problems.push((error as Error).message);
        } else if (this.#providers.length === 1) none = (error as Error).message;
      }
    }
    if (problems.length === 0) this.#counts.failed('from_storage', UNKNOWN);
    throw new ValueUndecryptable(key, revision, joined(problems, none));
  }

  /** Terms of which a value has one, whoever has encrypted it, where the value has this term. */
  termsFor(term: string): string[] {
    return [term, ...this.#searchKeys.map((searchKey) => sealedTerm(searchKey.hash(this.#resource, term)))];
  }
}

/** The hashes of values that nobody may find by their terms. */
const NO_HASHES = Buffer.alloc(0);

/** The memory for values that are being written. */
const lent = new LentBytes();

/** The prefix under which 1.32 counts values that are not encrypted. */
const IDENTITY = 'identity';
const NO_PROVIDER = 'no matching prefix found';

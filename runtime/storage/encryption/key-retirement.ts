/**
 * Forgets keys that no configuration has any more and that nothing is encrypted by, history included: as long as a key is noted that is not here, searches read
 * all values of its resources. It looks through the store by steps, and ends at the first value that it was looking for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RevisionCompacted } from '../errors.ts';
import type { Storage } from '../storage.ts';
import { startsWith } from './providers.ts';
import { encryptedPart, isSealed } from './sealed-value.ts';
import type { StoreEncryption } from './store-encryption.ts';

/** The milliseconds between two looks. */
const INTERVAL = 60_000;
/** The milliseconds of a step of a look. */
const STEP = 2;
/** The milliseconds between two steps. */
const BETWEEN = 100;
/** The number of changes that are read at a time. */
const CHANGES = 100;

export class KeyRetirement {
  readonly #storage: Storage;
  readonly #encryption: Pick<StoreEncryption, 'unusedKeys' | 'forget'>;
  readonly #ended = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<unknown> = Promise.resolve();

  /** @param storage with values as they are on the disk */
  constructor(storage: Storage, encryption: Pick<StoreEncryption, 'unusedKeys' | 'forget'>) {
    this.#storage = storage;
    this.#encryption = encryption;
  }

  /** Begins to look from time to time. @param onError hears why a look ended, and the next one is made all the same */
  start(onError: (error: unknown) => void): void {
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.look()).catch((error) => this.#ended.signal.aborted || onError(error));
    }, INTERVAL).unref();
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#ended.abort();
    await this.#looking;
  }

  /** Looks once. @returns the keys that are forgotten. @throws StorageError */
  async look(): Promise<readonly string[]> {
    const unused = this.#encryption.unusedKeys();
    if (unused.length === 0) return [];
    const left = new Map(unused.map((id) => [id, prefixOf(id)]));
    try {
      await this.#look(left);
    } catch (error) {
      // some of the past has gone meanwhile: the next look begins later
      if (error instanceof RevisionCompacted) return [];
      throw error;
    }
    // values may have come from a process whose configuration is newer
    const forgotten = this.#encryption.unusedKeys().filter((id) => left.has(id));
    if (forgotten.length > 0) await this.#encryption.forget(forgotten);
    return forgotten;
  }

  /** Takes out of `left` what something is encrypted by: all that can be read is what was there after the last compaction, and what was written since. */
  async #look(left: Map<string, Buffer>): Promise<void> {
    const [compacted, newest] = [this.#storage.compactedRevision(), this.#storage.currentRevision()];
    const visit = (value: Buffer): void => {
      if (!isSealed(value)) return;
      const encrypted = encryptedPart(value);
      for (const [id, prefix] of left) if (startsWith(encrypted, prefix)) left.delete(id);
    };
    if (compacted > 0) {
      const scan = this.#storage.scan({ start: '', end: '', atRevision: compacted });
      let more = true;
      while (more && left.size > 0) {
        const until = performance.now() + STEP;
        more = scan.next(({ value }) => {
          visit(value);
          return left.size > 0 && performance.now() < until;
        });
        await sleep(BETWEEN, undefined, { signal: this.#ended.signal });
      }
    }
    for (let after = compacted; after < newest && left.size > 0; ) {
      const begun = after;
      for (const { revision, value } of this.#storage.changes(after, '', CHANGES)) {
        visit(value);
        after = revision;
      }
      if (after === begun) return;
      await sleep(BETWEEN, undefined, { signal: this.#ended.signal });
    }
  }
}

/** What values begin with that were encrypted by a key of this identity, or by another one of its name. */
const prefixOf = (id: string): Buffer => Buffer.from(id.slice(0, id.lastIndexOf(':') + 1));

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LmdbStorage } from '../../../runtime/storage/lmdb/embedded-storage.ts';
import { type LmdbStorageOptions, openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { type TestStore, words } from '../contract/store.ts';
import { checkConsistency } from './lmdb-check.ts';

export interface LmdbTestStore extends TestStore {
  readonly directory: string;
  readonly storage: LmdbStorage;
  reopen(options?: Partial<LmdbStorageOptions>): Promise<LmdbStorage>;
}

/** A store in a new temporary folder, whose consistency is checked when it is removed. */
export async function lmdbStore(options: Partial<LmdbStorageOptions> = {}): Promise<LmdbTestStore> {
  const directory = await mkdtemp(join(tmpdir(), 'storage-'));
  const open = (others: Partial<LmdbStorageOptions> = {}): LmdbStorage =>
    openLmdbStorage({ directory, dialect: 'test', terms: words, ...options, ...others });
  let storage = open();
  return {
    directory,
    get storage() {
      return storage;
    },
    async reopen(others) {
      await storage.close();
      storage = open(others);
      return storage;
    },
    index: () => storage.index(),
    async remove() {
      try {
        await storage.close();
        const problems = await checkConsistency(directory, options.terms ?? words);
        if (problems.length > 0) throw new Error(`the file is not consistent:\n${problems.join('\n')}`);
      } finally {
        await rm(directory, { recursive: true });
      }
    },
  };
}

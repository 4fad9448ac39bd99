import { bytes } from '../contract/store.ts';
import { storageContract } from '../contract.ts';
import { type LmdbTestStore, lmdbStore } from './lmdb-store.ts';

/** Its revisions begin behind what was there before. */
async function usedStore(): Promise<LmdbTestStore> {
  const store = await lmdbStore({ exclusive: true });
  const { storage } = store;
  for (const key of ['pods/a', 'services/specs/b']) await storage.delete(key, await storage.create(key, bytes('before')), bytes('gone'));
  await storage.compact(storage.currentRevision());
  return store;
}

/** Most of the time of a history is its disk's. */
const AT_ONCE = 4;

storageContract('lmdb', () => lmdbStore(), { atOnce: AT_ONCE }).run();
storageContract('lmdb of one process, which defers lone writes, where others were before', usedStore, { atOnce: AT_ONCE }).run();

/** The store of a data directory. */
import { join } from 'node:path';
import { groupVersions } from '../../generated/routes.ts';
import { storedTerms } from '../registry/stored-terms.ts';
import { openLmdbStorage } from '../storage/lmdb/lmdb-storage.ts';
import type { FolderStorage } from '../storage/storage.ts';
import type { Setup } from './setup.ts';

/** Where a data directory has its store. */
export const storeFolder = (directory: string): string => join(directory, 'store');

/** @throws IncompatibleStorage where the directory holds the objects of another dialect */
export function openFolderStore(directory: string, { identity, parsed, log }: Setup): FolderStorage {
  return openLmdbStorage({
    directory: storeFolder(directory),
    dialect: identity.dialect,
    terms: storedTerms(groupVersions),
    exclusive: parsed.values.workers === 1,
    onDamage: (err) => log.error({ err, key: err.key }, 'a stored value is damaged'),
    onDeferralEnd: (err) =>
      log.warn({ err }, 'the write-ahead log cannot be written: until the next start each write waits for the store itself'),
  });
}

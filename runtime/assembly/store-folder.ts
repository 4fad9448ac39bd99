/** Where a data directory has its store, and whether it can be one. Loads nothing of the store itself. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedStorage } from '../storage/lmdb/damage.ts';
import { tryOpening } from '../storage/lmdb/opening-trial.ts';
import { dataFile } from '../storage/lmdb/store-files.ts';

export const storeFolder = (directory: string): string => join(directory, 'store');

/** A server of a data directory writes this file when it is ready, and has its store by then. */
export const ADMINISTRATORS_CONFIGURATION = 'admin.conf';

/**
 * To be called by who has the lock of the directory, before the first process opens its store.
 * @throws DamagedStorage where a store was, and is not any longer, or cannot be opened
 */
export async function tryFolderStore(directory: string): Promise<void> {
  const store = storeFolder(directory);
  const file = dataFile(store);
  if (!existsSync(file) && existsSync(join(directory, ADMINISTRATORS_CONFIGURATION))) {
    throw new DamagedStorage(
      file,
      `is missing, where ${ADMINISTRATORS_CONFIGURATION} in ${directory} is that of a server which had a store`,
    );
  }
  await tryOpening(store);
}

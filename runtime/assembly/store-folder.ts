/** Where a data directory has its store, and whether it can be one. Loads nothing of the store itself. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ValueDamaged, ValueUndecryptable } from '../storage/errors.ts';
import { DamagedStorage } from '../storage/lmdb/damage.ts';
import { tryOpening } from '../storage/lmdb/opening-trial.ts';
import { statusOf } from '../storage/lmdb/regular-file.ts';
import { dataFile, missingData } from '../storage/lmdb/store-files.ts';

export const storeFolder = (directory: string): string => join(directory, 'store');

/** A server of a data directory writes this file when it is ready, and has its store by then. */
export const ADMINISTRATORS_CONFIGURATION = 'admin.conf';

/** In the data directory of a server whose store is in etcd: that it has none itself is no damage. */
const ETCD_MARK = 'store-in-etcd';

/** @param isInEtcd whether a server that was started there has its store in etcd. @throws Error of the system */
export function noteStorePlace(directory: string, isInEtcd: boolean): void {
  const mark = join(directory, ETCD_MARK);
  if (isInEtcd) writeFileSync(mark, 'The objects of the server of this folder are in etcd.\n');
  else rmSync(mark, { force: true });
}

/**
 * To be called by who has the lock of the directory, before the first process opens its store.
 * @param progress hears how far it is, where it may take long
 * @throws DamagedStorage where a store was, and is not any longer, or cannot be opened
 */
export async function tryFolderStore(directory: string, progress?: (doing: string) => void): Promise<void> {
  const missing = missingStore(directory);
  if (missing !== undefined) throw new DamagedStorage(dataFile(storeFolder(directory)), missing);
  await tryOpening(storeFolder(directory), progress);
}

/** @returns what is wrong where the data is not there, and was; undefined: it is there, or never was */
export function missingStore(directory: string): string | undefined {
  const store = storeFolder(directory);
  const marked = (name: string): boolean => statusOf(join(directory, name)) !== undefined;
  if (statusOf(dataFile(store)) !== undefined || !marked(ADMINISTRATORS_CONFIGURATION) || marked(ETCD_MARK)) return missingData(store);
  return `is missing, where ${ADMINISTRATORS_CONFIGURATION} in ${directory} is that of a server which had a store`;
}

/** What ended a start, with the file and what can be done where an object is damaged that no server starts without. */
export function explainStart(error: unknown, directory: string, isInEtcd: boolean): unknown {
  if (!(error instanceof ValueDamaged)) return error;
  if (error instanceof ValueUndecryptable)
    return new Error(
      `${error.message}. The server does not start without it: --encryption-provider-config needs the key that it was encrypted by, which a list may have last`,
      { cause: error },
    );
  if (isInEtcd)
    return new Error(
      `what etcd has cannot be served: ${error.message}. The server does not start without it: put the value back from a snapshot of etcd, or remove the key by etcdctl`,
      { cause: error },
    );
  return new Error(
    `${dataFile(storeFolder(directory))} is damaged: ${error.message}. The server does not start without it: put the whole folder back from a backup, with all its files of the same moment; or save what can be read by cluster-apiserver recover`,
    { cause: error },
  );
}

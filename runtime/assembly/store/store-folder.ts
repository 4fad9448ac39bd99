/** Where the store of a data directory is, and whether it may be opened. It loads nothing of the store's implementation. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ValueDamaged, ValueUndecryptable } from '../../storage/errors.ts';
import { DamagedStorage } from '../../storage/lmdb/files/damage.ts';
import { statusOf } from '../../storage/lmdb/files/regular-file.ts';
import { tryOpening } from '../../storage/lmdb/store-files/opening-trial.ts';
import { dataFile, missingData } from '../../storage/lmdb/store-files/store-files.ts';

export const storeFolder = (directory: string): string => join(directory, 'store');

/** A server writes this file into its data directory when it is ready, so its store exists by then. */
export const ADMINISTRATORS_CONFIGURATION = 'admin.conf';

/** Marks the data directory of a server whose store is in etcd: there, a missing store is no damage. */
const ETCD_MARK = 'store-in-etcd';

/** @param isInEtcd whether the server of this directory has its store in etcd @throws Error of the system */
export function noteStorePlace(directory: string, isInEtcd: boolean): void {
  const mark = join(directory, ETCD_MARK);
  if (isInEtcd) writeFileSync(mark, 'The objects of the server of this folder are in etcd.\n');
  else rmSync(mark, { force: true });
}

/**
 * The caller must have the lock of the directory, and no process may have opened its store yet.
 * @param progress is called with what it does, if it may take long
 * @throws DamagedStorage if the directory had a store that is missing or cannot be opened, IncompatibleStorage
 */
export async function tryFolderStore(directory: string, dialect: string, progress?: (doing: string) => void): Promise<void> {
  const missing = missingStore(directory);
  if (missing !== undefined) throw new DamagedStorage(dataFile(storeFolder(directory)), missing);
  await tryOpening(storeFolder(directory), dialect, progress);
}

/** @returns the problem if the directory had a store that is missing; undefined if the store is there or never was */
export function missingStore(directory: string): string | undefined {
  const store = storeFolder(directory);
  const marked = (name: string): boolean => statusOf(join(directory, name)) !== undefined;
  if (statusOf(dataFile(store)) !== undefined || !marked(ADMINISTRATORS_CONFIGURATION) || marked(ETCD_MARK)) return missingData(store);
  return `is missing, where ${ADMINISTRATORS_CONFIGURATION} in ${directory} is that of a server which had a store`;
}

/** Turns the error of a failed start into one that names the file and what can be done, if a damaged object is the cause. */
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

/** Tells whether a file of the data directory is temporary, so that a killed process may have left it behind. */
import { isSpoolFile, removeLeftSpoolFiles } from '../../endpoints/lists/spool-file.ts';
import { isSnapshotCopy, removeLeftSnapshots } from '../../storage/snapshot/store-snapshot.ts';

export const isLeftFile = (name: string): boolean => isSpoolFile(name) || isSnapshotCopy(name);

/** The caller must have the directory's lock, and no server may run yet. @throws Error of the system */
export function removeLeftFiles(directory: string): void {
  removeLeftSpoolFiles(directory);
  removeLeftSnapshots(directory);
}

/** What a process that was killed may have left in its data directory, which nobody has a use for. */
import { isSpoolFile, removeLeftSpoolFiles } from '../endpoints/lists/spool-file.ts';
import { isSnapshotCopy, removeLeftSnapshots } from '../storage/snapshot/store-snapshot.ts';

export const isLeftFile = (name: string): boolean => isSpoolFile(name) || isSnapshotCopy(name);

/** To be called by who has the directory's lock, before anybody serves. @throws Error of the system */
export function removeLeftFiles(directory: string): void {
  removeLeftSpoolFiles(directory);
  removeLeftSnapshots(directory);
}

/** Copies what a data directory has besides its store. */
import { copyFileSync, type Dirent, mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { systemReason } from '../files/system-reason.ts';

/**
 * @param leftOut names in the folder itself
 * @param failed hears of each file that cannot be read, which is left out
 * @throws Error of the file system where nothing can be written to `to`, which is there
 */
export function copyFiles(
  from: string,
  to: string,
  leftOut: (name: string) => boolean,
  failed: (file: string, reason: string) => void,
): void {
  for (const entry of entriesOf(from, failed)) {
    if (leftOut(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      // what is made is to be filled, whatever its owner may do with the other one
      mkdirSync(target, { mode: statSync(source).mode | 0o700 });
      copyFiles(source, target, () => false, failed);
    } else {
      copy(source, target, entry.isSymbolicLink(), failed);
    }
  }
}

function entriesOf(directory: string, failed: (file: string, reason: string) => void): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    failed(directory, systemReason(error));
    return [];
  }
}

/** Sockets and the like are nobody's any more. */
function copy(source: string, target: string, isLink: boolean, failed: (file: string, reason: string) => void): void {
  try {
    if (isLink) symlinkSync(readlinkSync(source), target);
    else if (statSync(source).isFile()) copyFileSync(source, target);
  } catch (error) {
    if (isOfTarget(error)) throw error;
    failed(source, systemReason(error));
  }
}

const isOfTarget = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');

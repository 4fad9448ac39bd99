/** Notes that LMDB could not write the head of a transaction, and what it has put back instead. */
import { readHeads } from './heads.ts';
import { PageFile } from './page-file.ts';
import { notePutBack } from './put-back.ts';

/** @param path of LMDB's file, behind the transaction that failed */
export function noteFailedHead(path: string): void {
  try {
    const file = new PageFile(path);
    try {
      const newest = Math.max(...readHeads(file).map((head) => (typeof head === 'string' ? -1 : head.transaction)));
      if (newest >= 0) notePutBack(path, newest + 1);
    } finally {
      file.close();
    }
  } catch {
    // a disk that reads nothing either is told by the next start
  }
}

/**
 * What LMDB leaves where it could not write the head of a transaction: the number of the transaction before the last one is put back, beside the trees of the
 * one that failed. The same might be a damaged number, which would make an acknowledged transaction one that never was. So it is noted when it happens.
 */
import { dirname, join } from 'node:path';
import { writeWhole } from '../files/directory.ts';
import { beginningOf } from '../files/regular-file.ts';

const noteOf = (data: string): string => join(dirname(data), 'put-back.json');

/** The most bytes of such a note. */
const MOST_BYTES = 200;

/** @param data path of LMDB's file. @param transaction that failed. What cannot be noted is damage to the next start */
export function notePutBack(data: string, transaction: number): void {
  try {
    writeWhole(noteOf(data), `${JSON.stringify({ transaction })}\n`);
  } catch {
    // on a disk that takes nothing at all LMDB could not put anything back either
  }
}

/** @returns the last transaction whose head could not be written */
export function putBackOf(data: string): number | undefined {
  try {
    return (JSON.parse(String(beginningOf(noteOf(data), MOST_BYTES)?.bytes)) as { readonly transaction: number }).transaction;
  } catch {
    return undefined;
  }
}

import { statfsSync } from 'node:fs';
import { constants } from 'node:os';
import { StorageFull } from '../errors.ts';
import { dataFile } from './store-files.ts';
import type { Tables } from './tables.ts';

const { EDQUOT, EFBIG, EIO, ENOSPC } = constants.errno;
const MDB_MAP_FULL = -30792;
const NO_ROOM: readonly unknown[] = [EDQUOT, EFBIG, ENOSPC, MDB_MAP_FULL];
const NEARLY_NOTHING = 1024 * 1024;

export interface Failure {
  /** for the writers of the transaction */
  readonly reason: Error;
  /** nothing can be written by this process any more */
  readonly final: boolean;
}

interface NativeError extends Error {
  readonly code?: number;
  /** of lmdb's "Commit failed": rejects with LMDB's own error */
  readonly commitError?: Promise<never>;
}

/**
 * Why a write transaction did not reach the disk. A full disk passes; reads that fail, or an error that is not LMDB's, do not.
 * @param rejection what the transaction was rejected with
 * @param thrown what was thrown inside it before, if anything was
 */
export async function explainFailure(rejection: unknown, thrown: unknown, tables: Tables, directory: string): Promise<Failure> {
  const commitError = await nativeError(rejection as NativeError);
  const error = (thrown ?? commitError) as NativeError;
  if (isOfNoRoom(error, directory)) {
    return { reason: new StorageFull(`the disk is full: ${dataFile(directory)} cannot be written`, { cause: error }), final: false };
  }
  const reason = new Error(`${dataFile(directory)} cannot be written: ${error.message}`, { cause: error });
  return { reason, final: error.code === undefined || !readable(tables) };
}

/**
 * What ended the opening of a store, with the file that LMDB does not name. @returns an error that is not LMDB's as it is
 */
export function explainOpening(error: unknown, directory: string): unknown {
  const { code, message } = error as NativeError;
  if (typeof code !== 'number') return error;
  const reason = isOfNoRoom(error as NativeError, directory) ? `the disk has no room (${message})` : message;
  return new Error(`${dataFile(directory)} cannot be opened, or not written: ${reason}`, { cause: error });
}

/** LMDB reports a write that was cut short as EIO, whatever cut it. */
function isOfNoRoom({ code }: NativeError, directory: string): boolean {
  return NO_ROOM.includes(code) || (code === EIO && freeBytes(directory) < NEARLY_NOTHING);
}

async function nativeError(error: NativeError): Promise<NativeError> {
  try {
    await error.commitError;
    return error;
  } catch (commitError) {
    return commitError as NativeError;
  }
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** LMDB refuses everything after a failure that left the file's head in doubt. */
function readable(tables: Tables): boolean {
  try {
    tables.read(() => tables.state());
    return true;
  } catch {
    return false;
  }
}

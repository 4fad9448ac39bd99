/** Why something could not be written or opened: LMDB names neither the file nor, where a write was cut short, what cut it. */
import { constants } from 'node:os';
import { StorageFull, StorageUnwritable } from '../../errors.ts';
import { LEAST_FREE, triedDisk } from '../store-files/disk-gate.ts';
import { dataFile } from '../store-files/store-files.ts';
import type { Environment } from '../tables/environment.ts';

const { EDQUOT, EFBIG, EIO, ENOSPC } = constants.errno;
const MDB_MAP_FULL = -30792;
const MDB_PANIC = -30795;
const NO_ROOM: readonly unknown[] = [EDQUOT, EFBIG, ENOSPC, MDB_MAP_FULL];

export interface Failure {
  /** for the writers of the transaction */
  readonly reason: Error;
  /** nothing can be written by this process any more */
  readonly final: boolean;
}

interface NativeError extends Error {
  readonly code?: number;
  /** a promise that rejects with LMDB's own error; only an error "Commit failed" of the package has it */
  readonly commitError?: Promise<never>;
}

/**
 * Why a write transaction did not reach the disk. A disk that is full, or fails, may pass; LMDB's end, or an error that is not LMDB's, does not.
 * @param rejection what the transaction was rejected with
 * @param thrown what was thrown inside it before, if anything was
 */
export async function explainFailure(
  rejection: unknown,
  thrown: unknown,
  environment: Pick<Environment, 'hasEnded'>,
  directory: string,
): Promise<Failure> {
  const commitError = await nativeError(rejection as NativeError);
  const error = (thrown ?? commitError) as NativeError;
  return { reason: reasonOf(error, directory), final: error.code === undefined || environment.hasEnded };
}

function reasonOf(error: NativeError, directory: string): Error {
  const file = dataFile(directory);
  if (typeof error.code !== 'number') return new Error(`${file} cannot be written: ${error.message}`, { cause: error });
  if (isOfNoRoom(error, directory)) return new StorageFull(`${file} cannot be written: ${noRoom(error)}`, { cause: error });
  const code = codeName(error.code);
  return new StorageUnwritable(`${file} cannot be written: ${lasting(error)} (${code})`, { cause: error, code });
}

/**
 * @param reason of a transaction that was to be written when LMDB ended.
 * @returns it for the writers: their work may be on the disk, or come to it while this process lasts
 */
export const inDoubt = (reason: Error): StorageUnwritable =>
  new StorageUnwritable(reason.message, {
    cause: reason,
    outcomeUnknown: true,
    ...(reason instanceof StorageUnwritable && { code: reason.code }),
  });

/** LMDB says EIO of a write that was cut short. */
const noRoom = ({ code }: NativeError): string => `no room is left on its disk (${code === EIO ? 'ENOSPC' : codeName(code)})`;

/**
 * What ended the opening of a store, with the file that LMDB does not name. @returns an error that is not LMDB's as it is
 */
export function explainOpening(error: unknown, directory: string): unknown {
  const { code } = error as NativeError;
  if (typeof code !== 'number') return error;
  const file = dataFile(directory);
  if (isOfNoRoom(error as NativeError, directory))
    return new StorageFull(
      `${file} cannot be opened, or not written: ${noRoom(error as NativeError)}; ${LEAST_FREE / 1024 / 1024} MiB are to be free`,
      { cause: error },
    );
  return new Error(`${file} cannot be opened, or not written: ${lasting(error as NativeError)} (${codeName(code)})`, { cause: error });
}

/**
 * The message without what LMDB attempted, such as the page that was to be written, which is another one each time: who is told of each reason once is told of
 * this one once.
 */
const lasting = ({ message }: NativeError): string => message.replace(/: Attempting to .*/s, '');

/** LMDB reports a write that was cut short as EIO, whatever cut it. */
function isOfNoRoom({ code }: NativeError, directory: string): boolean {
  return NO_ROOM.includes(code) || (code === EIO && !hasRoom(directory));
}

/** LMDB's own codes are negative. */
function codeName(code: number | undefined): string {
  if (code === MDB_MAP_FULL) return 'MDB_MAP_FULL';
  // the head could not be written: LMDB tells what it was to the transaction that wrote it, and this to those behind it, which may be heard first
  const error = code === MDB_PANIC ? EIO : code;
  return Object.entries(constants.errno).find(([, number]) => number === error)?.[0] ?? String(code);
}

async function nativeError(error: NativeError): Promise<NativeError> {
  try {
    await error.commitError;
    return error;
  } catch (commitError) {
    return commitError as NativeError;
  }
}

/** Whether a file of the data's length can grow; what else may be wrong with the disk tells nothing. */
function hasRoom(directory: string): boolean {
  return !NO_ROOM.includes(triedDisk(directory));
}

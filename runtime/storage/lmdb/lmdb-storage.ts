import type { ValueDamaged } from '../errors.ts';
import type { Terms } from '../storage.ts';
import { EmbeddedStorage, type LmdbStorage } from './embedded-storage.ts';
import { createDirectory, syncDirectory } from './files/directory.ts';
import { checkFormat } from './store-files/format.ts';
import { assertFiles, noteMade, noteOpened } from './store-files/store-files.ts';
import { type Environment, openEnvironment } from './tables/environment.ts';
import { explainOpening } from './writes/failure.ts';

export interface LmdbStorageOptions {
  /** created with mode 0700 where it does not exist; processes that open the same one share it */
  readonly directory: string;
  /** the dialect of the objects; a directory keeps the one that it was created with */
  readonly dialect: string;
  /**
   * Bytes that living values and history may take (as pages, without what LMDB needs besides); beyond it, create and update throw
   * StorageFull while deletes and compaction go on. Address space of 1.25 times as much is reserved. The same in all processes. Default 64 GiB.
   */
  readonly mapSize?: number;
  /**
   * True: no other process opens the store meanwhile. Where few writes are waiting, the store then appends them to a write-ahead log, which takes less time
   * than a commit of LMDB, and hands them to LMDB later. It also remembers revisions of keys. Default false.
   */
  readonly exclusive?: boolean;
  /**
   * Called with the reason when the write-ahead log cannot be written. Each write then is a transaction of LMDB, until the log is tried again some time
   * later. Called once for each reason, until the log works again. Must not throw.
   */
  readonly onDeferralEnd?: (reason: unknown) => void;
  /**
   * Called with the reason when LMDB cannot be written, once for each reason, and with undefined when it can be written again. Reads go on meanwhile. Must
   * not throw.
   */
  readonly onTrouble?: (reason: Error | undefined) => void;
  /**
   * Called once, with the reason, when this process cannot write any more. Where LMDB does not know which transaction is the newest one on the disk, this
   * process cannot read any more either. Another process may open the store, and goes by what is on the disk. Must not throw.
   */
  readonly onEnd?: (reason: Error) => void;
  /**
   * Called when the write-ahead log ended with a record that was not written whole. The store has dropped that record, and never gives again the revisions
   * that it may have had, so watches begin anew. Must not throw.
   */
  readonly onTornLog?: () => void;
  /** Called once for each damaged value that compaction or indexing meets. A read of such a value throws. Must not throw. */
  readonly onDamage?: (error: ValueDamaged) => void;
  /** the terms by which `scan` finds values; the same in all processes. Default: none */
  readonly terms?: Terms;
  /** milliseconds between two looks at a write transaction, which counts as stuck after sixty of them, or after ten where the last one failed. Default 1000 */
  readonly transactionLook?: number;
}

/** Returns the bytes of address space that a store of this size needs. */
export const addressSpaceOf = (mapSize = DEFAULT_MAP_SIZE): number => Math.ceil(mapSize * 1.25) + 2 ** 26;

const NO_TERMS: Terms = { definition: '', of: () => [] };
/** Bytes of addresses for the data: they cost nothing until there is data for them. */
const DEFAULT_MAP_SIZE = 64 * 2 ** 30;

/**
 * Opens the embedded store, creating it where there is none. Blocks for some milliseconds.
 * @throws IncompatibleStorage when the directory has another format or dialect, DamagedStorage when its files are not what the store left
 */
export function openLmdbStorage({
  directory,
  dialect,
  mapSize = DEFAULT_MAP_SIZE,
  terms = NO_TERMS,
  exclusive = false,
  onDeferralEnd = () => {},
  onDamage = () => {},
  onTrouble = () => {},
  onEnd = () => {},
  onTornLog = () => {},
  transactionLook,
}: LmdbStorageOptions): LmdbStorage {
  createDirectory(directory);
  assertFiles(directory);
  noteOpened(directory);
  let environment: Environment;
  try {
    environment = openEnvironment({
      directory,
      addressSpace: addressSpaceOf(mapSize),
      termsDefinition: terms.definition,
      defers: exclusive,
      tornLog: onTornLog,
      transactionLook,
      checkFormat: (record) => checkFormat(record, directory, dialect),
    });
  } catch (error) {
    throw explainOpening(error, directory);
  }
  syncDirectory(directory);
  noteMade(directory);
  return new EmbeddedStorage(environment, { directory, mapSize, terms, exclusive, onDeferralEnd, onTrouble, onEnd, onDamage });
}

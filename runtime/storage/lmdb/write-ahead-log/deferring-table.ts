/** The interface of tables whose writes may be deferred: on the disk in the write-ahead log, and in LMDB later. */
import type { Deed } from './log-layout.ts';

/** A deferred change of one row of a table. */
export interface DeferredRow {
  /** Makes the change visible to reads of this process. */
  show(): void;
  /** Writes the change to LMDB, inside a write transaction. */
  write(): void;
}

/** A table whose writes may be deferred. */
export interface DeferringTable {
  /** Forgets all changes that were shown: LMDB has them. */
  forget(): void;
  /** Forgets all changes that were collected and not shown. */
  drop(): void;
  /** Writes a deferred row of an earlier process to LMDB, inside a write transaction. */
  restore(deed: Deed, key: Buffer, value: Buffer): void;
  /** @returns a deferred row of an earlier process, to be shown now and written to LMDB later */
  kept(deed: Deed, key: Buffer, value: Buffer): DeferredRow;
}

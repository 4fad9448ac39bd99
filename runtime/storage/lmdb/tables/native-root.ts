/** The file of LMDB as `lmdb` has it: its own databases, its transactions, and the small texts that stand beside them. */
import * as lmdb from 'lmdb';
import { rawValue, textKey } from '../codecs/codecs.ts';
import { assertLockFile } from '../files/lock-file.ts';
import { PAGE_BYTES } from '../pages/page-file.ts';
import { decodeNote, encodeNote, type LogNote } from '../write-ahead-log/log-note.ts';
import { type NativeDatabase, type NativeTransaction, tableOptions } from './table.ts';

export interface NativeRoot extends NativeDatabase<string, Buffer> {
  openDB<Key, Value>(name: string, options: object): NativeDatabase<Key, Value>;
  useReadTransaction(): NativeTransaction;
  transaction<T>(action: () => T): Promise<T>;
  transactionSync<T>(action: () => T): T;
  resetReadTxn(): void;
  readerCheck(): number;
  /** a head, then a line for each: process, thread, transaction */
  readerList(): string;
  /** @param compacts leaves out pages that are free */
  backup(directory: string, compacts: boolean): Promise<void>;
  close(): Promise<void>;
}

/** What `resetReadTxn()` calls for lmdb's own read transaction; ours is apart from that one, whose renewal costs a timer each time. */
export const { resetTxn } = (lmdb as unknown as { nativeAddon: { resetTxn(address: number): void } }).nativeAddon;

/** @param addressSpace bytes of the map: LMDB maps anew beyond it, which it should not have to. @throws Error of LMDB or the file system */
export function openRoot(directory: string, addressSpace: number): NativeRoot {
  assertLockFile(directory);
  const options = {
    path: directory,
    noSubdir: false,
    permissionsMode: 0o600,
    pageSize: PAGE_BYTES,
    mapSize: addressSpace,
    overlappingSync: false,
    // the writer makes the batches; those of lmdb leave a promise behind that nobody handles when a commit fails
    eventTurnBatching: false,
    ...tableOptions(textKey, rawValue),
  };
  return lmdb.open(options as unknown as lmdb.RootDatabaseOptionsWithPath) as unknown as NativeRoot;
}

/** What the file knows of its write-ahead log. @param transaction in which it is read; absent: that of lmdb */
export function noteOf(root: NativeRoot, transaction?: NativeTransaction): LogNote | undefined {
  const bytes = root.getBinaryFast(NOTE, transaction === undefined ? {} : { transaction });
  return bytes === undefined ? undefined : decodeNote(bytes);
}

/** Inside a write transaction. */
export function putNote(root: NativeRoot, note: LogNote): void {
  root.put(NOTE, encodeNote(note));
}

/** The key of that note. */
export const NOTE = 'round';

import { statSync } from 'node:fs';
import { RevisionCompacted, type ValueDamaged } from '../errors.ts';
import {
  type Change,
  type Entry,
  type Finding,
  type FolderStorage,
  type Guard,
  isKey,
  MAX_KEY_BYTES,
  type RangeOptions,
  requireKey,
  type Scan,
  type ScanOptions,
  type StoredBytes,
  type StoreVerification,
  type Terms,
} from '../storage.ts';
import { type Latest, recordValueOffset } from './codecs.ts';
import { compact } from './compaction.ts';
import { createDirectory, createWhole, syncDirectory } from './directory.ts';
import { entries } from './entries.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { explainOpening } from './failure.ts';
import { checkFormat } from './format.ts';
import { type IndexedStorage, IndexFollower } from './index-follower.ts';
import { Indexer } from './indexer.ts';
import { KnownRevisions } from './known-revisions.ts';
import { create, footprint, type Known, type Mutation, probe, remove, update } from './mutations.ts';
import { restRange } from './postings.ts';
import { ownBytes, RecentChanges } from './recent-changes.ts';
import { changes } from './replay.ts';
import { RangeScan } from './scan.ts';
import { search } from './search.ts';
import { assertFiles, dataFile, noteClosed, noteMade, noteOpened } from './store-files.ts';
import { storeVerification } from './store-verification.ts';
import type { Tables } from './tables.ts';
import { assertReadable, commonSegment, countVersions, versionAt, versionRecord } from './versions.ts';
import { MOST_DEFERRED_BYTES, Writer } from './writer.ts';

export interface LmdbStorageOptions {
  /** created with mode 0700 where it does not exist; processes that open the same one share it */
  readonly directory: string;
  /** whose objects these are; a directory keeps the one it was created with */
  readonly dialect: string;
  /**
   * Bytes that living values and history may take (as pages, without what LMDB needs besides); beyond it, create and update throw
   * StorageFull while deletes and compaction go on. Address space of 1.25 times as much is reserved. The same in all processes. Default 64 GiB.
   */
  readonly mapSize?: number;
  /**
   * No other process has the store open meanwhile. Then a few writes at a time are on the disk before LMDB has them, which is sooner; and revisions
   * of keys are remembered. Default false.
   */
  readonly exclusive?: boolean;
  /**
   * Hears why no write can be on the disk before LMDB has it: each is left to a transaction of LMDB's, until the write-ahead log is tried again some time
   * later; of each reason once, until it works again. Must not throw.
   */
  readonly onDeferralEnd?: (reason: unknown) => void;
  /** Hears why LMDB cannot be written, of each reason once, and by undefined that it can again. Reads go on meanwhile. Must not throw. */
  readonly onTrouble?: (reason: Error | undefined) => void;
  /**
   * Hears, once, why nothing can be written by this process any more, nor read where LMDB does not know which transaction is the newest one on the disk: another
   * process that opens the store goes by what is there. Must not throw.
   */
  readonly onEnd?: (reason: Error) => void;
  /**
   * Hears that the write-ahead log ended with something that was not written whole: it was dropped, and the revisions that it may have had are not given
   * again, so that watches begin anew. Must not throw.
   */
  readonly onTornLog?: () => void;
  /** Hears of each damaged value that compaction or indexing comes across, once; whoever reads one is told by an error. Must not throw. */
  readonly onDamage?: (error: ValueDamaged) => void;
  /** by which `scan` finds values; the same in all processes. Default: none */
  readonly terms?: Terms;
  /** milliseconds between two looks at a transaction, of which it has sixty, and ten behind one that the disk has failed. Default: a second */
  readonly transactionLook?: number;
}

/** Bytes of the file, estimated: what `mapSize` limits. */
export interface StorageSize {
  /** taken by the latest values */
  readonly liveBytes: number;
  /** taken by superseded values and tombstones: what a compaction at the current revision would free */
  readonly historyBytes: number;
}

export interface LmdbStorage extends FolderStorage, IndexedStorage {
  verification(found: (finding: Finding) => void): StoreVerification;
  size(): StorageSize;
}

/** Of the map, for a store of this size. */
export const addressSpaceOf = (mapSize = DEFAULT_MAP_SIZE): number => Math.ceil(mapSize * 1.25) + 2 ** 26;

const NO_TERMS: Terms = { definition: '', of: () => [] };
/** Bytes of a block, whatever the file system: stat(2). */
const BLOCK = 512;
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

class EmbeddedStorage implements LmdbStorage {
  readonly #environment: Environment;
  readonly #tables: Tables;
  readonly #writer: Writer;
  readonly #directory: string;
  readonly #capacity: number;
  readonly #terms: Terms;
  readonly #damaged: (error: ValueDamaged) => void;
  readonly #indexer: Indexer;
  readonly #known: KnownRevisions | undefined;
  readonly #recentChanges: RecentChanges;
  readonly #listeners = new Set<(revision: number) => void>();
  #notified: number;
  readonly #copies = new Set<Promise<void>>();
  #closed: Promise<void> | undefined;

  constructor(environment: Environment, options: Required<Omit<LmdbStorageOptions, 'dialect' | 'onTornLog' | 'transactionLook'>>) {
    const { directory, mapSize, terms, exclusive, onDeferralEnd: deferralEnded, onTrouble: troubled, onEnd: ended } = options;
    this.#environment = environment;
    this.#tables = environment.tables;
    this.#directory = directory;
    this.#capacity = mapSize;
    const alone = exclusive && environment.deferred.isOn;
    this.#writer = new Writer({ environment, directory, defers: alone, deferralEnded, troubled, ended, committed: () => this.#announce() });
    this.#terms = terms;
    this.#damaged = onceOfEach(options.onDamage);
    this.#indexer = new Indexer(this.#tables, this.#writer, terms, this.#damaged);
    this.#known = alone ? new KnownRevisions() : undefined;
    this.#recentChanges = new RecentChanges({ records: this.#tables.recent, stored: (key, revision) => this.#ownValue(key, revision) });
    this.#notified = this.currentRevision();
  }

  currentRevision(): number {
    this.#assertOpen();
    return this.#known === undefined ? this.#newestRevision() : this.#known.newest(this.#newestRevision);
  }

  /** Where this process alone writes, what it has told of: that is told as soon as writes are settled, and before those who wait for them go on. */
  settledRevision(): number {
    if (this.#known === undefined) return this.currentRevision();
    this.#assertOpen();
    return this.#notified;
  }

  readonly #newestRevision = (): number => this.#read((tables) => tables.state().revision);

  compactedRevision(): number {
    return this.#read((tables) => tables.state().compacted);
  }

  size(): StorageSize {
    const { liveBytes, historyBytes } = this.#read((tables) => tables.state());
    return { liveBytes, historyBytes };
  }

  allocatedBytes(): number {
    return statSync(dataFile(this.#directory)).blocks * BLOCK;
  }

  create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, value, (known) => create(writableKey(key), value, this.#capacity, guard, known));
  }

  update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, value, (known) => update(writableKey(key), expectedRevision, value, this.#capacity, guard, known));
  }

  delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    return this.#write(key, lastValue, (known) => remove(writableKey(key), expectedRevision, lastValue, known), true);
  }

  async probe(): Promise<void> {
    await this.#writer.submit(probe(this.#capacity));
  }

  /** @param make what it throws, the promise rejects with. @param removes the key has nothing then */
  #write(key: string, value: StoredBytes, make: (known?: Known) => Mutation, removes = false): Promise<number> {
    const known = this.#known;
    let mutation: Mutation;
    try {
      mutation = make(known && ((each) => known.forWrite(each, key)));
    } catch (error) {
      return Promise.reject(error);
    }
    if (known === undefined) return this.#writer.submit(mutation);
    known.began(key);
    const ended = (revision?: number): void =>
      known.ended(
        key,
        revision === undefined || removes ? undefined : { revision, size: footprint(Buffer.byteLength(key), value.bytes.length) },
      );
    return this.#writer.submit(mutation, value.bytes.length <= MOST_DEFERRED_BYTES, ended);
  }

  get(key: string, atRevision?: number): Entry | undefined {
    if (atRevision === undefined) return this.look(key, ownEntry);
    return this.#read((tables) => {
      assertReadable(tables.state(), atRevision);
      return entryAt(tables, key, atRevision, ownEntry);
    });
  }

  look<T>(key: string, take: (entry: Entry) => T): T | undefined {
    if (this.#known === undefined) return this.#read((tables) => entryAt(tables, key, undefined, take));
    // Should a write of the key become visible meanwhile, this version is still there: no compaction goes beyond what was written before that.
    const revision = this.revisionOf(key);
    if (revision === undefined) return undefined;
    const recent = this.#tables.recent.get(revision);
    return recent === undefined ? this.#read((tables) => entryOf(tables, key, revision, take)) : take(entryIn(recent, key, revision));
  }

  revisionOf(key: string): number | undefined {
    this.#assertOpen();
    return this.#latestOf(key)?.revision;
  }

  mostBytesOf(key: string): number {
    this.#assertOpen();
    return this.#latestOf(key)?.size ?? 0;
  }

  #latestOf(key: string): Latest | undefined {
    return this.#known === undefined ? this.#lookUp(key) : this.#known.of(key, this.#lookUp);
  }

  readonly #lookUp = (key: string): Latest | undefined => (isKey(key) ? this.#read((tables) => tables.keys.get(key)) : undefined);

  range({ start, end, atRevision, limit = Number.POSITIVE_INFINITY }: RangeOptions): Iterable<Entry> {
    assertBounds(start, end);
    const revision = this.#readableRevision(atRevision);
    return entries(this.#tables, start, end, revision, limit);
  }

  scan({ start, end, atRevision, requirements = [] }: ScanOptions): Scan {
    assertBounds(start, end);
    const revision = this.#readableRevision(atRevision);
    const within = requirements.length === 0 ? undefined : restRange(commonSegment(start, end), start, end);
    const found = within === undefined ? undefined : search(this.#tables, within, revision, requirements);
    return found ?? new RangeScan(this.#tables, start, end, revision);
  }

  count({ start, end, atRevision }: Omit<RangeOptions, 'limit'>): number {
    assertBounds(start, end);
    return this.#read((tables) => {
      const state = tables.state();
      if (atRevision !== undefined) assertReadable(state, atRevision);
      return countVersions(tables, state, start, end, atRevision ?? state.revision);
    });
  }

  changes(after: number, prefix: string, limit = Number.POSITIVE_INFINITY): Iterable<Change> {
    const { revision, compacted } = this.#read((tables) => tables.state());
    if (after < compacted) throw new RevisionCompacted(after, compacted);
    if (after >= revision) return [];
    return changes(this.#tables, this.#recentChanges, { after, upTo: revision, prefix, limit });
  }

  /** Of a version that is there. */
  #ownValue(key: string, revision: number): Buffer {
    return this.#read((tables) => entryOf(tables, key, revision, ({ value }) => ownBytes(value)));
  }

  onCommit(listener: (revision: number) => void): () => void {
    this.#assertOpen();
    const registered = (revision: number): void => listener(revision);
    this.#listeners.add(registered);
    return () => void this.#listeners.delete(registered);
  }

  notify(): void {
    this.#assertOpen();
    this.#announce();
  }

  #announce(): void {
    const { revision } = this.#tables.read(() => this.#tables.state());
    if (revision <= this.#notified) return;
    this.#notified = revision;
    for (const listener of this.#listeners) {
      try {
        listener(revision);
      } catch (error) {
        // neither the writer nor the other listeners answer for it
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /** What is on the disk is visible to every process. */
  barrier(): undefined {}

  keepIndex(onError: (error: unknown) => void): IndexFollower {
    return new IndexFollower(this, onError);
  }

  verification(found: (finding: Finding) => void): StoreVerification {
    this.#assertOpen();
    const tell = (finding: Finding): void => {
      // who reads it next is to find that as well
      if (finding.revision !== undefined) this.#tables.verified.forget(finding.revision);
      found(finding);
    };
    return storeVerification({ tables: this.#tables, file: dataFile(this.#directory), terms: this.#terms, found: tell });
  }

  async compact(revision: number): Promise<void> {
    this.#environment.checkReaders();
    await this.#indexer.advance();
    return compact({ tables: this.#tables, writer: this.#writer, terms: this.#terms, damaged: this.#damaged }, revision);
  }

  index(): Promise<void> {
    this.#assertOpen();
    return this.#indexer.advance();
  }

  async copyTo(directory: string): Promise<void> {
    this.#assertOpen();
    const copy = createWhole(directory, async (part) => {
      await this.#environment.copy(part);
      noteMade(part);
      noteClosed(part);
    });
    this.#copies.add(copy);
    try {
      await copy;
    } finally {
      this.#copies.delete(copy);
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    await Promise.allSettled(this.#copies);
    await this.#environment.close();
    noteClosed(this.#directory);
  }

  #readableRevision(atRevision: number | undefined): number {
    return this.#read((tables) => {
      const state = tables.state();
      if (atRevision === undefined) return state.revision;
      assertReadable(state, atRevision);
      return atRevision;
    });
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw new Error('the store is closed');
  }

  #read<T>(action: (tables: Tables) => T): T {
    this.#assertOpen();
    return this.#tables.read(() => action(this.#tables));
  }
}

/** The first time that each version is met. */
function onceOfEach(hear: (error: ValueDamaged) => void): (error: ValueDamaged) => void {
  const heard = new Set<number>();
  return (error) => {
    if (heard.has(error.revision)) return;
    heard.add(error.revision);
    hear(error);
  };
}

/** @param take gets the value where LMDB has read it, good until the next read */
function entryAt<T>(tables: Tables, key: string, atRevision: number | undefined, take: (entry: Entry) => T): T | undefined {
  const revision = isKey(key) ? versionAt(tables, key, atRevision) : undefined;
  return revision === undefined ? undefined : entryOf(tables, key, revision, take);
}

function entryOf<T>(tables: Tables, key: string, revision: number, take: (entry: Entry) => T): T {
  return take(entryIn(versionRecord(tables, key, revision), key, revision));
}

/** A buffer of LMDB's is longer than what LMDB says its length is. */
const entryIn = (record: Buffer, key: string, revision: number): Entry => ({
  key,
  revision,
  value: record.subarray(recordValueOffset(record), record.length),
});

const ownEntry = (entry: Entry): Entry => ({ ...entry, value: Buffer.from(entry.value) });

function writableKey(key: string): string {
  requireKey(key);
  return key;
}

/** Bounds may be a little longer than keys: the place just after a key. */
function assertBounds(start: string, end: string): void {
  if (Buffer.byteLength(start) > MAX_KEY_BYTES + 1 || Buffer.byteLength(end) > MAX_KEY_BYTES + 1) {
    throw new RangeError(`a bound of a range is longer than ${MAX_KEY_BYTES + 1} bytes`);
  }
}

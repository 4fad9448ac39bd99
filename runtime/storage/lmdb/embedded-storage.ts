import { statSync } from 'node:fs';
import { CommitListeners } from '../commit-listeners.ts';
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
import type { Latest } from './codecs/codecs.ts';
import { compact } from './compaction.ts';
import { createWhole } from './files/directory.ts';
import { type IndexedStorage, IndexFollower } from './index/index-follower.ts';
import { Indexer } from './index/indexer.ts';
import { restRange } from './index/postings.ts';
import { search } from './index/search.ts';
import { KnownRevisions } from './recent/known-revisions.ts';
import { ownBytes, RecentChanges } from './recent/recent-changes.ts';
import { dataFile, noteClosed, noteMade } from './store-files/store-files.ts';
import type { Environment } from './tables/environment.ts';
import type { Tables } from './tables/tables.ts';
import { storeVerification } from './verification/store-verification.ts';
import { entries } from './versions/entries.ts';
import { changes } from './versions/replay.ts';
import { RangeScan } from './versions/scan.ts';
import { entryAt, entryIn, entryOf, ownEntry } from './versions/version-entries.ts';
import { assertReadable, commonSegment, countVersions } from './versions/versions.ts';
import { create, footprint, type Known, type Mutation, probe, remove, update } from './writes/mutations.ts';
import { MOST_DEFERRED_BYTES, Writer } from './writes/writer.ts';

/** The estimated bytes of the file, which `mapSize` limits. */
export interface StorageSize {
  /** the bytes of the latest values */
  readonly liveBytes: number;
  /** the bytes of superseded values and tombstones, which a compaction at the current revision would free */
  readonly historyBytes: number;
}

export interface LmdbStorage extends FolderStorage, IndexedStorage {
  verification(found: (finding: Finding) => void): StoreVerification;
  size(): StorageSize;
}

/** The bytes of a block in `stat(2)`, for every file system. */
const BLOCK = 512;

/** The members of `LmdbStorageOptions`, with their defaults. */
export interface EmbeddedStorageOptions {
  readonly directory: string;
  readonly mapSize: number;
  readonly terms: Terms;
  readonly exclusive: boolean;
  readonly onDeferralEnd: (reason: unknown) => void;
  readonly onTrouble: (reason: Error | undefined) => void;
  readonly onEnd: (reason: Error) => void;
  readonly onDamage: (error: ValueDamaged) => void;
}

/** The store in a folder of this machine, over an environment that is open. */
export class EmbeddedStorage implements LmdbStorage {
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
  readonly #listeners = new CommitListeners();
  /** the newest revision that listeners were told of */
  #notified: number;
  readonly #copies = new Set<Promise<void>>();
  #closed: Promise<void> | undefined;

  constructor(environment: Environment, options: EmbeddedStorageOptions) {
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

  /**
   * Where this process alone writes, the revision that listeners were told of last. They are told when writes are on the disk, before the writers go on, so
   * that revision shows each write that has resolved.
   */
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

  /** @param make the promise rejects with what it throws. @param removes whether the key has no value after the write */
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
    // Another write of the key may become visible meanwhile. This version can be read all the same: no compaction reaches a revision that is not visible.
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

  /** A copy of the value of a version that is there. */
  #ownValue(key: string, revision: number): Buffer {
    return this.#read((tables) => entryOf(tables, key, revision, ({ value }) => ownBytes(value)));
  }

  onCommit(listener: (revision: number) => void): () => void {
    this.#assertOpen();
    return this.#listeners.add(listener);
  }

  notify(): void {
    this.#assertOpen();
    this.#announce();
  }

  #announce(): void {
    const { revision } = this.#tables.read(() => this.#tables.state());
    if (revision <= this.#notified) return;
    this.#notified = revision;
    this.#listeners.tell(revision);
  }

  /** Nobody waits: what is on the disk is visible to every process. */
  barrier(): undefined {}

  keepIndex(onError: (error: unknown) => void): IndexFollower {
    return new IndexFollower(this, onError);
  }

  verification(found: (finding: Finding) => void): StoreVerification {
    this.#assertOpen();
    const tell = (finding: Finding): void => {
      // the next read of it verifies it anew, and finds the damage too
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

/** Calls `hear` once for each damaged version. */
function onceOfEach(hear: (error: ValueDamaged) => void): (error: ValueDamaged) => void {
  const heard = new Set<number>();
  return (error) => {
    if (heard.has(error.revision)) return;
    heard.add(error.revision);
    hear(error);
  };
}

function writableKey(key: string): string {
  requireKey(key);
  return key;
}

/** A bound may be one byte longer than a key: `key + '\0'` is the place just after a key. @throws RangeError for a longer one */
function assertBounds(start: string, end: string): void {
  if (Buffer.byteLength(start) > MAX_KEY_BYTES + 1 || Buffer.byteLength(end) > MAX_KEY_BYTES + 1) {
    throw new RangeError(`a bound of a range is longer than ${MAX_KEY_BYTES + 1} bytes`);
  }
}

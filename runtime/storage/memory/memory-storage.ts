/** A store in the memory of this process, gone with it: for servers in tests. Without an index: scans look at every value of their range. */
import { RevisionCompacted, RevisionInFuture } from '../errors.ts';
import {
  type Change,
  type Entry,
  type Guard,
  isKey,
  type RangeOptions,
  type Scan,
  type ScanOptions,
  type ServedStorage,
  type StoredBytes,
} from '../storage.ts';
import { MemoryData, type Version, versionAt } from './memory-data.ts';

/** Keys that a compaction looks at before others have their turn. */
const SLICE = 512;

interface Write {
  readonly make: () => number;
  readonly done: (revision: number) => void;
  readonly failed: (error: unknown) => void;
}

interface Listener {
  readonly told: (revision: number) => void;
}

export class MemoryStorage implements ServedStorage {
  readonly #data: MemoryData;
  readonly #listeners = new Set<Listener>();
  /** made together, in a turn of the event loop of their own: what is read in one turn never changes meanwhile */
  #writes: Write[] = [];
  #compacting: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #closed = false;

  /** @param data what is there already, of one store at a time */
  constructor(data = new MemoryData()) {
    this.#data = data;
  }

  /** A store of its own that begins with what this one holds now, at the same revision; its past is not readable. Costs a reference for some 200 keys. */
  fork(): MemoryStorage {
    this.#requireOpen();
    return new MemoryStorage(this.#data.fork());
  }

  currentRevision(): number {
    this.#requireOpen();
    return this.#data.revision;
  }

  settledRevision(): number {
    return this.currentRevision();
  }

  compactedRevision(): number {
    this.#requireOpen();
    return this.#data.compacted;
  }

  size(): { readonly historyBytes: number } {
    return { historyBytes: this.#data.historyBytes };
  }

  allocatedBytes(): undefined {}

  create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write('create', key, undefined, value, guard);
  }

  update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write('update', key, expectedRevision, value, guard);
  }

  delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    return this.#write('delete', key, expectedRevision, lastValue);
  }

  async #write(
    operation: Change['operation'],
    key: string,
    expected: number | undefined,
    value: StoredBytes,
    guard?: Guard,
  ): Promise<number> {
    requireKey(key);
    return this.#queue(() => this.#data.write(operation, key, expected, value, guard));
  }

  /** What resolves is visible. */
  barrier(): undefined {}

  /** Nobody else writes. */
  notify(): void {}

  /** What is in memory is what was written. */
  verification(): undefined {}

  /** Scans have no index. */
  keepIndex(): { stop(): Promise<void> } {
    return { stop: async () => {} };
  }

  async probe(): Promise<void> {
    await this.#queue(() => this.#data.revision);
  }

  async #queue(make: () => number): Promise<number> {
    this.#requireOpen();
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<number>();
    if (this.#writes.length === 0) setImmediate(() => this.#commit());
    this.#writes.push({ make, done, failed });
    return promise;
  }

  #commit(): void {
    const writes = this.#writes;
    this.#writes = [];
    const before = this.#data.revision;
    for (const { make, done, failed } of writes) {
      try {
        done(make());
      } catch (error) {
        failed(error);
      }
    }
    if (this.#data.revision > before) for (const { told } of [...this.#listeners]) tell(told, this.#data.revision);
  }

  onCommit(listener: (revision: number) => void): () => void {
    this.#requireOpen();
    const own = { told: listener };
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  get(key: string, atRevision?: number): Entry | undefined {
    const version = this.#versionOf(key, this.#readable(atRevision));
    return version && { key, revision: version.revision, value: Buffer.from(version.value) };
  }

  look<T>(key: string, take: (entry: Entry) => T): T | undefined {
    const version = this.#versionOf(key, this.#readable(undefined));
    return version && take({ key, revision: version.revision, value: version.value });
  }

  revisionOf(key: string): number | undefined {
    return this.#versionOf(key, this.#readable(undefined))?.revision;
  }

  mostBytesOf(key: string): number {
    return this.#versionOf(key, this.#readable(undefined))?.value.length ?? 0;
  }

  #versionOf(key: string, revision: number): Version | undefined {
    const newest = this.#data.keys.get(key);
    const version = newest && versionAt(newest, revision);
    return version?.removed === true ? undefined : version;
  }

  range({ start, end, atRevision, limit = Number.POSITIVE_INFINITY }: RangeOptions): Iterable<Entry> {
    return this.#entries(start, end, this.#readable(atRevision), limit);
  }

  *#entries(start: string, end: string, revision: number, limit: number): Generator<Entry> {
    let left = limit;
    if (left <= 0) return;
    for (const [key, newest] of this.#data.keys.entries(start, end)) {
      this.#requireOpen();
      const version = versionAt(newest, revision);
      if (version === undefined || version.removed) continue;
      yield { key, revision: version.revision, value: version.value };
      if (--left <= 0) return;
    }
    this.#requireOpen();
  }

  scan({ start, end, atRevision }: ScanOptions): Scan {
    const revision = this.#readable(atRevision);
    let from: string | undefined = start;
    return {
      next: (visit) => {
        if (from === undefined) return false;
        this.#readable(revision);
        const begin = from;
        from = undefined;
        this.#data.keys.visit(begin, end, (key, newest) => {
          const version = versionAt(newest, revision);
          if (version === undefined || version.removed) return true;
          if (visit({ key, revision: version.revision, value: version.value })) return true;
          from = `${key}\0`;
          return false;
        });
        return from !== undefined;
      },
    };
  }

  count({ start, end, atRevision }: Omit<RangeOptions, 'limit'>): number {
    const revision = this.#readable(atRevision);
    let count = 0;
    this.#data.keys.visit(start, end, (_, newest) => {
      const version = versionAt(newest, revision);
      if (version !== undefined && !version.removed) count++;
      return true;
    });
    return count;
  }

  changes(after: number, prefix: string, limit = Number.POSITIVE_INFINITY): Iterable<Change> {
    this.#requireOpen();
    if (after < this.#data.compacted) throw new RevisionCompacted(after, this.#data.compacted);
    return this.#changes(after, prefix, limit);
  }

  *#changes(after: number, prefix: string, limit: number): Generator<Change> {
    let left = limit;
    if (left <= 0) return;
    for (const { operation, key, version } of this.#data.changes(after, prefix)) {
      this.#requireOpen();
      const { revision, value, previous } = version;
      yield { operation, key, revision, value, previousValue: operation === 'create' ? undefined : previous?.value };
      if (--left <= 0) return;
    }
    this.#requireOpen();
  }

  compact(revision: number): Promise<void> {
    const compacted = this.#compacting.then(() => this.#compact(revision));
    this.#compacting = compacted.catch(() => {});
    return compacted;
  }

  async #compact(revision: number): Promise<void> {
    this.#requireOpen();
    if (revision > this.#data.revision) throw new RangeError(`revision ${revision} is beyond the newest, ${this.#data.revision}`);
    if (revision < this.#data.compacted) return;
    this.#data.compacted = revision;
    this.#data.forgetChanges(revision);
    for (let from: string | undefined = ''; from !== undefined; ) {
      const slice: [string, Version][] = [];
      this.#data.keys.visit(from, '', (key, newest) => slice.push([key, newest]) < SLICE);
      for (const [key, newest] of slice) this.#data.forgetVersions(key, newest, revision);
      from = slice.length < SLICE ? undefined : `${slice.at(-1)?.[0]}\0`;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = true;
    if (this.#writes.length > 0) await new Promise((resolve) => setImmediate(resolve));
    await this.#compacting;
    this.#listeners.clear();
  }

  /** @throws RevisionCompacted, RevisionInFuture */
  #readable(atRevision: number | undefined): number {
    this.#requireOpen();
    const { revision, compacted } = this.#data;
    if (atRevision === undefined) return revision;
    if (atRevision < compacted) throw new RevisionCompacted(atRevision, compacted);
    if (atRevision > revision) throw new RevisionInFuture(atRevision, revision);
    return atRevision;
  }

  #requireOpen(): void {
    if (this.#closed) throw new Error('the store is closed');
  }
}

/** Neither the writers nor the other listeners answer for what one throws. */
function tell(listener: (revision: number) => void, revision: number): void {
  try {
    listener(revision);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** @throws RangeError for one that no store takes */
function requireKey(key: string): void {
  if (!isKey(key)) throw new RangeError(`not a key: ${JSON.stringify(key.slice(0, 100))}`);
}

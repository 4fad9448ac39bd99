/** A store that is read as it is, and written by writes of their own. */
import type { Change, Entry, Guard, RangeOptions, Scan, ScanOptions, Storage, StorageLog, StoredBytes } from './storage.ts';

export class FencedStorage implements Storage {
  readonly #storage: Storage;
  readonly #writes: Pick<StorageLog, 'create' | 'update' | 'delete'>;

  constructor(storage: Storage, writes: Pick<StorageLog, 'create' | 'update' | 'delete'>) {
    this.#storage = storage;
    this.#writes = writes;
  }

  create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#writes.create(key, value, guard);
  }

  update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#writes.update(key, expectedRevision, value, guard);
  }

  delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    return this.#writes.delete(key, expectedRevision, lastValue);
  }

  probe(): Promise<void> {
    return this.#storage.probe();
  }

  barrier(): Promise<void> | undefined {
    return this.#storage.barrier();
  }

  currentRevision(): number {
    return this.#storage.currentRevision();
  }

  settledRevision(): number {
    return this.#storage.settledRevision();
  }

  compactedRevision(): number {
    return this.#storage.compactedRevision();
  }

  get(key: string, atRevision?: number): Entry | undefined {
    return this.#storage.get(key, atRevision);
  }

  look<T>(key: string, take: (entry: Entry) => T): T | undefined {
    return this.#storage.look(key, take);
  }

  revisionOf(key: string): number | undefined {
    return this.#storage.revisionOf(key);
  }

  mostBytesOf(key: string): number {
    return this.#storage.mostBytesOf(key);
  }

  range(options: RangeOptions): Iterable<Entry> {
    return this.#storage.range(options);
  }

  scan(options: ScanOptions): Scan {
    return this.#storage.scan(options);
  }

  count(options: Omit<RangeOptions, 'limit'>): number {
    return this.#storage.count(options);
  }

  changes(after: number, prefix: string, limit?: number): Iterable<Change> {
    return this.#storage.changes(after, prefix, limit);
  }

  onCommit(listener: (revision: number) => void): () => void {
    return this.#storage.onCommit(listener);
  }

  compact(revision: number): Promise<void> {
    return this.#storage.compact(revision);
  }

  /** The store that is read is closed by whoever has opened it. */
  async close(): Promise<void> {}
}

import type { Change, Entry, Guard, RangeOptions, Scan, ScanOptions, Storage, StoredBytes } from './storage.ts';

/** A store over another one, which does everything that a subclass does not do in its own way. */
export abstract class ForwardingStorage<S extends Storage = Storage> implements Storage {
  protected readonly beneath: S;

  constructor(beneath: S) {
    this.beneath = beneath;
  }

  create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.beneath.create(key, value, guard);
  }

  update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.beneath.update(key, expectedRevision, value, guard);
  }

  delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    return this.beneath.delete(key, expectedRevision, lastValue);
  }

  probe(): Promise<void> {
    return this.beneath.probe();
  }

  barrier(): Promise<void> | undefined {
    return this.beneath.barrier();
  }

  currentRevision(): number {
    return this.beneath.currentRevision();
  }

  settledRevision(): number {
    return this.beneath.settledRevision();
  }

  compactedRevision(): number {
    return this.beneath.compactedRevision();
  }

  get(key: string, atRevision?: number): Entry | undefined {
    return this.beneath.get(key, atRevision);
  }

  look<T>(key: string, take: (entry: Entry) => T): T | undefined {
    return this.beneath.look(key, take);
  }

  revisionOf(key: string): number | undefined {
    return this.beneath.revisionOf(key);
  }

  /** See `Storage.mostBytesOf`; the value is that of the store beneath. */
  mostBytesOf(key: string): number {
    return this.beneath.mostBytesOf(key);
  }

  range(options: RangeOptions): Iterable<Entry> {
    return this.beneath.range(options);
  }

  scan(options: ScanOptions): Scan {
    return this.beneath.scan(options);
  }

  count(options: Omit<RangeOptions, 'limit'>): number {
    return this.beneath.count(options);
  }

  changes(after: number, prefix: string, limit?: number): Iterable<Change> {
    return this.beneath.changes(after, prefix, limit);
  }

  onCommit(listener: (revision: number) => void): () => void {
    return this.beneath.onCommit(listener);
  }

  compact(revision: number): Promise<void> {
    return this.beneath.compact(revision);
  }

  close(): Promise<void> {
    return this.beneath.close();
  }
}

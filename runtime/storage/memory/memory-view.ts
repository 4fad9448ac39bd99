/** The reading side of stores in memory: values of now and of before. There is no index, so a scan looks at every value of its range. */
import { CommitListeners } from '../commit-listeners.ts';
import { RevisionCompacted, RevisionInFuture, type StorageEnded, ValueDamaged, ValueUndecryptable } from '../errors.ts';
import type { Change, Entry, RangeOptions, Scan, ScanOptions, StorageView } from '../storage.ts';
import { type Flaw, type MemoryData, type Version, versionAt } from './memory-data.ts';

/** Keys that a compaction looks at before others have their turn. */
const SLICE = 512;

export abstract class MemoryView implements StorageView {
  #data: MemoryData;
  readonly #listeners = new CommitListeners();
  #compacting: Promise<void> = Promise.resolve();
  #closed = false;
  #ended: StorageEnded | undefined;

  /** @param data what is there already, of one store at a time */
  constructor(data: MemoryData) {
    this.#data = data;
  }

  /** for the subclass, which writes */
  protected get data(): MemoryData {
    return this.#data;
  }

  /** Puts other data in place of what there is, of which nothing can be read any more. @param data of a later revision, without a past */
  protected replaceData(data: MemoryData): void {
    this.#data = data;
  }

  currentRevision(): number {
    this.requireOpen();
    return this.#data.revision;
  }

  settledRevision(): number {
    return this.currentRevision();
  }

  compactedRevision(): number {
    this.requireOpen();
    return this.#data.compacted;
  }

  size(): { readonly historyBytes: number } {
    return { historyBytes: this.#data.historyBytes };
  }

  onCommit(listener: (revision: number) => void): () => void {
    this.requireOpen();
    return this.#listeners.add(listener);
  }

  /** Tells all listeners of the current revision. Called by whoever has written. */
  protected announce(): void {
    this.#listeners.tell(this.#data.revision);
  }

  get(key: string, atRevision?: number): Entry | undefined {
    const version = this.#versionOf(key, this.#readable(atRevision));
    if (version === undefined) return undefined;
    const entry = entryOf(key, version);
    return { ...entry, value: Buffer.from(entry.value) };
  }

  look<T>(key: string, take: (entry: Entry) => T): T | undefined {
    const version = this.#versionOf(key, this.#readable(undefined));
    return version && take(entryOf(key, version));
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
      this.requireOpen();
      const version = versionAt(newest, revision);
      if (version === undefined || version.removed) continue;
      yield entryOf(key, version);
      if (--left <= 0) return;
    }
    this.requireOpen();
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
          if (visit(entryOf(key, version))) return true;
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
    this.requireOpen();
    if (after < this.#data.compacted) throw new RevisionCompacted(after, this.#data.compacted);
    return this.#changes(after, prefix, limit);
  }

  *#changes(after: number, prefix: string, limit: number): Generator<Change> {
    if (limit <= 0) return;
    let left = limit;
    let last = after;
    for (const logged of this.#data.changes(after, prefix)) {
      const { operation, key, version } = logged;
      if (left <= 0 && version.revision !== last) return;
      this.requireOpen();
      logged.change ??= new LoggedChange(operation, key, version);
      yield logged.change;
      left--;
      last = version.revision;
    }
    this.requireOpen();
  }

  compact(revision: number): Promise<void> {
    const compacted = this.#compacting.then(() => this.#compact(revision));
    this.#compacting = compacted.catch(() => {});
    return compacted;
  }

  async #compact(revision: number): Promise<void> {
    this.requireOpen();
    const data = this.#data;
    if (revision > data.revision) throw new RangeError(`revision ${revision} is beyond the newest, ${data.revision}`);
    if (revision < data.compacted) return;
    data.compacted = revision;
    let left = SLICE;
    for (const key of data.forgetChanges(revision)) {
      data.forgetVersions(key, revision);
      if (--left > 0) continue;
      await new Promise((resolve) => setImmediate(resolve));
      left = SLICE;
    }
  }

  /** Nothing can be read any more. Waits for a compaction under way. */
  protected async closeView(): Promise<void> {
    this.#closed = true;
    await this.#compacting;
    this.#listeners.clear();
  }

  /** Nothing can be read any more, for this reason, as long as it is not closed. */
  protected endView(reason: StorageEnded): void {
    this.#ended = reason;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** @throws RevisionCompacted, RevisionInFuture */
  #readable(atRevision: number | undefined): number {
    this.requireOpen();
    const { revision, compacted } = this.#data;
    if (atRevision === undefined) return revision;
    if (atRevision < compacted) throw new RevisionCompacted(atRevision, compacted);
    if (atRevision > revision) throw new RevisionInFuture(atRevision, revision);
    return atRevision;
  }

  protected requireOpen(): void {
    if (this.#closed) throw new Error('the store is closed');
    if (this.#ended !== undefined) throw this.#ended;
  }
}

function entryOf(key: string, version: Version): Entry {
  const { revision, value, flaw, id } = version;
  if (flaw === undefined) return id === undefined ? { key, revision, value } : { key, revision, value, id };
  return 'outdated' in flaw
    ? { key, revision, value, outdated: true, ...(id !== undefined && { id }) }
    : new UnreadableEntry(key, revision, flaw);
}

/** Who asks for its value is told why there is none. */
class UnreadableEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly #flaw: Exclude<Flaw, { readonly outdated: true }>;

  constructor(key: string, revision: number, flaw: Exclude<Flaw, { readonly outdated: true }>) {
    this.key = key;
    this.revision = revision;
    this.#flaw = flaw;
  }

  get value(): never {
    const { key, revision } = this;
    if ('damage' in this.#flaw) throw new ValueDamaged(key, revision, this.#flaw.damage);
    throw new ValueUndecryptable(key, revision, this.#flaw.cipherProblem);
  }
}

class LoggedChange implements Change {
  readonly operation: Change['operation'];
  readonly key: string;
  readonly revision: number;
  readonly #version: Version;
  readonly #previous: Version | undefined;

  constructor(operation: Change['operation'], key: string, version: Version) {
    this.operation = operation;
    this.key = key;
    this.revision = version.revision;
    this.#version = version;
    // compaction may take it from the version meanwhile
    this.#previous = operation === 'create' ? undefined : version.previous;
  }

  get value(): Buffer {
    return entryOf(this.key, this.#version).value;
  }

  get previousValue(): Buffer | undefined {
    return this.#previous && entryOf(this.key, this.#previous).value;
  }
}

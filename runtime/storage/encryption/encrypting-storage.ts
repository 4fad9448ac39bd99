/**
 * A store whose values are in part encrypted on the disk, its history and write-ahead log included: whoever uses it sees them as they were handed over. Keys,
 * revisions and errors are those of the store beneath. Values are decrypted when they are asked for.
 */
import type { ServiceCallTracer } from '../../contract/trace.ts';
import {
  type Change,
  type Entry,
  type Finding,
  type FolderStorage,
  fillRevision,
  type Guard,
  type RangeOptions,
  resourceOfPrefix,
  resourcePrefix,
  type Scan,
  type ScanOptions,
  type StoreCheck,
  type StoredBytes,
  type StoreMetrics,
  type StoreVerification,
} from '../storage.ts';
import type { EncryptionWork } from './encryption-work.ts';
import { KeyRetirement } from './key-retirement.ts';
import type { OpenedValue } from './opened-values.ts';
import type { StoreEncryption } from './store-encryption.ts';
import type { ValueEncryption } from './value-encryption.ts';

export class EncryptingStorage implements FolderStorage {
  readonly #storage: FolderStorage;
  readonly #encryption: StoreEncryption;
  readonly #closing: () => void;
  readonly checks: readonly StoreCheck[];
  readonly showFigures: (metrics: StoreMetrics) => void;
  readonly traceCalls: (tracer: ServiceCallTracer) => void;

  constructor(storage: FolderStorage, encryption: StoreEncryption, work: EncryptionWork = {}) {
    const { closing = () => {}, checks = [], showFigures = () => {}, traceCalls = () => {} } = work;
    this.#storage = storage;
    this.#encryption = encryption;
    this.#closing = closing;
    this.checks = checks;
    this.showFigures = showFigures;
    this.traceCalls = traceCalls;
  }

  async create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, value, (sealed) => this.#storage.create(key, sealed, guard));
  }

  async update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, value, (sealed) => this.#storage.update(key, expectedRevision, sealed, guard));
  }

  async delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    return this.#write(key, lastValue, (sealed) => this.#storage.delete(key, expectedRevision, sealed));
  }

  /** Who has handed a value over may read it with its revision. */
  async #write(key: string, value: StoredBytes, write: (sealed: StoredBytes) => Promise<number>): Promise<number> {
    const encryption = this.#of(key);
    const sealed = encryption?.seal(key, value);
    // without what it repeats, which may have been encrypted when it was written
    if (encryption === undefined || sealed === undefined) return write({ bytes: value.bytes, revisionOffset: value.revisionOffset });
    const revision = await write(sealed).finally(() => encryption.written(sealed));
    if (value.revisionOffset >= 0) fillRevision(value.bytes, value.revisionOffset, revision);
    encryption.stored(revision, sealed);
    return revision;
  }

  get(key: string, atRevision?: number): Entry | undefined {
    const encryption = this.#of(key);
    if (encryption === undefined) return this.#storage.get(key, atRevision);
    const known = atRevision === undefined ? this.#known(key, encryption) : undefined;
    if (known !== undefined) return owned(key, known.revision, known);
    const entry = this.#storage.get(key, atRevision);
    return entry && owned(key, entry.revision, encryption.open(key, entry.revision, entry.value));
  }

  look<T>(key: string, take: (entry: Entry) => T): T | undefined {
    const encryption = this.#of(key);
    if (encryption === undefined) return this.#storage.look(key, take);
    const known = this.#known(key, encryption);
    if (known !== undefined) return take({ key, revision: known.revision, value: known.value });
    return this.#storage.look(key, (entry) => take(new OpenedEntry(entry, encryption)));
  }

  /** The latest value of a key, where it need not be read. */
  #known(key: string, encryption: ValueEncryption): (OpenedValue & { readonly revision: number }) | undefined {
    const revision = this.#storage.revisionOf(key);
    const opened = revision === undefined ? undefined : encryption.known(revision);
    return opened && { ...opened, revision: revision as number };
  }

  revisionOf(key: string): number | undefined {
    return this.#storage.revisionOf(key);
  }

  /** of what is stored */
  mostBytesOf(key: string): number {
    return this.#storage.mostBytesOf(key);
  }

  range(options: RangeOptions): Iterable<Entry> {
    const entries = this.#storage.range(options);
    return this.#mayBeEncrypted(options) ? this.#entries(entries) : entries;
  }

  *#entries(entries: Iterable<Entry>): Iterable<Entry> {
    for (const entry of entries) yield this.#opened(entry);
  }

  scan(options: ScanOptions): Scan {
    const resource = resourceOfPrefix(options.start);
    if (resource !== undefined && !this.#mayBeEncrypted(options)) return this.#storage.scan(options);
    const scan = this.#storage.scan(this.#scanOptions(options, resource));
    return { next: (visit) => scan.next((entry) => visit(this.#opened(entry))) };
  }

  #scanOptions(options: ScanOptions, resource: string | undefined): ScanOptions {
    if (options.requirements === undefined) return options;
    // where several resources are looked through, the store finds nothing by terms
    const requirements = resource === undefined ? undefined : this.#encryption.requirementsFor(resource, options.requirements);
    const { requirements: _, ...range } = options;
    return requirements === undefined ? range : { ...range, requirements };
  }

  /** @returns false only where all keys are of one resource */
  #mayBeEncrypted({ start, end }: Pick<RangeOptions, 'start' | 'end'>): boolean {
    const resource = resourceOfPrefix(start);
    if (resource === undefined || this.#encryption.of(resource) !== undefined) return true;
    // the place just behind the resource's slash ends it
    return !(end.startsWith(`${resource}/`) || end === `${resource}0`);
  }

  count(options: Omit<RangeOptions, 'limit'>): number {
    return this.#storage.count(options);
  }

  changes(after: number, prefix: string, limit?: number): Iterable<Change> {
    const changes = this.#storage.changes(after, prefix, limit);
    const resource = resourceOfPrefix(prefix);
    return resource !== undefined && this.#encryption.of(resource) === undefined ? changes : this.#changes(changes);
  }

  *#changes(changes: Iterable<Change>): Iterable<Change> {
    for (const change of changes) {
      const encryption = this.#of(change.key);
      yield encryption === undefined ? change : new OpenedChange(change, encryption, this);
    }
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

  onCommit(listener: (revision: number) => void): () => void {
    return this.#storage.onCommit(listener);
  }

  compact(revision: number): Promise<void> {
    return this.#storage.compact(revision);
  }

  size(): { readonly historyBytes: number } {
    return this.#storage.size();
  }

  allocatedBytes(): number | undefined {
    return this.#storage.allocatedBytes();
  }

  notify(): void {
    this.#storage.notify();
  }

  keepIndex(onError: (error: unknown) => void): { stop(): Promise<void> } {
    const index = this.#storage.keepIndex(onError);
    const retirement = new KeyRetirement(this.#storage, this.#encryption);
    retirement.start(onError);
    return { stop: async () => void (await Promise.all([index.stop(), retirement.stop()])) };
  }

  verification(found: (finding: Finding) => void): StoreVerification | undefined {
    return this.#storage.verification(found);
  }

  copyTo(directory: string): Promise<void> {
    return this.#storage.copyTo(directory);
  }

  close(): Promise<void> {
    this.#closing();
    return this.#storage.close();
  }

  #of(key: string): ValueEncryption | undefined {
    return this.#encryption.of(resourcePrefix(key));
  }

  #opened(entry: Entry): Entry {
    const encryption = this.#of(entry.key);
    return encryption === undefined ? entry : new OpenedEntry(entry, encryption);
  }
}

/** Whoever asks owns it. */
const owned = (key: string, revision: number, { value, outdated }: OpenedValue): Entry => ({
  key,
  revision,
  value: Buffer.from(value),
  ...(outdated && { outdated }),
});

class OpenedEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly #entry: Entry;
  readonly #encryption: ValueEncryption;
  #opened: OpenedValue | undefined;

  constructor(entry: Entry, encryption: ValueEncryption) {
    this.key = entry.key;
    this.revision = entry.revision;
    this.#entry = entry;
    this.#encryption = encryption;
  }

  get value(): Buffer {
    this.#opened ??= this.#encryption.open(this.key, this.revision, this.#entry.value);
    return this.#opened.value;
  }
}

class OpenedChange implements Change {
  readonly operation: Change['operation'];
  readonly key: string;
  readonly revision: number;
  readonly #change: Change;
  readonly #encryption: ValueEncryption;
  readonly #storage: EncryptingStorage;
  #value: Buffer | undefined;
  #previous: Buffer | undefined;

  constructor(change: Change, encryption: ValueEncryption, storage: EncryptingStorage) {
    this.operation = change.operation;
    this.key = change.key;
    this.revision = change.revision;
    this.#change = change;
    this.#encryption = encryption;
    this.#storage = storage;
  }

  get value(): Buffer {
    this.#value ??= this.#encryption.open(this.key, this.revision, this.#change.value).value;
    return this.#value;
  }

  /** As the version that came before is read, for its revision is not told here. It can be: this change can. */
  get previousValue(): Buffer | undefined {
    if (this.operation !== 'create') this.#previous ??= this.#storage.get(this.key, this.revision - 1)?.value;
    return this.#previous;
  }
}

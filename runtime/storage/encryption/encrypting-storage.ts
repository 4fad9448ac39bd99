/**
 * A store that encrypts values of some resources before the store beneath gets them, so that the disk has them encrypted in history and write-ahead log too.
 * It decrypts a value when somebody asks for it. Keys, revisions and errors are those of the store beneath.
 */
import type { ServiceCallTracer } from '../../contract/trace.ts';
import { ForwardingStorage } from '../forwarding-storage.ts';
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

export class EncryptingStorage extends ForwardingStorage<FolderStorage> implements FolderStorage {
  readonly #encryption: StoreEncryption;
  readonly #closing: () => void;
  readonly checks: readonly StoreCheck[];
  readonly showFigures: (metrics: StoreMetrics) => void;
  readonly traceCalls: (tracer: ServiceCallTracer) => void;

  constructor(storage: FolderStorage, encryption: StoreEncryption, work: EncryptionWork = {}) {
    super(storage);
    const { closing = () => {}, checks = [], showFigures = () => {}, traceCalls = () => {} } = work;
    this.#encryption = encryption;
    this.#closing = closing;
    this.checks = checks;
    this.showFigures = showFigures;
    this.traceCalls = traceCalls;
  }

  override async create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, value, (sealed) => this.beneath.create(key, sealed, guard));
  }

  override async update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, value, (sealed) => this.beneath.update(key, expectedRevision, sealed, guard));
  }

  override async delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    return this.#write(key, lastValue, (sealed) => this.beneath.delete(key, expectedRevision, sealed));
  }

  /** Writes the encrypted value. The caller may read the value that it has handed over: it gets its revision. */
  async #write(key: string, value: StoredBytes, write: (sealed: StoredBytes) => Promise<number>): Promise<number> {
    const encryption = this.#of(key);
    const sealed = encryption?.seal(key, value);
    // `repeats` is left out: the value that it names may have been encrypted when it was written
    if (encryption === undefined || sealed === undefined) return write({ bytes: value.bytes, revisionOffset: value.revisionOffset });
    const revision = await write(sealed).finally(() => encryption.written(sealed));
    if (value.revisionOffset >= 0) fillRevision(value.bytes, value.revisionOffset, revision);
    encryption.stored(revision, sealed);
    return revision;
  }

  override get(key: string, atRevision?: number): Entry | undefined {
    const encryption = this.#of(key);
    if (encryption === undefined) return this.beneath.get(key, atRevision);
    const known = atRevision === undefined ? this.#known(key, encryption) : undefined;
    if (known !== undefined) return owned(key, known.revision, known);
    const entry = this.beneath.get(key, atRevision);
    return entry && owned(key, entry.revision, encryption.open(key, entry.revision, entry.value));
  }

  override look<T>(key: string, take: (entry: Entry) => T): T | undefined {
    const encryption = this.#of(key);
    if (encryption === undefined) return this.beneath.look(key, take);
    const known = this.#known(key, encryption);
    if (known !== undefined) return take({ key, revision: known.revision, value: known.value });
    return this.beneath.look(key, (entry) => take(new OpenedEntry(entry, encryption)));
  }

  /** The latest value of a key, where it was decrypted before and is still known. */
  #known(key: string, encryption: ValueEncryption): (OpenedValue & { readonly revision: number }) | undefined {
    const revision = this.beneath.revisionOf(key);
    const opened = revision === undefined ? undefined : encryption.known(revision);
    return opened && { ...opened, revision: revision as number };
  }

  override range(options: RangeOptions): Iterable<Entry> {
    const entries = this.beneath.range(options);
    return this.#mayBeEncrypted(options) ? this.#entries(entries) : entries;
  }

  *#entries(entries: Iterable<Entry>): Iterable<Entry> {
    for (const entry of entries) yield this.#opened(entry);
  }

  override scan(options: ScanOptions): Scan {
    const resource = resourceOfPrefix(options.start);
    if (resource !== undefined && !this.#mayBeEncrypted(options)) return this.beneath.scan(options);
    const scan = this.beneath.scan(this.#scanOptions(options, resource));
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
    // `0` follows the slash: all keys of the resource are before it
    return !(end.startsWith(`${resource}/`) || end === `${resource}0`);
  }

  override changes(after: number, prefix: string, limit?: number): Iterable<Change> {
    const changes = this.beneath.changes(after, prefix, limit);
    const resource = resourceOfPrefix(prefix);
    return resource !== undefined && this.#encryption.of(resource) === undefined ? changes : this.#changes(changes);
  }

  *#changes(changes: Iterable<Change>): Iterable<Change> {
    for (const change of changes) {
      const encryption = this.#of(change.key);
      yield encryption === undefined ? change : new OpenedChange(change, encryption, this);
    }
  }

  size(): { readonly historyBytes: number } {
    return this.beneath.size();
  }

  allocatedBytes(): number | undefined {
    return this.beneath.allocatedBytes();
  }

  notify(): void {
    this.beneath.notify();
  }

  keepIndex(onError: (error: unknown) => void): { stop(): Promise<void> } {
    const index = this.beneath.keepIndex(onError);
    const retirement = new KeyRetirement(this.beneath, this.#encryption);
    retirement.start(onError);
    return { stop: async () => void (await Promise.all([index.stop(), retirement.stop()])) };
  }

  verification(found: (finding: Finding) => void): StoreVerification | undefined {
    return this.beneath.verification(found);
  }

  copyTo(directory: string): Promise<void> {
    return this.beneath.copyTo(directory);
  }

  override close(): Promise<void> {
    this.#closing();
    return this.beneath.close();
  }

  #of(key: string): ValueEncryption | undefined {
    return this.#encryption.of(resourcePrefix(key));
  }

  #opened(entry: Entry): Entry {
    const encryption = this.#of(entry.key);
    return encryption === undefined ? entry : new OpenedEntry(entry, encryption);
  }
}

/** An entry with a copy of the value, for the caller to keep. */
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

  /**
   * Read at the revision before the change, as the change does not say at which revision its previous value was written. That revision can be read as long as
   * the change can.
   */
  get previousValue(): Buffer | undefined {
    if (this.operation !== 'create') this.#previous ??= this.#storage.get(this.key, this.revision - 1)?.value;
    return this.#previous;
  }
}

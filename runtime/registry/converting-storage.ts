/**
 * A store whose objects are in part of other versions than those that are read and written here: whoever uses it sees the forms of today, whatever is
 * stored. Values without such a form, and keys, revisions and errors, are those of the store beneath.
 */
import {
  type Change,
  type Entry,
  fillRevision,
  type Guard,
  type RangeOptions,
  resourcePrefix,
  type Scan,
  type ScanOptions,
  type Storage,
  type StoredBytes,
} from '../storage/storage.ts';
import type { StoredForm } from './stored-form.ts';

export class ConvertingStorage implements Storage {
  readonly #storage: Storage;
  readonly #forms: ReadonlyMap<string, StoredForm>;
  /** by those of the store beneath, which are the same for all who read them while they are recent */
  readonly #converted = new WeakMap<Change, ConvertedChange>();

  /** @param forms by the prefix of their keys */
  constructor(storage: Storage, forms: ReadonlyMap<string, StoredForm>) {
    this.#storage = storage;
    this.#forms = forms;
  }

  create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, value, (stored) => this.#storage.create(key, stored, guard));
  }

  update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, value, (stored) => this.#storage.update(key, expectedRevision, stored, guard));
  }

  delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    return this.#write(key, lastValue, (stored) => this.#storage.delete(key, expectedRevision, stored));
  }

  /** The caller may read what it has handed over, with its revision, as if that were stored. */
  async #write(key: string, value: StoredBytes, write: (stored: StoredBytes) => Promise<number>): Promise<number> {
    const stored = this.#formOf(key)?.toStored(value) ?? value;
    const revision = await write(stored);
    if (stored !== value && value.revisionOffset >= 0) fillRevision(value.bytes, value.revisionOffset, revision);
    return revision;
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
    const entry = this.#storage.get(key, atRevision);
    const form = this.#formOf(key);
    if (entry === undefined || form === undefined) return entry;
    const { value, revision, id } = entry;
    const outdated = entry.outdated === true || form.isOutdated(value);
    return { key, revision, value: form.fromStored(value), ...(outdated && { outdated }), ...(id !== undefined && { id }) };
  }

  look<T>(key: string, take: (entry: Entry) => T): T | undefined {
    return this.#storage.look(key, (entry) => take(this.#entry(entry)));
  }

  revisionOf(key: string): number | undefined {
    return this.#storage.revisionOf(key);
  }

  /** of what is stored */
  mostBytesOf(key: string): number {
    return this.#storage.mostBytesOf(key);
  }

  range(options: RangeOptions): Iterable<Entry> {
    return this.#entries(this.#storage.range(options));
  }

  *#entries(entries: Iterable<Entry>): Iterable<Entry> {
    for (const entry of entries) yield this.#entry(entry);
  }

  scan(options: ScanOptions): Scan {
    const scan = this.#storage.scan(options);
    return { next: (visit) => scan.next((entry) => visit(this.#entry(entry))) };
  }

  count(options: Omit<RangeOptions, 'limit'>): number {
    return this.#storage.count(options);
  }

  changes(after: number, prefix: string, limit?: number): Iterable<Change> {
    return this.#changes(this.#storage.changes(after, prefix, limit));
  }

  *#changes(changes: Iterable<Change>): Iterable<Change> {
    for (const change of changes) {
      const form = this.#formOf(change.key);
      yield form === undefined ? change : this.#convertedChange(change, form);
    }
  }

  #convertedChange(change: Change, form: StoredForm): ConvertedChange {
    const known = this.#converted.get(change);
    if (known !== undefined) return known;
    const converted = new ConvertedChange(change, form);
    this.#converted.set(change, converted);
    return converted;
  }

  onCommit(listener: (revision: number) => void): () => void {
    return this.#storage.onCommit(listener);
  }

  compact(revision: number): Promise<void> {
    return this.#storage.compact(revision);
  }

  close(): Promise<void> {
    return this.#storage.close();
  }

  /** The same forms over another store, such as this one's with other writes. */
  over(storage: Storage): ConvertingStorage {
    return new ConvertingStorage(storage, this.#forms);
  }

  /** How objects with keys of this prefix are stored; undefined: as they are. */
  formAt(prefix: string): StoredForm | undefined {
    return this.#forms.get(prefix);
  }

  #formOf(key: string): StoredForm | undefined {
    return this.#forms.get(resourcePrefix(key));
  }

  #entry(entry: Entry): Entry {
    const form = this.#formOf(entry.key);
    return form === undefined ? entry : new ConvertedEntry(entry, form);
  }
}

/** Values are converted when they are asked for: they are read from the store no sooner. */
class ConvertedEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly #entry: Entry;
  readonly #form: StoredForm;
  #value: Buffer | undefined;

  constructor(entry: Entry, form: StoredForm) {
    this.key = entry.key;
    this.revision = entry.revision;
    this.#entry = entry;
    this.#form = form;
  }

  get id(): number | undefined {
    return this.#entry.id;
  }

  get value(): Buffer {
    this.#value ??= this.#form.fromStored(this.#entry.value);
    return this.#value;
  }
}

class ConvertedChange implements Change {
  readonly operation: Change['operation'];
  readonly key: string;
  readonly revision: number;
  readonly #change: Change;
  readonly #form: StoredForm;
  #value: Buffer | undefined;

  constructor(change: Change, form: StoredForm) {
    this.operation = change.operation;
    this.key = change.key;
    this.revision = change.revision;
    this.#change = change;
    this.#form = form;
  }

  get value(): Buffer {
    this.#value ??= this.#form.fromStored(this.#change.value);
    return this.#value;
  }

  get previousValue(): Buffer | undefined {
    const previous = this.#change.previousValue;
    return previous && this.#form.fromStored(previous);
  }
}

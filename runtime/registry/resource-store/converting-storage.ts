/**
 * A store that shows objects in the forms of today, while the store beneath may have them in other versions. Values that have no other form, keys, revisions
 * and errors are those of the store beneath.
 */
import { ForwardingStorage } from '../../storage/forwarding-storage.ts';
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
} from '../../storage/storage.ts';
import type { StoredForm } from './stored-form.ts';

export class ConvertingStorage extends ForwardingStorage {
  readonly #forms: ReadonlyMap<string, StoredForm>;
  /**
   * The converted changes by the changes of the store beneath. As long as a change is recent, that store returns the same object to all readers, so that each
   * change is converted once.
   */
  readonly #converted = new WeakMap<Change, ConvertedChange>();

  /** @param forms by the prefix of their keys */
  constructor(storage: Storage, forms: ReadonlyMap<string, StoredForm>) {
    super(storage);
    this.#forms = forms;
  }

  override create(key: string, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, value, (stored) => this.beneath.create(key, stored, guard));
  }

  override update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number> {
    return this.#write(key, value, (stored) => this.beneath.update(key, expectedRevision, stored, guard));
  }

  override delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number> {
    return this.#write(key, lastValue, (stored) => this.beneath.delete(key, expectedRevision, stored));
  }

  /** Writes the stored form. The caller may read the value that it has handed over as if that had been stored: it gets its revision. */
  async #write(key: string, value: StoredBytes, write: (stored: StoredBytes) => Promise<number>): Promise<number> {
    const stored = this.#formOf(key)?.toStored(value) ?? value;
    const revision = await write(stored);
    if (stored !== value && value.revisionOffset >= 0) fillRevision(value.bytes, value.revisionOffset, revision);
    return revision;
  }

  override get(key: string, atRevision?: number): Entry | undefined {
    const entry = this.beneath.get(key, atRevision);
    const form = this.#formOf(key);
    if (entry === undefined || form === undefined) return entry;
    const { value, revision, id } = entry;
    const outdated = entry.outdated === true || form.isOutdated(value);
    return { key, revision, value: form.fromStored(value), ...(outdated && { outdated }), ...(id !== undefined && { id }) };
  }

  override look<T>(key: string, take: (entry: Entry) => T): T | undefined {
    return this.beneath.look(key, (entry) => take(this.#entry(entry)));
  }

  override range(options: RangeOptions): Iterable<Entry> {
    return this.#entries(this.beneath.range(options));
  }

  *#entries(entries: Iterable<Entry>): Iterable<Entry> {
    for (const entry of entries) yield this.#entry(entry);
  }

  override scan(options: ScanOptions): Scan {
    const scan = this.beneath.scan(options);
    return { next: (visit) => scan.next((entry) => visit(this.#entry(entry))) };
  }

  override changes(after: number, prefix: string, limit?: number): Iterable<Change> {
    return this.#changes(this.beneath.changes(after, prefix, limit));
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

/** Its value is read and converted when somebody asks for it. */
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

/**
 * Holds the tables of a store against each other: keys against history, both against the records, counts against what is counted, and each record against
 * its checksum. It goes in steps, each of which sees one snapshot; between them the store may change.
 */
import { type Finding, resourcePrefix, type StoreVerification, type Terms } from '../../storage.ts';
import {
  isRecordOf,
  isRecordWhole,
  type Latest,
  type Operation,
  REVISION_END,
  recordKey,
  recordOperation,
  recordPrevious,
  type State,
  type Superseded,
  type TextRevision,
} from '../codecs/codecs.ts';
import type { Posting } from '../codecs/posting-key.ts';
import { recordPostings } from '../index/postings.ts';
import type { ReadTable, Row } from '../tables/read-table.ts';
import type { ReadTables } from '../tables/tables.ts';

/** Writes a finding as a text that can also follow the name of a file. */
export function shownFinding({ key, revision, found }: Finding): string {
  const place = [key === undefined ? [] : `key ${key}`, revision === undefined ? [] : `revision ${revision}`].flat();
  return place.length === 0 ? found : `${place.join(' at ')}: ${found}`;
}

export interface VerificationOptions {
  readonly tables: ReadTables;
  /** the terms by which the postings were made; undefined if the postings are not checked */
  readonly terms: Terms | undefined;
  readonly found: (finding: Finding) => void;
  /** Is called with the error of a failed read, whose rows are then left out. It may throw. */
  readonly unreadable: (error: unknown) => void;
}

/** The most revisions that are remembered as reported. If there are more, some may be reported twice. */
const MOST_TOLD = 100_000;
/** The number of rows between two looks at the clock, each of which takes as long as a short row. */
const ROWS_BETWEEN_LOOKS = 8;

export class Verification implements StoreVerification {
  readonly #tables: ReadTables;
  readonly #terms: Terms | undefined;
  readonly #found: (finding: Finding) => void;
  readonly #unreadable: (error: unknown) => void;
  readonly #sections: readonly Section[];
  #section = 0;
  /** records that something was found of */
  readonly #told = new Set<number>();
  /** when the versions began to be added up */
  #before: State | undefined;
  #liveBytes = 0;
  #historyBytes = 0;
  /** the revision of the last row of the log so far */
  #lastRevision = 0;

  constructor({ tables, terms, found, unreadable }: VerificationOptions) {
    this.#tables = tables;
    this.#terms = terms;
    this.#found = found;
    this.#unreadable = unreadable;
    const text = (key: string): string => `${key}\0`;
    const textRevision = ({ text, revision }: TextRevision): TextRevision => ({ text, revision: revision + 1 });
    this.#sections = [
      new RowSection('keys', tables.keys, '', text, (row) => this.#living(row)),
      new RowSection('tombstones', tables.tombstones, '', text, (row) => this.#deleted(row)),
      new RowSection('history', tables.history, { text: '', revision: 0 }, textRevision, (row) => this.#superseded(row)),
      new EndSection(() => this.#counts()),
      new RowSection(
        'log',
        tables.log,
        0,
        (revision) => revision + 1,
        (row) => this.#record(row.key, row.value),
      ),
      new EndSection(() => this.#lastRecord()),
      new RowSection('index', tables.index, { text: '', revision: 0 }, textRevision, ({ key, value }) => this.#indexed(key, value)),
    ];
  }

  /** Rows that were looked at, by their tables. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#sections.flatMap(({ name, rows }) => (name === undefined ? [] : [[name, rows]])));
  }

  /**
   * Looks at further rows, in one snapshot: to be called within one read.
   * @param milliseconds after which it ends, with the row that it is at
   * @returns whether there are more
   */
  step(milliseconds: number): boolean {
    this.#before ??= this.#tables.state();
    const deadline = performance.now() + milliseconds;
    while (this.#section < this.#sections.length) {
      const section = this.#sections[this.#section] as Section;
      try {
        if (section.step(deadline, this.#unreadable)) return true;
      } catch (error) {
        // behind it in this table nothing can be read
        this.#unreadable(error);
      }
      this.#section++;
    }
    return false;
  }

  #tell(key: string | undefined, revision: number | undefined, found: string): void {
    if (revision !== undefined && this.#told.size < MOST_TOLD) this.#told.add(revision);
    this.#found({ key, revision, found });
  }

  #living({ key, value: { revision, size } }: Row<string, Latest>): void {
    this.#liveBytes += size;
    this.#referred(key, revision, false);
    if (this.#tables.tombstones.get(key) !== undefined) this.#tell(key, revision, 'it is there as living and as deleted');
  }

  #deleted({ key, value: { revision, size } }: Row<string, Latest>): void {
    this.#historyBytes += size;
    this.#referred(key, revision, true);
    if (!this.#isUnderWay(key, revision)) this.#tell(key, revision, 'no compaction will remove that it was deleted');
  }

  #superseded({ key: { text: key, revision }, value: { tombstone, size } }: Row<TextRevision, Superseded>): void {
    this.#historyBytes += size;
    this.#referred(key, revision, tombstone);
    const follower = this.#followerOf(key, revision);
    if (follower === undefined || follower <= revision) return this.#tell(key, revision, 'nothing follows it, where it was followed');
    if (!this.#isUnderWay(key, tombstone ? revision : follower)) this.#tell(key, revision, 'no compaction will remove this version');
  }

  /** Compaction goes by the index: what is left behind the compacted revision has its row there until it is removed. */
  #isUnderWay(key: string, revision: number): boolean {
    return revision > this.#tables.state().compacted || this.#tables.index.get({ text: resourcePrefix(key), revision }) !== undefined;
  }

  /** Returns the revision of a key's next version; undefined if there is none. */
  #followerOf(key: string, revision: number): number | undefined {
    const { history, keys, tombstones } = this.#tables;
    for (const next of history.rows({ text: key, revision: revision + 1 }, { text: key, revision: REVISION_END }, 1))
      return next.key.revision;
    return (keys.get(key) ?? tombstones.get(key))?.revision;
  }

  /** Checks the record of a version. */
  #referred(key: string, revision: number, isTombstone: boolean): void {
    const newest = this.#tables.state().revision;
    if (!(revision >= 1 && revision <= newest))
      return this.#tell(key, revision, `it is no revision of this store, whose newest one is ${newest}`);
    let record: Buffer | undefined;
    try {
      record = this.#tables.log.get(revision);
    } catch (error) {
      this.#unreadable(error);
      return this.#tell(key, revision, 'its record cannot be read');
    }
    if (record === undefined) return this.#tell(key, revision, 'its record is missing');
    if (!isRecordWhole(record, revision)) return this.#tell(key, revision, 'its checksum is another one');
    if (!isRecordOf(record, key)) return this.#tell(key, revision, `the store has the key ${recordKey(record)} there`);
    const operation = recordOperation(record);
    if ((operation === 'delete') !== isTombstone)
      this.#tell(key, revision, `its record is that of a ${operation}, where it is there as ${isTombstone ? 'deleted' : 'living'}`);
  }

  /** Checks the counts of the store. Some can be checked only if nothing was written meanwhile. */
  #counts(): void {
    const { liveBytes, historyBytes, revision, compacted, posted } = this.#tables.state();
    const before = this.#before as State;
    const isSame = liveBytes === before.liveBytes && historyBytes === before.historyBytes && revision === before.revision;
    if (compacted > revision)
      this.#tell(undefined, undefined, `it counts ${compacted} as compacted, where its newest revision is ${revision}`);
    if (posted > revision) this.#tell(undefined, undefined, `it counts postings up to ${posted}, where its newest revision is ${revision}`);
    if (!isSame) return;
    this.#compare('living values', liveBytes, this.#liveBytes);
    this.#compare('values that were followed or deleted', historyBytes, this.#historyBytes);
  }

  #compare(what: string, counted: number, found: number): void {
    if (counted !== found) this.#tell(undefined, undefined, `it counts ${counted} bytes of ${what}, where there are ${found}`);
  }

  #record(revision: number, record: Buffer): void {
    // before anything else is read: the bytes are good until then
    const change = isRecordWhole(record, revision) ? this.#changeOf(record) : undefined;
    const { revision: newest, compacted, posted } = this.#tables.state();
    this.#gap(Math.max(this.#lastRevision, compacted), revision);
    this.#lastRevision = revision;
    if (revision > newest) return this.#tell(undefined, revision, `it is beyond the newest revision, ${newest}`);
    if (change === undefined) {
      if (!this.#told.has(revision)) this.#tell(undefined, revision, 'its checksum is another one, and no key refers to it');
      return;
    }
    const { key, operation, postings } = change;
    if (!this.#isReferred(key, revision, operation)) this.#tell(key, revision, 'no key refers to its record');
    if (revision <= posted && postings.some((posting) => this.#tables.postings.get(posting) === undefined))
      this.#tell(key, revision, 'it lacks postings, so that searches by what it holds leave it out');
    if (revision > compacted) this.#recent(revision, change);
  }

  #changeOf(record: Buffer): RecordedChange {
    const postings = this.#terms === undefined ? [] : recordPostings(record, this.#terms);
    return { key: recordKey(record), operation: recordOperation(record), previous: recordPrevious(record), postings };
  }

  /** Revisions between two that are there. */
  #gap(after: number, before: number): void {
    const [first, last] = [after + 1, before - 1];
    if (first > last) return;
    this.#tell(undefined, undefined, first === last ? `revision ${first} is missing` : `revisions ${first} to ${last} are missing`);
  }

  #lastRecord(): void {
    const { revision, compacted } = this.#tables.state();
    this.#gap(Math.max(this.#lastRevision, compacted), revision + 1);
  }

  #isReferred(key: string, revision: number, operation: Operation): boolean {
    const { keys, tombstones, history } = this.#tables;
    const isTombstone = operation === 'delete';
    if ((isTombstone ? tombstones : keys).get(key)?.revision === revision) return true;
    return history.get({ text: key, revision })?.tombstone === isTombstone;
  }

  /** A revision that was not compacted has its row in the index, and the version before it. */
  #recent(revision: number, { key, operation, previous }: RecordedChange): void {
    const row = this.#tables.index.get({ text: resourcePrefix(key), revision });
    if (row === undefined || row.key !== key || row.operation !== operation || row.previous !== previous)
      this.#tell(key, revision, `the index of changes ${row === undefined ? 'lacks it' : 'has another change there'}`);
    if ((previous === 0) !== (operation === 'create')) return this.#tell(key, revision, `it is a ${operation} after revision ${previous}`);
    if (previous > 0 && this.#tables.history.get({ text: key, revision: previous }) === undefined)
      this.#tell(key, revision, `the version before it, of revision ${previous}, is missing`);
  }

  /** What has its record is held against that where the record is looked at. */
  #indexed({ text, revision }: TextRevision, { key }: { key: string }): void {
    if (resourcePrefix(key) !== text) return this.#tell(key, revision, `the index of changes has it under ${text}`);
    if (revision <= this.#tables.state().compacted) return;
    const record = this.#tables.log.get(revision);
    const isThere = record !== undefined && (!isRecordWhole(record, revision) || isRecordOf(record, key));
    if (!isThere && !this.#told.has(revision)) this.#tell(key, revision, 'the index of changes has it, where it has no record');
  }
}

/** What a whole record says. */
interface RecordedChange {
  readonly key: string;
  readonly operation: Operation;
  readonly previous: number;
  readonly postings: readonly Posting[];
}

interface Section {
  readonly name: string | undefined;
  /** the number of rows that were checked */
  readonly rows: number;
  /** Checks some rows. @param deadline when it has to stop. @returns whether there are more */
  step(deadline: number, unreadable: (error: unknown) => void): boolean;
}

/** The rows of a table, in order. */
class RowSection<Key, Value> implements Section {
  readonly name: string;
  rows = 0;
  readonly #table: ReadTable<Key, Value>;
  readonly #after: (key: Key) => Key;
  readonly #visit: (row: Row<Key, Value>) => void;
  #next: Key;

  /** @param after the place just behind a key */
  constructor(name: string, table: ReadTable<Key, Value>, first: Key, after: (key: Key) => Key, visit: (row: Row<Key, Value>) => void) {
    this.name = name;
    this.#table = table;
    this.#next = first;
    this.#after = after;
    this.#visit = visit;
  }

  step(deadline: number, unreadable: (error: unknown) => void): boolean {
    for (const row of this.#table.rows(this.#next)) {
      this.#next = this.#after(row.key);
      try {
        this.#visit(row);
      } catch (error) {
        unreadable(error);
      }
      if (++this.rows % ROWS_BETWEEN_LOOKS === 0 && performance.now() >= deadline) return true;
    }
    return false;
  }
}

/** What is looked at once what comes before it has been. */
class EndSection implements Section {
  readonly name = undefined;
  readonly rows = 0;
  readonly #look: () => void;

  constructor(look: () => void) {
    this.#look = look;
  }

  step(): boolean {
    this.#look();
    return false;
  }
}

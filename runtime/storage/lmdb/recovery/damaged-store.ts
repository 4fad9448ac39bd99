/** All that can be read of a store whose files are not what was left. Nothing is changed. */
import { latestValue } from '../codecs/codecs.ts';
import { endsBefore, lastTransaction } from '../files/lock-file.ts';
import { leafNode, type Page, readPage, valueBytes } from '../pages/page.ts';
import { PAGE_BYTES, PageFile } from '../pages/page-file.ts';
import { asBadPage } from '../pages/tree.ts';
import { type MainRows, mainRows } from '../store-files/main-rows.ts';
import { dataFile, hasData, logFile } from '../store-files/store-files.ts';
import { LatestVersions, type Resolved, type StatedVersion } from './latest-versions.ts';
import { type SalvagedLog, salvageLog } from './log-salvage.ts';
import { type FoundRecord, type Place, RecordFile } from './records.ts';
import { type WalkedRoots, walkRoots } from './trees.ts';

export interface DamageListener {
  /** @param found what is wrong with a file, to be read behind its name */
  damaged(file: string, found: string): void;
}

/** One revision, or several that follow each other. */
export interface RevisionRange {
  readonly first: number;
  readonly last: number;
}

export interface ReadableStore extends Resolved {
  /** JSON; undefined: it cannot be read */
  readonly format: string | undefined;
  /** Nothing of it can be read, not even that nothing was in it. */
  readonly isGone: boolean;
  /** whether the keys are those of the last transaction; if not, each of them may have been changed or deleted since */
  readonly isLatest: boolean;
  /** the newest revision that may have been given, as far as is known */
  readonly newest: number;
  /** the revisions since the last compaction whose records cannot be read */
  readonly missing: readonly RevisionRange[];
  /** Reads a record. @returns its bytes, which are valid until the next call */
  record(place: Place): Buffer;
  close(): void;
}

/** @throws Error of the file system for files that cannot be opened */
export function readDamagedStore(directory: string, listener: DamageListener): ReadableStore {
  const path = dataFile(directory);
  if (!hasData(directory)) {
    listener.damaged(path, 'is missing or empty');
    return new Reading(directory, undefined, listener).read();
  }
  const file = new PageFile(path);
  try {
    return new Reading(directory, file, listener).read();
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Beyond it a count of revisions is not what was written: no store comes to half of what a number can hold. */
const MOST_REVISIONS = 2 ** 52;

class Reading {
  readonly #directory: string;
  readonly #file: PageFile | undefined;
  readonly #listener: DamageListener;
  readonly #versions = new LatestVersions();

  constructor(directory: string, file: PageFile | undefined, listener: DamageListener) {
    this.#directory = directory;
    this.#file = file;
    this.#listener = listener;
  }

  read(): ReadableStore {
    const file = this.#file;
    if (file === undefined) return this.#readable(NOTHING, NO_MAIN, this.#log(NO_MAIN), undefined);
    const roots = walkRoots(file, (found) => this.#damaged(found));
    for (const { tree, error } of roots.newest?.bad ?? [])
      this.#damaged(`page ${error.page} of the tree "${tree}", at byte ${error.page * PAGE_BYTES}, ${error.found}`);
    for (const tree of roots.newest?.miscounted ?? []) this.#damaged(`the tree "${tree}" has other rows than it counts`);
    const main = roots.main === undefined ? NO_MAIN : mainRows(file, roots.main.head);
    const log = this.#log(main);
    const records = new RecordFile(file);
    records.visit(roots, {
      standing: (record) => this.#versions.standing(record),
      found: (record) => this.#take(record, main),
      damaged: (revision, reason) => this.#damaged(`revision ${revision}: ${reason}`),
    });
    for (const record of log.records) this.#versions.found(record);
    for (const [table, isDeletion] of STATED) this.#stated(file, roots, table, isDeletion);
    const isOlder = this.#isOlder(roots);
    return this.#readable({ ...roots, isLatest: roots.isLatest && !isOlder }, main, log, records);
  }

  /** LMDB's file of locks tells of a transaction that no head names, and whose trees are not there: a file of an earlier moment is whole in itself. */
  #isOlder({ newest }: WalkedRoots): boolean {
    const older = newest === undefined ? undefined : endsBefore(newest.head.transaction, lastTransaction(this.#directory));
    if (older !== undefined) this.#listener.damaged(dataFile(this.#directory), older);
    return older !== undefined;
  }

  /** What LMDB lacks stands; what it has may help where that is damaged. */
  #log({ note, state }: MainRows): SalvagedLog {
    const path = logFile(this.#directory);
    const log = salvageLog(path, note, state?.revision ?? 0);
    for (const found of log.wrong) this.#listener.damaged(path, found);
    for (const record of log.records) if (record.revision > (state?.revision ?? 0)) this.#versions.standing(record);
    return log;
  }

  /** A later revision than the trees count is that of a transaction whose trees cannot be read: nothing can have dropped it. */
  #take(record: FoundRecord, { state }: MainRows): void {
    if (state !== undefined && record.revision > state.revision && !this.#versions.has(record.revision)) this.#versions.standing(record);
    else this.#versions.found(record);
  }

  #stated(file: PageFile, { newest, main, others }: WalkedRoots, table: string, isDeletion: boolean): void {
    for (const root of [main, ...others]) {
      for (const number of root?.leaves.get(table) ?? []) {
        const page = readPage(file, number);
        for (const node of page.nodes) this.#row(file, page, node, { isDeletion, isLatest: root === newest });
      }
    }
  }

  #row(file: PageFile, page: Page, node: number, version: Omit<StatedVersion, 'revision'>): void {
    try {
      const row = leafNode(page, node);
      const { revision } = latestValue.decode(valueBytes(file, page, row));
      this.#versions.stated(String(row.key), { revision, ...version });
    } catch (error) {
      this.#damaged(asBadPage(error).message);
    }
  }

  #readable(roots: WalkedRoots, { format, state }: MainRows, log: SalvagedLog, records: RecordFile | undefined): ReadableStore {
    const versions = this.#versions;
    const counted = state !== undefined && state.revision <= MOST_REVISIONS ? state : undefined;
    const last = roots.newest !== undefined && roots.newest.revision <= MOST_REVISIONS ? roots.newest.revision : 0;
    const newest = Math.max(counted?.revision ?? 0, last, versions.newest, log.newest);
    const isWhole = (table: string): boolean => roots.newest?.whole.has(table) === true;
    const missing = counted === undefined ? [] : missingRevisions(versions, counted.compacted, newest);
    const resolved = versions.resolve({
      upTo: newest,
      areKeysWhole: STATED.every(([table]) => isWhole(table)),
      isLogWhole: isWhole('log') && missing.length === 0,
    });
    return {
      ...resolved,
      format,
      isGone: roots.main === undefined && resolved.saved.length === 0,
      isLatest: roots.isLatest,
      newest,
      missing,
      record: (place) => (typeof place === 'number' ? (records as RecordFile).read(place) : place),
      close: () => this.#file?.close(),
    };
  }

  #damaged(found: string): void {
    this.#listener.damaged(dataFile(this.#directory), `is damaged: ${found}`);
  }
}

const NOTHING: WalkedRoots = { newest: undefined, main: undefined, isLatest: false, isWhole: false, others: [] };
const NO_MAIN: MainRows = { state: undefined, format: undefined, terms: undefined, note: undefined };
/** The tables that have the latest version of each key, and whether that is a deletion. */
const STATED: readonly (readonly [table: string, isDeletion: boolean])[] = [
  ['keys', false],
  ['tombstones', true],
];

/** Each revision since the last compaction has a record. */
function missingRevisions(versions: LatestVersions, compacted: number, newest: number): RevisionRange[] {
  const missing: { first: number; last: number }[] = [];
  for (let revision = compacted + 1; revision <= newest; revision++) {
    if (versions.has(revision)) continue;
    const range = missing.at(-1);
    if (range?.last === revision - 1) range.last = revision;
    else missing.push({ first: revision, last: revision });
  }
  return missing;
}

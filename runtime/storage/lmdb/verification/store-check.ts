/**
 * Looks through a store that no process has open: the pages of its data, its tables, its write-ahead log. Reads its files alone, so that nothing that stands
 * in them ends the process, and changes nothing.
 */
import type { Terms } from '../../storage.ts';
import type { State } from '../codecs/codecs.ts';
import { DamagedStorage } from '../files/damage.ts';
import { lastTransaction, olderThanLock } from '../files/lock-file.ts';
import { type Head, newestHead, readHeads } from '../pages/heads.ts';
import { BadPage, PageFile } from '../pages/page-file.ts';
import { MAIN, type Structure, toldInWords, walkStructure } from '../pages/structure.ts';
import { assertFormat, noFormat, readFormat } from '../store-files/format.ts';
import { type MainRows, mainRows } from '../store-files/main-rows.ts';
import { dataFile, logFile } from '../store-files/store-files.ts';
import { readLog } from '../write-ahead-log/log-reader.ts';
import { pagedTables } from './paged-tables.ts';
import { shownFinding, Verification } from './verification.ts';

export interface CheckListener {
  /** Reports damage. @param found what is wrong with the file, as a text to print after its name */
  damaged(file: string, found: string): void;
  /** Reports something about a file that is worth knowing, but no damage. */
  noted(file: string, found: string): void;
  /** Reports progress. @param what the part that is checked. @param done how much of `total` has been checked */
  progress(what: string, done: number, total: number): void;
}

export interface CheckedStore {
  readonly revision: number;
  readonly compacted: number;
  /** rows, by their tables */
  readonly rows: Readonly<Record<string, number>>;
}

const NO_STATE: State = { revision: 0, compacted: 0, liveBytes: 0, historyBytes: 0, posted: 0 };
/** Milliseconds of a step of the tables, between which progress is told. */
const STEP = 100;
/** Pages after which progress is told. */
const PAGES = 1_024;

/**
 * @param terms of the program that is to open the store
 * @returns undefined where its head tells nothing of it
 * @throws IncompatibleStorage, Error of the file system where there is no data, or its file cannot be opened
 */
export function checkStore(directory: string, terms: Terms, listener: CheckListener): CheckedStore | undefined {
  const path = dataFile(directory);
  const file = new PageFile(path);
  try {
    const last = lastTransaction(directory);
    const head = usableHead(file, (found) => listener.damaged(path, `is damaged: ${found}`));
    const older = head === undefined ? undefined : olderThanLock(head.transaction, last);
    if (older !== undefined) listener.damaged(path, older);
    return head === undefined ? undefined : new Check(directory, file, head, listener).run(terms);
  } finally {
    file.close();
  }
}

/** The newest head that is one, where the heads are damaged. */
function usableHead(file: PageFile, wrong: (found: string) => void): Head | undefined {
  try {
    const newest = newestHead(file);
    if (typeof newest !== 'string') return newest;
    wrong(newest);
    const [head] = readHeads(file)
      .filter((each) => typeof each !== 'string')
      .toSorted((a, b) => b.transaction - a.transaction);
    return head;
  } catch (error) {
    if (!(error instanceof BadPage)) throw error;
    wrong(`its ${error.message}`);
    return undefined;
  }
}

class Check {
  readonly #directory: string;
  readonly #file: PageFile;
  readonly #head: Head;
  readonly #listener: CheckListener;

  constructor(directory: string, file: PageFile, head: Head, listener: CheckListener) {
    this.#directory = directory;
    this.#file = file;
    this.#head = head;
    this.#listener = listener;
  }

  run(terms: Terms): CheckedStore {
    const main = mainRows(this.#file, this.#head);
    if (main.format !== undefined) this.#format(main.format);
    const structure = this.#structure();
    if (!structure.whole.has(MAIN)) {
      // without what it counts nothing can be held against anything
      this.#damaged('the tables are not looked at, for what they are found by is damaged');
      return { revision: main.state?.revision ?? 0, compacted: main.state?.compacted ?? 0, rows: {} };
    }
    // a store that was opened, and never written to, has none
    const state = main.state ?? NO_STATE;
    const rows = this.#tables(structure, state, main, terms);
    this.#log(main, state);
    return { revision: state.revision, compacted: state.compacted, rows };
  }

  /** Of another format nothing is known. @throws IncompatibleStorage */
  #format(text: string): void {
    const format = readFormat(text);
    if (format === undefined) this.#damaged(noFormat(text));
    else assertFormat(format, this.#directory);
  }

  #structure(): Structure {
    const walk = walkStructure(
      this.#file,
      this.#head,
      toldInWords((found) => this.#damaged(found)),
    );
    const total = Math.min(this.#head.lastPage + 1, this.#file.count);
    for (let pages = 0; ; pages++) {
      const step = walk.next();
      if (step.done) {
        this.#listener.progress('pages', total, total);
        return step.value;
      }
      if (pages % PAGES === 0) this.#listener.progress('pages', Math.min(pages, total), total);
    }
  }

  #tables({ trees }: Structure, state: State, { terms: definition }: MainRows, terms: Terms): CheckedStore['rows'] {
    const verification = new Verification({
      tables: pagedTables(this.#file, trees, state),
      // those of another definition are made anew when the store is opened
      terms: definition === terms.definition ? terms : undefined,
      found: (finding) => this.#damaged(shownFinding(finding)),
      unreadable(error) {
        // of its pages was told
        if (!(error instanceof BadPage)) throw error;
      },
    });
    const total = TABLES.reduce((sum, name) => sum + (trees.get(name)?.entries ?? 0), 0);
    const done = (): number => Object.values(verification.counts).reduce((sum, count) => sum + count, 0);
    while (verification.step(STEP)) this.#listener.progress('rows', Math.min(done(), total), total);
    this.#listener.progress('rows', done(), done());
    return verification.counts;
  }

  #log({ note }: MainRows, { revision }: State): void {
    const path = logFile(this.#directory);
    try {
      const { isTorn, commits } = readLog(path, note, revision);
      if (commits.length > 0) this.#listener.noted(path, `has ${commits.length} writes that data.mdb gets when a server is started`);
      if (isTorn)
        this.#listener.noted(
          path,
          'ends with a write that was not written whole, and that nobody was told of: it is dropped when a server is started',
        );
    } catch (error) {
      if (!(error instanceof DamagedStorage)) throw error;
      this.#listener.damaged(error.file, error.found);
    }
  }

  #damaged(found: string): void {
    this.#listener.damaged(this.#file.path, `is damaged: ${found}`);
  }
}

const TABLES: readonly string[] = ['log', 'keys', 'tombstones', 'history', 'index'];

import {
  type Latest,
  type Operation,
  recordKey,
  recordOperation,
  recordPrevious,
  recordValueOffset,
} from '../../../runtime/storage/lmdb/codecs/codecs.ts';
import type { Posting } from '../../../runtime/storage/lmdb/codecs/posting-key.ts';
import { hashOf } from '../../../runtime/storage/lmdb/index/postings.ts';
import { openEnvironment } from '../../../runtime/storage/lmdb/tables/environment.ts';
import type { Tables } from '../../../runtime/storage/lmdb/tables/tables.ts';
import { checkStore } from '../../../runtime/storage/lmdb/verification/store-check.ts';
import { resourcePrefix, type Terms } from '../../../runtime/storage/storage.ts';
import { words } from '../contract/store.ts';

const shownPosting = ({ segment, term, rest }: Posting): string => `${segment} ${term.toString('hex')} ${rest}`;

interface Logged {
  readonly operation: Operation;
  readonly key: string;
  readonly previous: number;
}

/** Holds the databases of a directory that nobody writes to against each other. @returns what is wrong */
export async function checkConsistency(directory: string, terms: Terms = words): Promise<string[]> {
  const told = checked(directory, terms);
  if (told.length > 0) return told;
  const environment = openEnvironment({ directory, addressSpace: 2 ** 30, checkFormat: () => {}, defers: false });
  try {
    return environment.tables.read(() => new Check(environment.tables, terms).run());
  } finally {
    await environment.close();
  }
}

/** What the program's own check tells. */
function checked(directory: string, terms: Terms): string[] {
  const told: string[] = [];
  const damaged = (file: string, found: string): void => void told.push(`${file} ${found}`);
  checkStore(directory, terms, { damaged, noted: () => {}, progress: () => {} });
  return told;
}

class Check {
  readonly #problems: string[] = [];
  readonly #tables: Tables;
  readonly #terms: Terms;
  readonly #log = new Map<number, Logged>();
  /** log records that some key refers to */
  readonly #referred = new Set<number>();

  constructor(tables: Tables, terms: Terms) {
    this.#tables = tables;
    this.#terms = terms;
  }

  run(): string[] {
    const state = this.#tables.state();
    this.#readLog(state.revision);
    const liveBytes = this.#checkLatest('keys', this.#tables.keys.rows('', ''), state.compacted);
    const historyBytes = this.#checkLatest('tombstones', this.#tables.tombstones.rows('', ''), state.compacted) + this.#checkHistory();
    this.#expect(liveBytes === state.liveBytes, `living values take ${liveBytes} bytes, the state says ${state.liveBytes}`);
    this.#expect(historyBytes === state.historyBytes, `history takes ${historyBytes} bytes, the state says ${state.historyBytes}`);
    for (const revision of this.#log.keys()) this.#expect(this.#referred.has(revision), `log ${revision}: no key refers to it`);
    for (let revision = state.compacted + 1; revision <= state.revision; revision++) this.#checkRecent(revision);
    this.#checkIndex(state.compacted);
    this.#checkPostings(state.posted);
    return this.#problems;
  }

  #expect(condition: boolean, problem: string): void {
    if (!condition) this.#problems.push(problem);
  }

  #readLog(newest: number): void {
    for (const { key: revision, value } of this.#tables.log.rows(0)) {
      this.#log.set(revision, { operation: recordOperation(value), key: recordKey(value), previous: recordPrevious(value) });
      this.#expect(revision >= 1 && revision <= newest, `log ${revision}: beyond the newest revision ${newest}`);
    }
  }

  /** @returns the sizes added up */
  #checkLatest(table: 'keys' | 'tombstones', rows: Iterable<{ key: string; value: Latest }>, compacted: number): number {
    let sum = 0;
    for (const { key, value } of rows) {
      sum += value.size;
      this.#refer(`${table} ${key}`, key, value.revision, table === 'tombstones');
      if (table === 'keys') this.#expect(this.#tables.tombstones.get(key) === undefined, `${key}: living and deleted`);
      else this.#expect(value.revision > compacted, `tombstones ${key}: revision ${value.revision} is compacted`);
    }
    return sum;
  }

  #checkHistory(): number {
    let sum = 0;
    for (const { key, value } of this.#tables.history.rows({ text: '', revision: 0 })) {
      sum += value.size;
      this.#refer(`history ${key.text}@${key.revision}`, key.text, key.revision, value.tombstone);
      const latest = this.#tables.keys.get(key.text) ?? this.#tables.tombstones.get(key.text);
      this.#expect(latest !== undefined && latest.revision > key.revision, `history ${key.text}@${key.revision}: nothing follows`);
    }
    return sum;
  }

  #refer(from: string, key: string, revision: number, tombstone: boolean): void {
    const logged = this.#log.get(revision);
    this.#expect(logged?.key === key, `${from}: log ${revision} is of ${logged?.key}`);
    this.#expect((logged?.operation === 'delete') === tombstone, `${from}: log ${revision} is a ${logged?.operation}`);
    this.#expect(!this.#referred.has(revision), `${from}: log ${revision} is referred to twice`);
    this.#referred.add(revision);
  }

  /** A revision that was not compacted has its record, its index row, and the version before it. */
  #checkRecent(revision: number): void {
    const logged = this.#log.get(revision);
    if (logged === undefined) {
      this.#problems.push(`log ${revision}: missing`);
      return;
    }
    const { operation, key, previous } = logged;
    const indexed = this.#tables.index.get({ text: resourcePrefix(key), revision });
    this.#expect(JSON.stringify(indexed) === JSON.stringify({ operation, previous, key }), `index ${revision}: ${JSON.stringify(indexed)}`);
    this.#expect((previous === 0) === (operation === 'create'), `log ${revision}: a ${operation} after ${previous}`);
    if (previous > 0)
      this.#expect(this.#tables.history.get({ text: key, revision: previous }) !== undefined, `${key}@${previous}: not in history`);
  }

  /** Each word of each version up to `posted` has its posting, and no other has. */
  #checkPostings(posted: number): void {
    const wanted = new Set<string>();
    for (const { key: revision, value } of this.#tables.log.rows(0)) {
      const key = recordKey(value);
      const segment = resourcePrefix(key);
      if (revision > posted || segment === key || recordOperation(value) === 'delete') continue;
      for (const term of this.#terms.of(segment, value.subarray(recordValueOffset(value), value.length)))
        wanted.add(shownPosting({ segment, term: hashOf(term), rest: key.slice(segment.length + 1) }));
    }
    const found = new Set(
      Array.from(this.#tables.postings.rows({ segment: '', term: hashOf(''), rest: '' }), ({ key }) => shownPosting(key)),
    );
    this.#expect(found.size === 0 || posted > 0, 'there are postings of nothing');
    for (const posting of wanted) this.#expect(found.has(posting), `posting ${posting}: missing`);
    for (const posting of found) this.#expect(wanted.has(posting), `posting ${posting}: no version has it`);
  }

  #checkIndex(compacted: number): void {
    for (const { key } of this.#tables.index.rows({ text: '', revision: 0 })) {
      this.#expect(this.#log.has(key.revision), `index ${key.text}@${key.revision}: no log record`);
      this.#expect(key.revision > compacted, `index ${key.text}@${key.revision}: compacted`);
    }
  }
}

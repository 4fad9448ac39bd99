import { RevisionCompacted, ValueDamaged } from '../../errors.ts';
import { type Change, resourceOfPrefix } from '../../storage.ts';
import { type Operation, REVISION_END, recordKey, recordOperation, recordPrevious } from '../codecs/codecs.ts';
import type { RecentChanges } from '../recent/recent-changes.ts';
import type { Tables } from '../tables/tables.ts';
import { ValueReader } from './entries.ts';

/** Index rows are read this many at a time: no cursor stays open while the caller looks at a change. */
const PAGE = 256;
const FEW = 64;

/** Changes with `after < revision <= upTo` of keys that start with `prefix`, `limit` at most; `upTo` is on the disk. */
export interface AskedChanges {
  readonly after: number;
  readonly upTo: number;
  readonly prefix: string;
  readonly limit: number;
}

/**
 * Values are good until the next step, and no longer than the turn.
 * @param recent what all who read the same share
 */
export function changes(tables: Tables, recent: RecentChanges, asked: AskedChanges): Generator<Change, void> {
  const { after, upTo, prefix } = asked;
  const resource = resourceOfPrefix(prefix);
  // few are looked through one by one: whatever their index costs is more, and reading it settles what is deferred
  if (resource === undefined || upTo - after <= FEW || recent.haveAll(after, upTo)) return changesOfLog(tables, recent, asked);
  return changesOfSegment(tables, resource, asked);
}

function* changesOfSegment(tables: Tables, segment: string, { after, upTo, prefix, limit }: AskedChanges): Generator<Change, void> {
  const readers = new Readers(tables);
  let left = limit;
  let from = after + 1;
  for (;;) {
    const page = indexPage(tables, segment, from, upTo);
    for (const { revision, operation, key, previous } of page) {
      if (!key.startsWith(prefix)) continue;
      if (left-- <= 0) return;
      yield new LoggedChange(operation, key, revision, readers.current.read(key, revision), previous, readers);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    from = last.revision + 1;
  }
}

interface IndexRow {
  readonly revision: number;
  readonly operation: Operation;
  readonly key: string;
  readonly previous: number;
}

function indexPage(tables: Tables, segment: string, from: number, upTo: number): IndexRow[] {
  return tables.read(() => {
    const { compacted } = tables.state();
    if (from <= compacted) throw new RevisionCompacted(from, compacted);
    const page: IndexRow[] = [];
    const end = { text: segment, revision: Math.min(upTo + 1, REVISION_END) };
    for (const { key, value } of tables.index.rows({ text: segment, revision: from }, end, PAGE)) {
      page.push({ revision: key.revision, operation: value.operation, key: value.key, previous: value.previous });
    }
    return page;
  });
}

/** Every revision above the compacted one has a record. */
function* changesOfLog(tables: Tables, recent: RecentChanges, { after, upTo, prefix, limit }: AskedChanges): Generator<Change, void> {
  let readers: Readers | undefined;
  let left = limit;
  for (let revision = after + 1; revision <= upTo; revision++) {
    let change = recent.of(revision);
    if (change === undefined) {
      readers ??= new Readers(tables);
      change = storedChange(tables, revision, prefix, readers);
    }
    if (change?.key.startsWith(prefix) !== true) continue;
    if (left-- <= 0) return;
    yield change;
  }
}

/** @returns undefined where the key does not start with the prefix */
function storedChange(tables: Tables, revision: number, prefix: string, readers: Readers): Change | undefined {
  return tables.read(() => {
    const record = tables.log.get(revision);
    if (record === undefined) throw missingChange(tables, revision);
    if (!tables.verified.isWhole(revision, record)) throw new ValueDamaged(undefined, revision, 'its checksum is another one');
    const key = recordKey(record);
    if (!key.startsWith(prefix)) return undefined;
    return new LoggedChange(recordOperation(record), key, revision, readers.current.take(record), recordPrevious(record), readers);
  });
}

function missingChange(tables: Tables, revision: number): Error {
  const { compacted } = tables.state();
  return revision <= compacted
    ? new RevisionCompacted(revision, compacted)
    : new ValueDamaged(undefined, revision, 'its record is missing');
}

/** The readers for the values of one iteration, which share two buffers. */
class Readers {
  readonly current: ValueReader;
  readonly previous: ValueReader;

  constructor(tables: Tables) {
    this.current = new ValueReader(tables);
    this.previous = new ValueReader(tables);
  }
}

class LoggedChange implements Change {
  readonly operation: Operation;
  readonly key: string;
  readonly revision: number;
  readonly value: Buffer;
  readonly #previous: number;
  readonly #readers: Readers;
  #previousValue: Buffer | undefined;

  /** @param previous revision of the version that was replaced or removed; 0: none */
  constructor(operation: Operation, key: string, revision: number, value: Buffer, previous: number, readers: Readers) {
    this.operation = operation;
    this.key = key;
    this.revision = revision;
    this.value = value;
    this.#previous = previous;
    this.#readers = readers;
  }

  get previousValue(): Buffer | undefined {
    if (this.#previous > 0) this.#previousValue ??= this.#readers.previous.read(this.key, this.#previous);
    return this.#previousValue;
  }
}

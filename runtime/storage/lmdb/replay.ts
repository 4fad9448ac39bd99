import { RevisionCompacted } from '../errors.ts';
import type { Change } from '../storage.ts';
import { type Operation, REVISION_END, recordKey, recordOperation, recordPrevious } from './codecs.ts';
import { ValueReader } from './entries.ts';
import type { Tables } from './tables.ts';

/** Index rows are read this many at a time: no cursor stays open while the caller looks at a change. */
const PAGE = 256;

/** Changes with `after < revision <= upTo` of keys that start with `prefix`; `upTo` is on the disk. Values share two buffers. */
export function changes(tables: Tables, after: number, upTo: number, prefix: string): Generator<Change, void> {
  const slash = prefix.indexOf('/');
  return slash < 0 ? changesOfLog(tables, after, upTo, prefix) : changesOfSegment(tables, prefix.slice(0, slash), after, upTo, prefix);
}

function* changesOfSegment(tables: Tables, segment: string, after: number, upTo: number, prefix: string): Generator<Change, void> {
  const current = new ValueReader(tables);
  const previous = new ValueReader(tables);
  let from = after + 1;
  for (;;) {
    const page = indexPage(tables, segment, from, upTo);
    for (const { revision, operation, key, previous: before } of page) {
      if (key.startsWith(prefix)) yield change(operation, key, revision, current.read(revision), before, previous);
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
function* changesOfLog(tables: Tables, after: number, upTo: number, prefix: string): Generator<Change, void> {
  const current = new ValueReader(tables);
  const previous = new ValueReader(tables);
  for (let revision = after + 1; revision <= upTo; revision++) {
    const found = tables.read(() => {
      const record = tables.log.get(revision);
      if (record === undefined) throw new RevisionCompacted(revision, tables.state().compacted);
      const key = recordKey(record);
      if (!key.startsWith(prefix)) return undefined;
      return change(recordOperation(record), key, revision, current.take(record), recordPrevious(record), previous);
    });
    if (found !== undefined) yield found;
  }
}

function change(operation: Operation, key: string, revision: number, value: Buffer, previous: number, reader: ValueReader): Change {
  let previousValue: Buffer | undefined;
  return {
    operation,
    key,
    revision,
    value,
    get previousValue() {
      if (previous > 0) previousValue ??= reader.read(previous);
      return previousValue;
    },
  };
}

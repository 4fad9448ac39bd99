import { Conflict, GuardBroken, KeyExists, KeyNotFound, StorageFull } from '../../errors.ts';
import { fillRevision, type Guard, resourcePrefix, type StoredBytes } from '../../storage.ts';
import { encodeRecord, type Latest, type Operation, RECORD_KEY, type RepeatedRecord, recordLength, type State } from '../codecs/codecs.ts';
import { PAGE_BYTES } from '../pages/page-file.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * One change of a key, inside a write transaction: decides, then writes, and counts in `state`, which the caller stores at the end of the
 * transaction. Whatever is refused is refused before the first write, so that other changes of the same transaction stay whole.
 */
export type Mutation = (tables: Tables, state: State) => number;

/** @returns the latest version of a key that has a value, where it need not be looked up */
export type Known = (key: string) => Latest | undefined;

const NOTHING_KNOWN: Known = () => undefined;

/** What LMDB needs for a row and its page, about. */
const ROW_BYTES = 32;

/** About how many bytes of the file a version takes; what is added with it is subtracted with it. */
export function footprint(keyLength: number, valueLength: number): number {
  const row = RECORD_KEY + keyLength + valueLength + ROW_BYTES;
  // two rows go on one page at least; a longer one has pages of its own
  const inLog = row <= PAGE_BYTES / 2 ? PAGE_BYTES / Math.floor(PAGE_BYTES / row) : Math.ceil(row / PAGE_BYTES) * PAGE_BYTES;
  const inIndexAndTables = 3 * (keyLength + ROW_BYTES);
  return Math.ceil(inLog) + inIndexAndTables;
}

/** @param capacity bytes that living values and history may take together; only deletes may go beyond it */
export function create(key: string, value: StoredBytes, capacity: number, guard?: Guard, known = NOTHING_KNOWN): Mutation {
  const keyLength = Buffer.byteLength(key);
  const size = footprint(keyLength, value.bytes.length);
  return (tables, state) => {
    const latest = latestOf(tables, known, key);
    if (latest !== undefined) throw new KeyExists(key, latest.revision);
    assertGuards(tables, known, guard);
    assertRoom(state, size, capacity);
    const buried = tables.tombstones.get(key);
    const revision = append(tables, state, 'create', key, keyLength, 0, value);
    if (buried !== undefined) {
      tables.tombstones.remove(key);
      tables.history.put({ text: key, revision: buried.revision }, { tombstone: true, size: buried.size });
    }
    tables.keys.put(key, { revision, size });
    state.liveBytes += size;
    return revision;
  };
}

/** @param capacity as for `create` */
export function update(
  key: string,
  expectedRevision: number,
  value: StoredBytes,
  capacity: number,
  guard?: Guard,
  known = NOTHING_KNOWN,
): Mutation {
  const keyLength = Buffer.byteLength(key);
  const size = footprint(keyLength, value.bytes.length);
  return (tables, state) => {
    const latest = expected(tables, known, key, expectedRevision);
    assertGuards(tables, known, guard);
    assertRoom(state, size, capacity);
    const revision = append(tables, state, 'update', key, keyLength, latest.revision, value);
    supersede(tables, state, key, latest);
    tables.keys.put(key, { revision, size });
    state.liveBytes += size;
    return revision;
  };
}

export function remove(key: string, expectedRevision: number, lastValue: StoredBytes, known = NOTHING_KNOWN): Mutation {
  const keyLength = Buffer.byteLength(key);
  const size = footprint(keyLength, lastValue.bytes.length);
  return (tables, state) => {
    const latest = expected(tables, known, key, expectedRevision);
    const revision = append(tables, state, 'delete', key, keyLength, latest.revision, lastValue);
    supersede(tables, state, key, latest);
    tables.keys.remove(key);
    tables.tombstones.put(key, { revision, size });
    state.historyBytes += size;
    return revision;
  };
}

/** No change, and yet a write. @param capacity as for `create` */
export function probe(capacity: number): Mutation {
  return (tables, state) => {
    assertRoom(state, PAGE_BYTES, capacity);
    tables.putState(state);
    return state.revision;
  };
}

const latestOf = (tables: Tables, known: Known, key: string): Latest | undefined => known(key) ?? tables.keys.get(key);

function expected(tables: Tables, known: Known, key: string, expectedRevision: number): Latest {
  const latest = latestOf(tables, known, key);
  if (latest === undefined) throw new KeyNotFound(key);
  if (latest.revision !== expectedRevision) throw new Conflict(key, expectedRevision, latest.revision);
  return latest;
}

function assertGuards(tables: Tables, known: Known, guard: Guard | undefined): void {
  for (let each = guard; each !== undefined; each = each.and) {
    const actual = latestOf(tables, known, each.key)?.revision;
    if (actual !== each.revision) throw new GuardBroken(each.key, each.revision, actual);
  }
}

function assertRoom(state: State, size: number, capacity: number): void {
  const used = state.liveBytes + state.historyBytes;
  if (used + size > capacity) throw new StorageFull(`the store is full: ${used} of ${capacity} bytes are used`);
}

function append(
  tables: Tables,
  state: State,
  operation: Operation,
  key: string,
  keyLength: number,
  previous: number,
  value: StoredBytes,
): number {
  const revision = state.revision + 1;
  if (value.revisionOffset >= 0) fillRevision(value.bytes, value.revisionOffset, revision);
  const record = tables.recent.take(revision, recordLength(keyLength, value.bytes));
  encodeRecord(
    record,
    revision,
    { operation, key, previous, value: value.bytes },
    keyLength,
    repeatedRecord(tables, previous, value, record.length),
  );
  tables.log.append(revision, record);
  tables.index.put({ text: resourcePrefix(key), revision }, { operation, key, previous });
  state.revision = revision;
  return revision;
}

/** The record before, where the value is the same as there: memory for the new record may have taken its place. */
function repeatedRecord(
  { recent }: Tables,
  previous: number,
  { repeats, revisionOffset }: StoredBytes,
  length: number,
): RepeatedRecord | undefined {
  if (repeats === undefined || repeats !== previous) return undefined;
  const record = recent.get(previous);
  return record?.length === length ? { record, revision: previous, revisionOffset } : undefined;
}

function supersede(tables: Tables, state: State, key: string, latest: Latest): void {
  tables.history.put({ text: key, revision: latest.revision }, { tombstone: false, size: latest.size });
  state.liveBytes -= latest.size;
  state.historyBytes += latest.size;
}

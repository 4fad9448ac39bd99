import { ValueDamaged } from '../errors.ts';
import type { Terms } from '../storage.ts';
import { REVISION_END, type State } from './codecs/codecs.ts';
import { unpost } from './index/postings.ts';
import type { Tables } from './tables/tables.ts';
import { versionRecord } from './versions/versions.ts';
import type { Writer } from './writes/writer.ts';

/** Time that one slice may hold the event loop inside its write transaction. */
const SLICE_MILLISECONDS = 3;
/** Changes that are looked up for a slice at a time. */
const PAGE = 256;

export interface Compaction {
  readonly tables: Tables;
  readonly writer: Writer;
  readonly terms: Terms;
  /** hears of each value on the way that is not what was written. Must not throw. */
  readonly damaged: (error: ValueDamaged) => void;
}

/**
 * Drops what no read at `revision` or later needs. First the limit is moved, in a transaction of its own: from then on nobody reads what the
 * slices take away. The index rows at or below the limit are what is left to do, so that a compaction that was cut short is finished by the next.
 */
export async function compact(compaction: Compaction, revision: number): Promise<void> {
  const { tables, writer } = compaction;
  const limit = await writer.submit((_, state) => {
    if (revision > state.revision) return undefined;
    // what has no postings yet stays until it has: a version that goes takes its postings with it
    state.compacted = Math.max(state.compacted, Math.min(revision, state.posted));
    return state.compacted;
  });
  if (limit === undefined)
    throw new RangeError(`cannot compact at ${revision}: the newest revision is ${tables.read(() => tables.state().revision)}`);
  let segment = nextSegment(tables, '');
  while (segment !== undefined) {
    await compactSegment(compaction, segment, limit);
    segment = nextSegment(tables, segment);
  }
}

/** Returns the first segment in the index after another one; undefined if there is none. */
function nextSegment(tables: Tables, segment: string): string | undefined {
  return tables.read(() => {
    for (const { key } of tables.index.rows({ text: segment, revision: REVISION_END }, undefined, 1)) return key.text;
    return undefined;
  });
}

async function compactSegment(compaction: Compaction, segment: string, limit: number): Promise<void> {
  const { tables, writer } = compaction;
  for (;;) {
    const page = indexPage(tables, segment, limit);
    if (page.length === 0) return;
    let next = 0;
    while (next < page.length) next = await writer.submit((_, state) => dropSlice(compaction, state, page, next));
  }
}

interface CompactedChange {
  readonly segment: string;
  readonly revision: number;
  readonly key: string;
  readonly tombstone: boolean;
  /** 0: none */
  readonly previous: number;
}

function indexPage(tables: Tables, segment: string, limit: number): CompactedChange[] {
  return tables.read(() => {
    const page: CompactedChange[] = [];
    for (const { key, value } of tables.index.rows({ text: segment, revision: 0 }, { text: segment, revision: limit + 1 }, PAGE)) {
      const { key: changed, operation, previous } = value;
      page.push({ segment, revision: key.revision, key: changed, tombstone: operation === 'delete', previous });
    }
    return page;
  });
}

/** @returns the place in the page where the next slice begins */
function dropSlice(compaction: Compaction, state: State, page: readonly CompactedChange[], from: number): number {
  const { tables, terms } = compaction;
  const deadline = performance.now() + SLICE_MILLISECONDS;
  let next = from;
  while (next < page.length) {
    const change = page[next++] as CompactedChange;
    verifyVersions(compaction, change);
    if (change.previous > 0) unpost(tables, terms, change.key, change.previous);
    dropChange(tables, state, change);
    if (performance.now() >= deadline) break;
  }
  return next;
}

/** The version that goes, and the one that stays. */
function verifyVersions({ tables, damaged }: Compaction, { key, previous }: CompactedChange): void {
  const latest = tables.keys.get(key)?.revision ?? 0;
  if (previous > 0 && tables.history.get({ text: key, revision: previous }) !== undefined) verify(tables, key, previous, damaged);
  if (latest > 0) verify(tables, key, latest, damaged);
}

function verify(tables: Tables, key: string, revision: number, damaged: Compaction['damaged']): void {
  if (tables.verified.has(revision)) return;
  try {
    versionRecord(tables, key, revision);
  } catch (error) {
    if (!(error instanceof ValueDamaged)) throw error;
    damaged(error);
  }
}

/**
 * Drops the index row, the version that the change superseded, and the change's own version if that is a tombstone. Whatever another
 * process has dropped in the meantime is passed over.
 */
function dropChange(tables: Tables, state: State, { segment, revision, key, tombstone, previous }: CompactedChange): void {
  tables.index.remove({ text: segment, revision });
  if (previous > 0) dropSuperseded(tables, state, key, previous);
  if (tombstone) dropTombstone(tables, state, key, revision);
}

function dropTombstone(tables: Tables, state: State, key: string, revision: number): void {
  const latest = tables.tombstones.get(key);
  if (latest?.revision === revision) {
    tables.tombstones.remove(key);
    tables.log.remove(revision);
    state.historyBytes -= latest.size;
  } else {
    dropSuperseded(tables, state, key, revision);
  }
}

function dropSuperseded(tables: Tables, state: State, key: string, revision: number): void {
  const version = { text: key, revision };
  const superseded = tables.history.get(version);
  if (superseded === undefined) return;
  tables.history.remove(version);
  tables.log.remove(revision);
  state.historyBytes -= superseded.size;
}

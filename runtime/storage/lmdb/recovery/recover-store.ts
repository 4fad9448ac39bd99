/**
 * Makes a new store of all that can be read of one whose files are damaged. That one stays as it is. The new one has no past, and begins beyond every
 * revision that may have been given: what is saved keeps its revision, and watches begin anew.
 */
import { statSync } from 'node:fs';
import { RECORD_KEY, REVISION_END, recordKey, type State } from '../codecs/codecs.ts';
import { addressSpaceOf } from '../lmdb-storage.ts';
import { assertFormat, checkFormat, readFormat } from '../store-files/format.ts';
import { dataFile, noteClosed, noteMade } from '../store-files/store-files.ts';
import { type Environment, openEnvironment } from '../tables/environment.ts';
import { explainFailure } from '../writes/failure.ts';
import { footprint } from '../writes/mutations.ts';
import { type DamageListener, type ReadableStore, readDamagedStore } from './damaged-store.ts';
import type { FoundRecord } from './records.ts';

export interface RecoveryListener extends DamageListener {
  progress(what: string, done: number, total: number): void;
}

export interface RecoveredStore extends Pick<ReadableStore, 'isLatest' | 'lost' | 'missing'> {
  readonly dialect: string;
  /** how many keys are saved */
  readonly saved: number;
  /** the revision at which the new store begins */
  readonly revision: number;
}

/** The store does not say whose objects it has. */
export class UnknownDialect extends Error {
  override readonly name = 'UnknownDialect';
}

/**
 * @param to an empty folder
 * @param dialect whose objects these are, where the store does not say
 * @param least revisions that may have been given since, besides those that the store knows of
 * @throws UnknownDialect, IncompatibleStorage, StorageFull, Error that names the file
 */
export async function recoverStore(
  from: string,
  to: string,
  dialect: string | undefined,
  listener: RecoveryListener,
  least = 0,
): Promise<RecoveredStore> {
  const readable = readDamagedStore(from, listener);
  try {
    if (readable.isGone) throw new Error(`nothing can be read of ${from}`);
    const own = dialectOf(readable, from) ?? dialect;
    if (own === undefined)
      throw new UnknownDialect(`${dataFile(from)} does not say any more of which dialect its objects are: --dialect says it`);
    const revision = beyond(readable.newest + least, from);
    await write(readable, to, own, revision, listener);
    const { isLatest, lost, missing, saved } = readable;
    return { dialect: own, saved: saved.length, revision, isLatest, lost, missing };
  } finally {
    readable.close();
  }
}

function dialectOf({ format: text }: ReadableStore, from: string): string | undefined {
  const format = text === undefined ? undefined : readFormat(text);
  if (format === undefined) return undefined;
  assertFormat(format, from);
  return format.dialect;
}

/** The number of revisions that are left free after the newest one that is known. */
const MARGIN = 1_000_000;
/** The fewest bytes that a revision takes in the file. */
const REVISION_BYTES = 32;
/** The number to whose multiple the revision is rounded up, because people see it in every object that is written next. */
const ROUND = 1_000_000;

/** Returns a revision that is higher than any given one: records that cannot be read may have had revisions, too, as many as the file has space for. */
function beyond(newest: number, from: string): number {
  const bytes = statSync(dataFile(from), { throwIfNoEntry: false })?.size ?? 0;
  const revision = Math.ceil((newest + MARGIN + bytes / REVISION_BYTES) / ROUND) * ROUND;
  if (revision >= REVISION_END) throw new Error(`${dataFile(from)} has no revisions left: it would go on with ${revision}`);
  return revision;
}

/** The bytes of values after which a transaction ends; it may be longer by its last value. */
const TRANSACTION = 4 * 1024 * 1024;

async function write(
  readable: ReadableStore,
  to: string,
  dialect: string,
  revision: number,
  { progress }: RecoveryListener,
): Promise<void> {
  const saved = readable.saved.toSorted((a, b) => a.revision - b.revision);
  const environment = openEnvironment({
    directory: to,
    addressSpace: addressSpaceOf(),
    defers: false,
    checkFormat: (record) => checkFormat(record, to, dialect),
  });
  try {
    const state: State = { revision, compacted: revision, liveBytes: 0, historyBytes: 0, posted: 0 };
    for (let done = 0; done < saved.length; ) {
      done = await environment.transaction(() => writeSome(environment, readable, saved, done, state));
      progress('keys', done, saved.length);
    }
    await environment.transaction(() => environment.tables.putState(state));
  } catch (error) {
    throw (await explainFailure(error, undefined, environment, to)).reason;
  } finally {
    await environment.close();
  }
  noteMade(to);
  noteClosed(to);
}

/** @returns place of the next one to write */
function writeSome({ tables }: Environment, readable: ReadableStore, saved: readonly FoundRecord[], from: number, state: State): number {
  let bytes = 0;
  let next = from;
  while (next < saved.length && bytes < TRANSACTION) {
    const { key, revision, place } = saved[next++] as FoundRecord;
    const record = readable.record(place);
    const keyLength = Buffer.byteLength(recordKey(record));
    const size = footprint(keyLength, record.length - RECORD_KEY - keyLength);
    tables.log.append(revision, record);
    tables.keys.put(key, { revision, size });
    state.liveBytes += size;
    bytes += record.length;
  }
  return next;
}

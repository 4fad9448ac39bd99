/**
 * The last changes as readers get them, over the records that lie in memory: each is made when it is read first, and is the same for whoever reads it later,
 * with the value that was taken out of it. Several follow each commit, and each of them would take it apart for itself.
 */
import { type Change, OWN_VALUE } from '../../storage.ts';
import { type Operation, recordKey, recordOperation, recordPrevious, recordValueOffset } from '../codecs/codecs.ts';
import type { RecentRecords } from './recent-records.ts';

/**
 * Changes that are kept at most: those of some commits, for all follow within milliseconds. What lives through two collections of young garbage, between which
 * there are some 200 writes, is moved twice.
 */
const MOST = 128;
/** Bytes of a value that was replaced, and had to be read from LMDB, which stays with its change at most. */
const MOST_REPLACED_BYTES = 8_192;

/** What is needed to tell what a change has replaced. */
export interface Replaced {
  readonly records: RecentRecords;
  /** @returns memory of its own. @throws RevisionCompacted where the record is no more, ValueDamaged */
  stored(key: string, revision: number): Buffer;
}

export class RecentChanges {
  readonly #replaced: Replaced;
  readonly #records: RecentRecords;
  /** the changes at the remainders of their revisions */
  readonly #kept: (RecentChange | undefined)[] = new Array(MOST).fill(undefined);
  /** the generation of the records that the changes were made from */
  #generation = 0;

  constructor(replaced: Replaced) {
    this.#replaced = replaced;
    this.#records = replaced.records;
  }

  /**
   * The change of a revision, whose values are good for as long as no write transaction runs.
   * @returns undefined where LMDB has to be asked
   */
  of(revision: number): Change | undefined {
    if (this.#generation !== this.#records.generation) {
      // memory of some of them has gone, or is that of others
      this.#generation = this.#records.generation;
      this.#kept.fill(undefined);
    }
    const kept = this.#kept[revision % MOST];
    if (kept?.revision === revision) return kept;
    const record = this.#records.get(revision);
    if (record === undefined) return undefined;
    const change = new RecentChange(revision, record, this.#replaced);
    this.#kept[revision % MOST] = change;
    return change;
  }

  /**
   * Whether nothing has to be read for the changes behind a revision, which are no more than are kept.
   * @param upTo the last one of them, which another process may have written
   */
  haveAll(after: number, upTo: number): boolean {
    return upTo - after <= MOST && this.of(after + 1) !== undefined && this.of(upTo) !== undefined;
  }
}

class RecentChange implements Change {
  readonly operation: Operation;
  readonly key: string;
  readonly revision: number;
  readonly #previous: number;
  readonly #replaced: Replaced;
  /** the record, until its value is asked for, which is here then */
  #bytes: Buffer;
  #hasValue = false;
  #previousValue: Buffer | undefined;

  constructor(revision: number, record: Buffer, replaced: Replaced) {
    this.operation = recordOperation(record);
    this.key = recordKey(record);
    this.revision = revision;
    this.#previous = recordPrevious(record);
    this.#bytes = record;
    this.#replaced = replaced;
  }

  get value(): Buffer {
    if (!this.#hasValue) {
      this.#bytes = valueIn(this.#bytes);
      this.#hasValue = true;
    }
    return this.#bytes;
  }

  get previousValue(): Buffer | undefined {
    return this.#previousValue ?? this.#replacedValue(this.#previous);
  }

  /** @param previous revision; 0: none */
  #replacedValue(previous: number): Buffer | undefined {
    if (previous === 0) return undefined;
    const recent = this.#replaced.records.get(previous);
    // its memory is another one's sooner than that of this change
    if (recent !== undefined) return valueIn(recent);
    const value = this.#replaced.stored(this.key, previous);
    if (value.length <= MOST_REPLACED_BYTES) this.#previousValue = value;
    return value;
  }
}

/** Long ones have memory of their own. */
function valueIn(record: Buffer): Buffer {
  const value = record.subarray(recordValueOffset(record));
  return value.length > OWN_VALUE ? ownBytes(value) : value;
}

/** Copies bytes to memory of their own, not to the memory that short buffers share. */
export function ownBytes(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

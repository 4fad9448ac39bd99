/**
 * The log records of the last changes that this process has written: who follows changes takes them from here and leaves LMDB alone. They lie
 * in two pieces of memory that are filled in turn, so that none is kept for its own sake, and nothing is left to the collector of garbage.
 */

/**
 * Bytes of one of the two, which the postings' batches fit in (index-follower.ts). A longer record has memory of its own, until there is another one; what came
 * before it is not kept.
 */
const PIECE_BYTES = 2 * 1_024 * 1_024;

/** The records of successive revisions, one behind the other. */
class Piece {
  readonly bytes = Buffer.allocUnsafeSlow(PIECE_BYTES);
  first = 0;
  /** the offset at which each record ends */
  readonly ends: number[] = [];

  get end(): number {
    return this.ends.at(-1) ?? 0;
  }

  /** The revision of the record that follows the last one. */
  get next(): number {
    return this.first + this.ends.length;
  }

  begin(revision: number): void {
    this.first = revision;
    this.ends.length = 0;
  }

  take(length: number): Buffer {
    const start = this.end;
    this.ends.push(start + length);
    return this.bytes.subarray(start, start + length);
  }

  get(revision: number): Buffer | undefined {
    const index = revision - this.first;
    if (index < 0 || index >= this.ends.length) return undefined;
    return this.bytes.subarray(index === 0 ? 0 : this.ends[index - 1], this.ends[index]);
  }
}

export class RecentRecords {
  #current = new Piece();
  #other = new Piece();
  /** records up to this revision are on the disk */
  #confirmed = 0;
  /** how often records have gone */
  generation = 0;
  #long = Buffer.allocUnsafeSlow(0);
  /** bytes and revision of the long record that is kept; revision -1: none */
  #longLength = 0;
  #longRevision = -1;

  /** Memory for the record of a revision, to be filled at once; good until the next call. In write transactions, in the order of revisions. */
  take(revision: number, length: number): Buffer {
    if (length > PIECE_BYTES) return this.#takeLong(revision, length);
    // another process has written in between, or a transaction has failed
    if (revision !== this.#current.next) this.#restart(revision);
    if (this.#current.end + length > PIECE_BYTES) this.#turn(revision);
    return this.#current.take(length);
  }

  #takeLong(revision: number, length: number): Buffer {
    this.forget();
    if (length > this.#long.length) this.#long = Buffer.allocUnsafeSlow(2 * length);
    this.#longRevision = revision;
    this.#longLength = length;
    return this.#long.subarray(0, length);
  }

  #restart(revision: number): void {
    this.generation++;
    this.#current.begin(revision);
    this.#other.begin(revision);
  }

  #turn(revision: number): void {
    this.generation++;
    const full = this.#current;
    this.#current = this.#other;
    this.#current.begin(revision);
    this.#other = full;
  }

  /** Notes that a transaction has reached the disk. @param revision the last one that it has written */
  confirm(revision: number): void {
    this.#confirmed = Math.max(this.#confirmed, revision);
  }

  /** Forgets all records. It must be called when a transaction has failed, whose revisions others will get, and when nothing may be read any more. */
  forget(): void {
    this.#restart(0);
    this.#longRevision = -1;
  }

  /** @returns a record; undefined if LMDB has to be asked. The bytes are valid as long as no write transaction runs */
  get(revision: number): Buffer | undefined {
    if (revision > this.#confirmed) return undefined;
    if (revision === this.#longRevision) return this.#long.subarray(0, this.#longLength);
    return this.#current.get(revision) ?? this.#other.get(revision);
  }
}

/**
 * The store: an ordered log of revisions over keys. Revisions are integers from 1 to 2^53-1, one for each change, without gaps for readers to rely on.
 * Implementations know keys and bytes, nothing of kinds or HTTP. The contract suite in `test/storage/` holds every implementation to this page.
 *
 * Keys are text, compared by their UTF-8 bytes, at most 1,500 bytes: `<resource prefix>/<namespace>/<name>` or `<resource prefix>/<name>`.
 */
export interface Storage {
  /** The newest revision that is on the disk and visible to readers of this process; 0 in an empty store. Cheap: called for every request. */
  currentRevision(): number;
  /** Changes and reads at revisions below this one are gone; 0 before the first compaction. */
  compactedRevision(): number;

  /**
   * Stores a value under a key that has none. Resolves when the write is on the disk and visible.
   * @throws KeyExists
   */
  create(key: string, value: StoredBytes): Promise<number>;
  /**
   * Replaces the value of a key whose latest revision is `expectedRevision`.
   * @throws KeyNotFound, Conflict
   */
  update(key: string, expectedRevision: number, value: StoredBytes): Promise<number>;
  /**
   * Removes a key whose latest revision is `expectedRevision`. `lastValue` is what followers see of the removal.
   * @throws KeyNotFound, Conflict
   */
  delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number>;

  /**
   * @param atRevision reads the past; absent: the latest
   * @returns undefined when the key has no value at that revision. The bytes are a copy that the caller owns.
   * @throws RevisionCompacted, RevisionInFuture
   */
  get(key: string, atRevision?: number): Entry | undefined;
  /**
   * Entries with `start <= key < end` in the order of keys, as they are (or were) at one revision. Finish the iteration in one synchronous turn;
   * a long range is read in several calls, each starting after the last key, at the same `atRevision`.
   * `value` is only valid until the next step of the iteration: copy what is kept.
   * @throws RevisionCompacted, RevisionInFuture
   */
  range(options: RangeOptions): Iterable<Entry>;
  /** Number of entries that `range` would give, values unread. */
  count(options: Omit<RangeOptions, 'limit'>): number;

  /**
   * Changes with `after < revision`, oldest first, of keys that start with `prefix`. Same rules as `range` for turns and values.
   * @param after exclusive revision, integer >= 0
   * @throws RevisionCompacted when changes after `after` are gone
   */
  changes(after: number, prefix: string, limit?: number): Iterable<Change>;
  /** Calls `listener` with the newest revision after each commit (several writes may share one call). @returns stops it */
  onCommit(listener: (revision: number) => void): () => void;

  /** Drops superseded values, tombstones and changes below `revision`. Works in slices and yields between them. @throws RangeError beyond the current revision */
  compact(revision: number): Promise<void>;
  /** Waits for writes under way, then closes. Later calls throw. */
  close(): Promise<void>;
}

/**
 * A value as the caller hands it over, for the store to keep; the caller must not change it afterwards, but may read it once the write has resolved.
 * Where `revisionOffset` is >= 0 the store overwrites the REVISION_GAP bytes from there with the revision in decimal digits, a double quote,
 * and spaces, so that JSON bytes carry their own revision.
 */
export interface StoredBytes {
  readonly bytes: Buffer;
  readonly revisionOffset: number;
}

/** 16 digits, enough for 2^53, and the closing quote. */
export const REVISION_GAP = 17;

/** Writes `revision` into the gap of `bytes` at `offset`. */
export function fillRevision(bytes: Buffer, offset: number, revision: number): void {
  const digits = String(revision);
  bytes.latin1Write(digits, offset);
  bytes[offset + digits.length] = 0x22;
  bytes.fill(0x20, offset + digits.length + 1, offset + REVISION_GAP);
}

export interface RangeOptions {
  /** inclusive */
  readonly start: string;
  /** exclusive */
  readonly end: string;
  readonly atRevision?: number;
  /** entries at most; absent: all */
  readonly limit?: number;
}

export interface Entry {
  readonly key: string;
  /** revision of the last change of this key, at the revision read */
  readonly revision: number;
  readonly value: Buffer;
}

export interface Change {
  readonly operation: 'create' | 'update' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** of a delete: the last value */
  readonly value: Buffer;
  /** the value that was replaced or removed; undefined for a create */
  readonly previousValue: Buffer | undefined;
}

/** First key after all keys that start with `prefix`. */
export function prefixEnd(prefix: string): string {
  return `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
}

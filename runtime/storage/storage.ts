import type { ServiceCallTracer } from '../contract/trace.ts';

/**
 * The store: an ordered log of revisions over keys. Revisions are integers from 1 to 2^53-1. Each change has one of its own, unless other programs write to the
 * store as well: then changes of several keys may share a revision. Readers must not count on revisions without gaps.
 * Implementations know keys and bytes, nothing of kinds or HTTP. The contract suite in `test/storage/` holds every implementation to this page.
 *
 * Keys are text, compared by their UTF-8 bytes: `<resource prefix>/<namespace>/<name>` or `<resource prefix>/<name>`. A key is well-formed, not empty, without
 * U+0000, and at most MAX_KEY_BYTES long. A write of another key throws a RangeError, a read of it finds nothing.
 */
export interface Storage extends StorageLog, StorageView {
  /**
   * Drops superseded values and tombstones that no read at `revision` or later needs, and changes up to `revision`. A revision that was compacted before is no
   * error. Works in slices and yields between them. @throws RangeError for a revision beyond the current one
   */
  compact(revision: number): Promise<void>;
  /** Waits for writes under way, then closes. Later calls throw. */
  close(): Promise<void>;
}

/** The log: all writes, in one order. It may be on another machine. */
export interface StorageLog {
  /**
   * Stores a value under a key that has none. Resolves with the revision when the write is on the disk and visible.
   * @param guard what must still be so besides; absent: nothing
   * @throws KeyExists, GuardBroken, ValueUnencryptable, StorageFull, StorageUnwritable
   */
  create(key: string, value: StoredBytes, guard?: Guard): Promise<number>;
  /**
   * Replaces the value of a key whose latest revision is `expectedRevision`.
   * @param guard what must still be so besides; absent: nothing
   * @throws KeyNotFound, Conflict, GuardBroken, ValueUnencryptable, StorageFull, StorageUnwritable
   */
  update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number>;
  /**
   * Removes a key whose latest revision is `expectedRevision`. Followers of changes see the removal with `lastValue`.
   * @throws KeyNotFound, Conflict, ValueUnencryptable, StorageFull (only when the disk itself is full), StorageUnwritable
   */
  delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number>;

  /**
   * Writes to the disk without changing anything. Resolves when that write, and all writes before it, are on the disk.
   * @throws StorageFull where there is no room for a small value, StorageUnwritable
   */
  probe(): Promise<void>;

  /**
   * Resolves when the view has all writes that any process made before the call. A caller that must see the most recent state calls it once, before it reads
   * anything. @returns undefined where the view always has all writes, so that nobody waits
   */
  barrier(): Promise<void> | undefined;
}

/** The view: the part of the log that has come to this machine, for reading. No read waits for anything. */
export interface StorageView {
  /** The newest revision that is on the disk and visible to readers of this process; 0 in an empty store. Cheap: called for every request. */
  currentRevision(): number;
  /**
   * A revision at which each write that has resolved is visible, whoever wrote it. Newer writes may be visible already. Costs nothing where one process has
   * the store for itself.
   */
  settledRevision(): number;
  /** The oldest revision that can be read; changes up to and including it are gone. 0 before the first compaction. */
  compactedRevision(): number;

  /**
   * @param atRevision reads the past; absent: the latest
   * @returns undefined when the key has no value at that revision. The bytes are a copy that the caller owns.
   * @throws RevisionCompacted, RevisionInFuture
   */
  get(key: string, atRevision?: number): Entry | undefined;
  /**
   * Calls `take` with a key's latest value, without a copy: the bytes are good until `take` returns. `take` must not call the store.
   * @returns the result of `take`; undefined, without a call, when the key has no value
   */
  look<T>(key: string, take: (entry: Entry) => T): T | undefined;
  /** The revision of a key's latest value, found without reading the value; undefined where there is none. */
  revisionOf(key: string): number | undefined;
  /** Upper bound of the bytes of a key's latest value, some thousands too high at most, found without reading the value; 0 where there is none. */
  mostBytesOf(key: string): number;
  /**
   * Entries with `start <= key < end` in the order of keys, as they are or were at one revision. The result can be iterated once, within one synchronous turn.
   * A long range is read by several calls at the same `atRevision`, each of which starts after the last key.
   * An entry's `value` is read when somebody asks for it, and is good until the next step of the iteration, unless it is longer than `OWN_VALUE`: whoever
   * keeps it takes `keptValue` of it. Other calls to the store may be made between steps.
   * @throws RevisionCompacted, RevisionInFuture: the call itself; a later step only where the iteration was not finished in its turn
   */
  range(options: RangeOptions): Iterable<Entry>;
  /**
   * Goes through the entries of `range` faster than `range` does, for callers that look at many. It sees one snapshot, even over several turns. With
   * requirements, it finds all entries whose values meet all requirements, and perhaps some others, without reading most of those that do not. A value meets a
   * requirement if it has one of the requirement's terms. Whoever opens the store says which terms a value has (`Terms`).
   * @throws RevisionCompacted, RevisionInFuture
   */
  scan(options: ScanOptions): Scan;
  /** Number of entries that `range` would give, found without reading values. @throws RevisionCompacted, RevisionInFuture */
  count(options: Omit<RangeOptions, 'limit'>): number;

  /**
   * Changes with `after < revision`, oldest first, of keys that start with `prefix`, up to the revision that is current when it is called.
   * Same rules as `range` for turns and values. A prefix that holds that of a resource (`pods/`, `pods/default/`, `e.com/toys/`) costs
   * the changes of that resource alone; any other prefix costs all changes.
   * The store keeps the last hundred changes, and gives all callers the same objects, because several callers follow each commit: so a value is read,
   * decrypted or converted once. Only a store that another thread has gives copies.
   * @param after exclusive revision, integer >= 0; one that is not there yet gives nothing
   * @param limit changes at most; those that share the revision of the last one come besides
   * @throws RevisionCompacted when changes after `after` are gone: `after` is below compactedRevision()
   */
  changes(after: number, prefix: string, limit?: number): Iterable<Change>;
  /**
   * Calls `listener` with the newest revision after each commit; several writes may share one call. The writes are visible by then, and the promises of the
   * writers resolve in the same turn. @returns stops it
   */
  onCommit(listener: (revision: number) => void): () => void;
}

/** A store with the upkeep that the process which serves it has to do. */
export interface ServedStorage extends Storage {
  /** the name of the store in metrics; absent: `store-0` */
  readonly clusterId?: string;
  /** checks of what the store depends on besides its disk; absent: nothing */
  readonly checks?: readonly StoreCheck[];
  /** The past is in the memory of each process that has the store open, and each compacts its own; absent: one process does so for all. */
  readonly hasOwnPast?: true;
  /** Why some writes cannot be read at present, for health checks; undefined where all can be read. Absent: all can always be read. */
  problem?(): string | undefined;
  /** Shows metrics of its own from now on, with what it has counted before; absent: it has none. */
  showFigures?(metrics: StoreMetrics): void;
  /** Traces the calls of other services that it makes from now on; absent: it makes none. */
  traceCalls?(tracer: ServiceCallTracer): void;
  size(): { readonly historyBytes: number };
  /** Bytes that the disk has given to the store; undefined where it has none there. */
  allocatedBytes(): number | undefined;
  /**
   * The same store for a writer that may write only while a fence holds. When another writer takes over, the store refuses writes that are under way, with
   * WriteFenced. Absent: other servers do not share the store.
   */
  fenced?(fence: Fence): Storage;
  /** Looks for writes of other processes. It must be called when another process tells that it has written to the same store. */
  notify(): void;
  /**
   * Begins to index writes, by which scans find values faster, for all processes that have the store open.
   * @returns ends it; `stop` waits for the work under way
   */
  keepIndex(onError: (error: unknown) => void): { stop(): Promise<void> };
  /**
   * Verifies all that is stored, in steps, between which the store may be written to.
   * @param found called with each damage. Must not throw.
   * @returns undefined where nothing can be damaged, as in memory
   */
  verification(found: (finding: Finding) => void): StoreVerification | undefined;
}

/** A check of something without which values cannot be read or written. */
export interface StoreCheck {
  readonly name: string;
  /** @returns what is wrong; undefined: nothing is */
  check(): string | undefined;
}

type Labels = Readonly<Record<string, string>>;

/** The metrics in which a store shows figures of its own, by the names in `schemas/metrics.yaml`. */
export interface StoreMetrics {
  /** increases when series are dropped; then counters and histograms have to be looked up again */
  readonly generation: number;
  counter(name: string): { inc(labels: Labels): void; with(labels: Labels): { inc(): void } };
  gauge(name: string): { set(labels: Labels, value: number): void };
  histogram(name: string): { with(labels: Labels): { observe(value: number): void } };
}

/** Something that is not what was written. */
export interface Finding {
  readonly key: string | undefined;
  readonly revision: number | undefined;
  /** what is wrong, as a text to print after the name of the file or table */
  readonly found: string;
}

export interface StoreVerification {
  /**
   * @param milliseconds after which the step ends, about
   * @returns whether there is more to verify
   */
  step(milliseconds: number): boolean;
  /** numbers of what was verified so far, by what it is */
  readonly counts: Readonly<Record<string, number>>;
}

/** A store in a folder of this machine. When a write has settled, the store does not use the bytes any more that it was given. */
export interface FolderStorage extends ServedStorage {
  /**
   * Copies all that was written before the call, with its history, to a new store, while this one goes on. Resolves when the copy is on the disk.
   * @param directory path of a directory that does not exist yet
   * @throws Error where the path exists, or where there is no room
   */
  copyTo(directory: string): Promise<void>;
}

/** Longest key in UTF-8 bytes: a custom resource's group and plural name, a namespace and a name need 253 + 63 + 63 + 253 and slashes. */
export const MAX_KEY_BYTES = 1500;

/** Whether a store takes the key. */
export function isKey(key: string): boolean {
  const short = key.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(key) <= MAX_KEY_BYTES;
  return short && key !== '' && key.isWellFormed() && !key.includes('\0');
}

/** @throws RangeError for a key that no store takes */
export function requireKey(key: string): void {
  if (!isKey(key)) throw new RangeError(`not a key: ${JSON.stringify(key.slice(0, 100))}`);
}

/**
 * A value that a caller hands over to the store. The caller must not change it afterwards, but may read it once the write has resolved. Where `revisionOffset`
 * is >= 0, the store overwrites the REVISION_GAP bytes from there with the revision in decimal digits, a double quote, and spaces, so that JSON bytes carry
 * their own revision. After a write that failed, those bytes are undefined.
 */
export interface StoredBytes {
  readonly bytes: Buffer;
  readonly revisionOffset: number;
  /** a revision at which the same key got the same bytes, but for those of the revision itself; absent: there is none, or it is not known */
  readonly repeats?: number;
  /**
   * The object that the bytes were made of, so that the store need not parse them. It is read within the call of the write, and nobody changes it meanwhile.
   * Absent: the writer does not have it.
   */
  readonly object?: object;
}

/** Makes a value for writing the same bytes again. It copies them, because the store has kept them. @param revision the revision at which the key got them */
export function repeated({ bytes, revisionOffset }: StoredBytes, revision: number): StoredBytes {
  return { bytes: Buffer.from(bytes), revisionOffset, repeats: revision };
}

/** The version of another key by which a write was decided. The store refuses the write with GuardBroken if the key has another version by then. */
export interface Guard {
  readonly key: string;
  /** the revision of the key's latest version; undefined if the key has no value */
  readonly revision: number | undefined;
  /** another guard, which has to hold as well */
  readonly and?: Guard | undefined;
}

/** Returns a guard and all guards in its `and`. */
export function* guardsOf(guard: Guard | undefined): Generator<Guard, void, void> {
  for (let each = guard; each !== undefined; each = each.and) yield each;
}

/** Says which of several servers that share a store may write: each server changes the key when it takes over. */
export interface Fence {
  readonly key: string;
  /** Called before each attempt of a write. @returns the revision that the key has while the fence holds; undefined: the fence does not hold */
  revision(): number | undefined;
}

/** 16 digits, enough for 2^53, and the closing quote. */
export const REVISION_GAP = 17;

/** Writes `revision` into the gap of `bytes` at `offset`. */
export function fillRevision(bytes: Buffer, offset: number, revision: number): void {
  const digits = String(revision);
  // a call of the runtime would take longer than these few bytes
  for (let i = 0; i < digits.length; i++) bytes[offset + i] = digits.charCodeAt(i);
  bytes[offset + digits.length] = 0x22;
  for (let i = digits.length + 1; i < REVISION_GAP; i++) bytes[offset + i] = 0x20;
}

export interface RangeOptions {
  /** inclusive; need not be a key: `last + '\0'` is the place just after `last` */
  readonly start: string;
  /** exclusive; '': no end */
  readonly end: string;
  readonly atRevision?: number;
  /** entries at most; absent: all */
  readonly limit?: number;
}

/** The texts by which scans find values: they are taken out of the values. */
export interface Terms {
  /** another text whenever `of` gives other terms: all stored values are indexed anew then */
  readonly definition: string;
  /**
   * The terms of a value. Must not throw, whatever the bytes are. The bytes are good during the call.
   * @param resource of the key, as `resourcePrefix` has it
   */
  readonly of: (resource: string, value: Buffer) => readonly string[];
}

export interface ScanOptions extends Omit<RangeOptions, 'limit'> {
  /** each with at least one term; absent: none */
  readonly requirements?: readonly (readonly string[])[];
}

export interface Scan {
  /**
   * Calls `visit` with each further entry until it returns false. The entry and its value are good during that call, which must not call the store.
   * @returns whether there may be more. @throws RevisionCompacted
   */
  next(visit: (entry: Entry) => boolean): boolean;
}

/**
 * The bytes above which values of ranges and changes have memory of their own that nobody writes to, because copying them once more would take milliseconds.
 */
export const OWN_VALUE = 128 * 1024;

/** Makes a value of a range or a change that stays valid. Nobody may change it. */
export const keptValue = (value: Buffer): Buffer => (value.length > OWN_VALUE ? value : Buffer.from(value));

export interface Entry {
  readonly key: string;
  /** revision of the last change of this key, at the revision read */
  readonly revision: number;
  readonly value: Buffer;
  /** the value would be stored in another form now; only stores that convert or encrypt values say so */
  readonly outdated?: true;
  /** a negative number that is unique in this process, if other keys were written at the same revision; otherwise absent */
  readonly id?: number | undefined;
}

/** Returns a number that only this version of this key has in this process. */
export const versionId = ({ revision, id }: Pick<Entry, 'id' | 'revision'>): number => id ?? revision;

export interface Change {
  readonly operation: 'create' | 'update' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** the new value; for a delete, the last value */
  readonly value: Buffer;
  /** the value that was replaced or removed; undefined for a create. It is read from the store on first use, and valid as long as `value`. */
  readonly previousValue: Buffer | undefined;
}

/**
 * The prefix of the resource that a key is of, by which the store keeps changes and terms. It is the first segment of the key, or the first two where several
 * resources share the first one, so that each resource can be followed without the others.
 */
export function resourcePrefix(key: string): string {
  const first = key.indexOf('/');
  if (first < 0) return key;
  const end = isShared(key, first) ? key.indexOf('/', first + 1) : first;
  return end < 0 ? key : key.slice(0, end);
}

/** Whether several resources share a first segment: groups, which have a dot, and `services`, as in 1.32. @param end of the key's first segment */
function isShared(key: string, end: number): boolean {
  const dot = key.indexOf('.');
  return (dot >= 0 && dot < end) || (end === SERVICES.length && key.startsWith(SERVICES));
}

const SERVICES = 'services';

/** The resource of all keys with this prefix; undefined where they may be of several resources, or of none. */
export function resourceOfPrefix(prefix: string): string | undefined {
  const resource = resourcePrefix(prefix);
  return resource.length < prefix.length ? resource : undefined;
}

/** First text after all keys that start with `prefix`; empty (no end) where there is none, as for the empty prefix. */
export function prefixEnd(prefix: string): string {
  const points = Array.from(prefix);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const next = (last.codePointAt(0) as number) + 1;
    if (next <= 0x10ffff) return points.join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next);
  }
  return '';
}

/** Compares keys by their UTF-8 bytes. This differs from `<` on strings, which puts U+E000 to U+FFFF after all characters beyond them. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return afterSurrogates(x) - afterSurrogates(y);
  }
  return a.length - b.length;
}

const afterSurrogates = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

import type { ServiceCallTracer } from '../contract/trace.ts';

/**
 * The store: an ordered log of revisions over keys. Revisions are integers from 1 to 2^53-1, one for each change, without gaps for readers to rely on;
 * where others write to the store as well, changes of several keys may share one.
 * Implementations know keys and bytes, nothing of kinds or HTTP. The contract suite in `test/storage/` holds every implementation to this page.
 *
 * Keys are text, compared by their UTF-8 bytes: `<resource prefix>/<namespace>/<name>` or `<resource prefix>/<name>`. A key is well-formed,
 * not empty, without U+0000 and at most MAX_KEY_BYTES long; writing another one throws a RangeError, reading it finds nothing.
 */
export interface Storage extends StorageLog, StorageView {
  /**
   * Drops superseded values and tombstones that no read at `revision` or later needs, and changes up to `revision`; a lower revision than
   * the last one is no error. Works in slices and yields between them. @throws RangeError beyond the current revision
   */
  compact(revision: number): Promise<void>;
  /** Waits for writes under way, then closes. Later calls throw. */
  close(): Promise<void>;
}

/** The log: all that is written, in one order. It may be far away. */
export interface StorageLog {
  /**
   * Stores a value under a key that has none. Resolves with the revision when the write is on the disk and visible.
   * @param guard absent: nothing else matters
   * @throws KeyExists, GuardBroken, ValueUnencryptable, StorageFull, StorageUnwritable
   */
  create(key: string, value: StoredBytes, guard?: Guard): Promise<number>;
  /**
   * Replaces the value of a key whose latest revision is `expectedRevision`.
   * @param guard absent: nothing else matters
   * @throws KeyNotFound, Conflict, GuardBroken, ValueUnencryptable, StorageFull, StorageUnwritable
   */
  update(key: string, expectedRevision: number, value: StoredBytes, guard?: Guard): Promise<number>;
  /**
   * Removes a key whose latest revision is `expectedRevision`. `lastValue` is what followers see of the removal.
   * @throws KeyNotFound, Conflict, ValueUnencryptable, StorageFull (only when the disk itself is full), StorageUnwritable
   */
  delete(key: string, expectedRevision: number, lastValue: StoredBytes): Promise<number>;

  /**
   * Writes without changing anything. Resolves when that is on the disk, and with it what was written before.
   * @throws StorageFull where there is no room for a small value, StorageUnwritable
   */
  probe(): Promise<void>;

  /**
   * Resolves when the view has all that was written, by whomever, before the call; undefined where it always has, so that nobody waits. Who must see
   * the most recent state calls it once, before anything is read.
   */
  barrier(): Promise<void> | undefined;
}

/** The view: what of the log has come here, for reading. It is in this process or on this machine, so nothing here waits. */
export interface StorageView {
  /** The newest revision that is on the disk and visible to readers of this process; 0 in an empty store. Cheap: called for every request. */
  currentRevision(): number;
  /** A revision that shows each write that has resolved, whoever wrote; what is newer may be visible already. Costs nothing where one process has the store for itself. */
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
   * What `take` makes of a key's latest value, which it is called with where the store has it: the bytes are good until it returns, and it must not
   * call the store. @returns undefined, without a call, when the key has no value
   */
  look<T>(key: string, take: (entry: Entry) => T): T | undefined;
  /** The revision that `get` would give for the latest value, without reading that; undefined where there is none. */
  revisionOf(key: string): number | undefined;
  /** Bytes that the latest value takes at most, which may be some thousands more than it has, without reading it; 0 where there is none. */
  mostBytesOf(key: string): number;
  /**
   * Entries with `start <= key < end` in the order of keys, as they are (or were) at one revision. Finish the iteration in one synchronous turn;
   * a long range is read in several calls, each starting after the last key, at the same `atRevision`. Iterate the result once.
   * `value` is read when it is asked for and only valid until the next step of the iteration, unless it is longer than `OWN_VALUE`: keep it as
   * `keptValue`. Other calls to the store may be made between steps.
   * @throws RevisionCompacted, RevisionInFuture: the call itself; a later step only where the iteration was not finished in its turn
   */
  range(options: RangeOptions): Iterable<Entry>;
  /**
   * A way through the entries of `range` for who looks at many: quicker, and one snapshot though it may take several turns. With requirements,
   * those whose values meet all of them come, and perhaps more, without reading most of the others. A requirement is met by a value that has
   * one of its terms; terms are what the opener of the store takes out of values.
   * @throws RevisionCompacted, RevisionInFuture
   */
  scan(options: ScanOptions): Scan;
  /** Number of entries that `range` would give, values unread. @throws RevisionCompacted, RevisionInFuture */
  count(options: Omit<RangeOptions, 'limit'>): number;

  /**
   * Changes with `after < revision`, oldest first, of keys that start with `prefix`, up to the revision that is current when it is called.
   * Same rules as `range` for turns and values. A prefix that holds that of a resource (`pods/`, `pods/default/`, `e.com/toys/`) costs
   * the changes of that resource alone; any other prefix costs all changes.
   * The last ones, a hundred of them, are made once for all who read them, and their values are read, decrypted or converted once: several follow each
   * commit. Only a store that another thread has hands out copies.
   * @param after exclusive revision, integer >= 0; one that is not there yet gives nothing
   * @param limit changes at most, but for those that share the revision of the last one
   * @throws RevisionCompacted when changes after `after` are gone: `after` is below compactedRevision()
   */
  changes(after: number, prefix: string, limit?: number): Iterable<Change>;
  /**
   * Calls `listener` with the newest revision after each commit (several writes may share one call). What was written is visible by then;
   * the writers' promises resolve in the same turn. @returns stops it
   */
  onCommit(listener: (revision: number) => void): () => void;
}

/** A store with what the process that serves it does for it. */
export interface ServedStorage extends Storage {
  /** what figures call the store; absent: `store-0` */
  readonly clusterId?: string;
  /** what it depends on besides its disk; absent: nothing */
  readonly checks?: readonly StoreCheck[];
  /** Why not all that was written can be read at present, asked by health checks; undefined where it can. Absent: it always can. */
  problem?(): string | undefined;
  /** Shows figures of its own from now on, and what it has counted before; absent: it has none. */
  showFigures?(metrics: StoreMetrics): void;
  /** Has calls of services that it makes be traced from now on; absent: it makes none. */
  traceCalls?(tracer: ServiceCallTracer): void;
  size(): { readonly historyBytes: number };
  /** Bytes that the disk has given to the store; undefined where it has none there. */
  allocatedBytes(): number | undefined;
  /**
   * The same store for a writer who may write only while a fence holds: what is under way when another one becomes that writer is not written either, but
   * refused with WriteFenced. Absent: other servers do not share the store.
   */
  fenced?(fence: Fence): Storage;
  /** Looks for what other processes have written, one of which has said so. */
  notify(): void;
  /**
   * Begins the work behind the writes by which scans find values sooner, for all processes that have the store open.
   * @returns ends it; `stop` waits for what is under way
   */
  keepIndex(onError: (error: unknown) => void): { stop(): Promise<void> };
  /**
   * A look through all that is stored, by steps between which it may be written to.
   * @param found hears of each thing that is not what was written. Must not throw.
   * @returns undefined where nothing can be damaged
   */
  verification(found: (finding: Finding) => void): StoreVerification | undefined;
}

/** Something without which values cannot be read or written. */
export interface StoreCheck {
  readonly name: string;
  /** @returns what is wrong; undefined: nothing is */
  check(): string | undefined;
}

type Labels = Readonly<Record<string, string>>;

/** Where a store shows figures of its own, by names of `schemas/metrics.yaml`. */
export interface StoreMetrics {
  /** increases when rows are dropped: who holds a count or a distribution looks it up again then */
  readonly generation: number;
  counter(name: string): { inc(labels: Labels): void; with(labels: Labels): { inc(): void } };
  gauge(name: string): { set(labels: Labels, value: number): void };
  histogram(name: string): { with(labels: Labels): { observe(value: number): void } };
}

/** Something that is not as it was written. */
export interface Finding {
  readonly key: string | undefined;
  readonly revision: number | undefined;
  /** to be read behind the name of what it is found in */
  readonly found: string;
}

export interface StoreVerification {
  /**
   * @param milliseconds after which it ends, about
   * @returns whether there is more to look at
   */
  step(milliseconds: number): boolean;
  /** what was looked at so far, by what it is */
  readonly counts: Readonly<Record<string, number>>;
}

/** A store in a folder of this machine. It has copied what it keeps of a value by the time its write is settled. */
export interface FolderStorage extends ServedStorage {
  /**
   * Makes a store of its own of all that was written before the call, its history included, while this one goes on. Resolves when it is on the disk.
   * @param directory where there is nothing yet
   * @throws Error where there is something, or no room
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
 * A value as the caller hands it over, for the store to keep; the caller must not change it afterwards, but may read it once the write has resolved.
 * Where `revisionOffset` is >= 0 the store overwrites the REVISION_GAP bytes from there with the revision in decimal digits, a double quote,
 * and spaces, so that JSON bytes carry their own revision. After a write that failed those bytes are undefined.
 */
export interface StoredBytes {
  readonly bytes: Buffer;
  readonly revisionOffset: number;
  /** the revision at which the same key got the same bytes, but for those that say the revision; absent: none, or it is not known */
  readonly repeats?: number;
  /** what the bytes were made of, for who would parse them: read within the call of the write, and changed by nobody meanwhile; absent: the writer does not have it */
  readonly object?: object;
}

/** A value that a key got at a revision, to be written once more: the store has kept those bytes, so these are others. */
export function repeated({ bytes, revisionOffset }: StoredBytes, revision: number): StoredBytes {
  return { bytes: Buffer.from(bytes), revisionOffset, repeats: revision };
}

/** What a write was decided by besides its own key: it is made only as long as that is so, or else refused with GuardBroken. */
export interface Guard {
  readonly key: string;
  /** of the key's latest version; undefined: it has no value */
  readonly revision: number | undefined;
  /** another one, which has to be so as well */
  readonly and?: Guard | undefined;
}

/** A guard and those behind it. */
export function* guardsOf(guard: Guard | undefined): Generator<Guard, void, void> {
  for (let each = guard; each !== undefined; each = each.and) yield each;
}

/** By what its writer alone may write, of all that share a store: a key that each of them changes when it becomes the one. */
export interface Fence {
  readonly key: string;
  /** Asked before each attempt. @returns the revision that the key has as long as the fence holds; undefined: it does not */
  revision(): number | undefined;
}

/** 16 digits, enough for 2^53, and the closing quote. */
export const REVISION_GAP = 17;

/** Writes `revision` into the gap of `bytes` at `offset`. */
export function fillRevision(bytes: Buffer, offset: number, revision: number): void {
  const digits = String(revision);
  // so few bytes are written sooner than a call of the runtime begins
  for (let i = 0; i < digits.length; i++) bytes[offset + i] = digits.charCodeAt(i);
  bytes[offset + digits.length] = 0x22;
  for (let i = digits.length + 1; i < REVISION_GAP; i++) bytes[offset + i] = 0x20;
}

export interface RangeOptions {
  /** inclusive; need not be a key: `last + '\0'` is the place just after `last` */
  readonly start: string;
  /** exclusive; empty: no end */
  readonly end: string;
  readonly atRevision?: number;
  /** entries at most; absent: all */
  readonly limit?: number;
}

/** What values are found by: texts that are taken out of them. */
export interface Terms {
  /** changes with anything that `of` depends on: values that are stored are then gone through anew */
  readonly definition: string;
  /**
   * Must not throw, whatever the bytes are; they are only valid during the call.
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
   * Calls `visit` with each further entry until it returns false. The entry and its value are valid during that call, in which nothing of
   * the store may be called. @returns whether there may be more. @throws RevisionCompacted
   */
  next(visit: (entry: Entry) => boolean): boolean;
}

/** Bytes. Longer values of ranges and changes have memory of their own, which nobody writes to: to copy them once more would take milliseconds. */
export const OWN_VALUE = 128 * 1024;

/** A value of a range, or of a change, for as long as the caller likes. Nobody may change it. */
export const keptValue = (value: Buffer): Buffer => (value.length > OWN_VALUE ? value : Buffer.from(value));

export interface Entry {
  readonly key: string;
  /** revision of the last change of this key, at the revision read */
  readonly revision: number;
  readonly value: Buffer;
  /** of a store that converts what it has: the value would be stored otherwise now */
  readonly outdated?: true;
  /** where other keys were written at the same revision: a negative number that nothing else in this process has */
  readonly id?: number | undefined;
}

/** @returns by what the value is known from all others, those of its revision too: it never changes */
export const versionId = ({ revision, id }: Pick<Entry, 'id' | 'revision'>): number => id ?? revision;

export interface Change {
  readonly operation: 'create' | 'update' | 'delete';
  readonly key: string;
  readonly revision: number;
  /** of a delete: the last value */
  readonly value: Buffer;
  /** the value that was replaced or removed; undefined for a create. Read when it is asked for; valid as long as `value`. */
  readonly previousValue: Buffer | undefined;
}

/**
 * What changes and terms are kept by: the prefix of the resource that a key is of. It is the first segment of the key, or the first two where several resources
 * share the first one, so that each of them is followed without the others.
 */
export function resourcePrefix(key: string): string {
  const first = key.indexOf('/');
  if (first < 0) return key;
  const end = isShared(key, first) ? key.indexOf('/', first + 1) : first;
  return end < 0 ? key : key.slice(0, end);
}

/** Groups, which have a dot, and the one name besides that 1.32 puts several resources under. @param end of the key's first segment */
function isShared(key: string, end: number): boolean {
  const dot = key.indexOf('.');
  return (dot >= 0 && dot < end) || (end === SERVICES.length && key.startsWith(SERVICES));
}

const SERVICES = 'services';

/** The resource that all keys with this prefix are of; undefined where they may be of several, or of none. */
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

/** Order of keys: that of their UTF-8 bytes. Differs from `<` on strings, which puts U+E000 to U+FFFF after everything beyond them. */
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

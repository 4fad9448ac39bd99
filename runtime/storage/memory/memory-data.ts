/** What a store in memory holds: the versions of each key, newest first, and the changes by revision. */
import { Conflict, GuardBroken, KeyExists, KeyNotFound } from '../errors.ts';
import { type Change, fillRevision, type Guard, guardsOf, resourceOfPrefix, resourcePrefix, type StoredBytes } from '../storage.ts';
import { SortedMap } from './sorted-map.ts';

/** A key at one revision. Compaction changes it, which forgets what was before, and who reads its value anew. */
export interface Version {
  readonly revision: number;
  /** the value; for a removal, the value that followers see of it, which is empty if it is damaged. The bytes never change */
  value: Buffer;
  /** the offset of the revision in the value; -1 if the value does not have it, or if nobody needs it */
  revisionOffset: number;
  readonly removed: boolean;
  flaw: Flaw | undefined;
  previous: Version | undefined;
  /** see `Entry.id`; undefined if no other version has its revision */
  id: number | undefined;
}

let lastShared = 0;

/** Says of a version that it shares its revision, where that is not said yet. */
export function shareRevision(version: Version): void {
  version.id ??= --lastShared;
}

export type VersionValue = Readonly<Pick<Version, 'value' | 'revisionOffset' | 'flaw'>>;

/** What is to be told of a value: why nobody can read it, for want of a key or otherwise, or that it would be written otherwise now. */
export type Flaw = { readonly damage: string } | { readonly cipherProblem: string } | { readonly outdated: true };

export interface LastChange extends Pick<Version, 'revision' | 'removed'> {
  readonly key: string;
}

interface Logged {
  readonly operation: Change['operation'];
  readonly key: string;
  readonly version: Version;
  /** as all who follow the store get it, once somebody has */
  change: Change | undefined;
}

/** The beginning of a log, to which its owner may add. */
interface LogPart {
  readonly log: readonly Logged[];
  readonly length: number;
}

export class MemoryData {
  /** newest version of each key, removals that are not compacted yet among them */
  readonly keys: SortedMap<Version>;
  /** the newest that there is; 0: none */
  revision: number;
  /** the oldest that can be read */
  compacted: number;
  /** bytes of superseded values and removals */
  historyBytes = 0;
  /** the newest change that is known; undefined: there was none */
  lastChange: LastChange | undefined;
  /** Versions up to this revision belong to the store that this one was copied from as well: they are not changed here. */
  readonly #shared: number;
  /** in the order of revisions */
  #log: Logged[] = [];
  /** changes by the resources of their keys */
  #byResource = new Map<string, Logged[]>();
  /** changes that nobody can read, of keys that still have what was before them; those of the store that this one was copied from among them */
  #forgotten: readonly LogPart[];

  constructor(keys = new SortedMap<Version>(), revision = 0, forgotten: readonly LogPart[] = []) {
    this.keys = keys;
    this.revision = revision;
    this.compacted = revision;
    this.#shared = revision;
    this.#forgotten = forgotten;
  }

  /** A store of its own that begins with what this one holds now, without its past. Values are shared: nobody ever changes them. */
  fork(): MemoryData {
    return new MemoryData(this.keys.copy(), this.revision, [...this.#forgotten, { log: this.#log, length: this.#log.length }]);
  }

  /** Makes one change. @param expected revision of the key; undefined for a create. @throws KeyExists, KeyNotFound, Conflict, GuardBroken */
  write(
    operation: Change['operation'],
    key: string,
    expected: number | undefined,
    { bytes, revisionOffset }: StoredBytes,
    guard?: Guard,
  ): number {
    const newest = this.keys.get(key);
    const before = newest?.removed === true ? undefined : newest;
    if (expected === undefined) {
      if (before !== undefined) throw new KeyExists(key, before.revision);
    } else if (before === undefined) throw new KeyNotFound(key);
    else if (before.revision !== expected) throw new Conflict(key, expected, before.revision);
    this.#assertGuards(guard);
    const revision = this.revision + 1;
    if (revisionOffset >= 0) fillRevision(bytes, revisionOffset, revision);
    this.apply(operation, key, revision, { value: bytes, revisionOffset, flaw: undefined });
    this.revision = revision;
    return revision;
  }

  /**
   * Makes a change that was decided before. Nobody reads it until `revision` is that of the change, so that changes of several keys may share one and be seen
   * together.
   * @param revision above the newest one
   * @param of the version, kept
   */
  apply(operation: Change['operation'], key: string, revision: number, { value, revisionOffset, flaw }: VersionValue): void {
    const previous = this.keys.get(key);
    const removed = operation === 'delete';
    const version: Version = { revision, value, revisionOffset, removed, flaw, previous, id: undefined };
    const last = this.#log.at(-1)?.version;
    // all of a revision are made before anybody reads
    if (last?.revision === revision) for (const each of [last, version]) shareRevision(each);
    const superseded = previous === undefined || previous.removed ? 0 : previous.value.length;
    this.historyBytes += superseded + (removed ? value.length : 0);
    this.keys.set(key, version);
    this.lastChange = { key, revision, removed };
    this.#note({ operation, key, version, change: undefined });
  }

  #assertGuards(guard: Guard | undefined): void {
    for (const { key, revision } of guardsOf(guard)) {
      const newest = this.keys.get(key);
      const actual = newest?.removed === true ? undefined : newest?.revision;
      if (actual !== revision) throw new GuardBroken(key, revision, actual);
    }
  }

  #note(logged: Logged): void {
    this.#log.push(logged);
    const resource = resourcePrefix(logged.key);
    const others = this.#byResource.get(resource);
    if (others === undefined) this.#byResource.set(resource, [logged]);
    else others.push(logged);
  }

  /** Changes after a revision, of keys that start with the prefix; those that come later are not among them. */
  *changes(after: number, prefix: string): Generator<Logged> {
    const resource = resourceOfPrefix(prefix);
    const log = resource === undefined ? this.#log : (this.#byResource.get(resource) ?? []);
    const last = this.revision;
    for (let i = firstAfter(log, after); i < log.length; i++) {
      const logged = log[i] as Logged;
      if (logged.version.revision > last) return;
      if (logged.key.startsWith(prefix)) yield logged;
    }
  }

  /** Forgets the changes up to a revision, at the first step. Gives the keys that have versions which nobody needs any more, some of them several times. */
  *forgetChanges(revision: number): Generator<string> {
    const kept = this.#keepChanges(revision);
    this.#forgotten = [...this.#forgotten, { log: this.#log, length: this.#log.length - kept.length }];
    this.#log = kept;
    for (const { log, length } of this.#forgotten) for (let i = 0; i < length; i++) yield (log[i] as Logged).key;
    this.#forgotten = [];
  }

  /** @returns the log of what is after a revision */
  #keepChanges(revision: number): Logged[] {
    const kept = new Map<string, Logged[]>();
    for (const [resource, log] of this.#byResource) {
      const left = log.slice(firstAfter(log, revision));
      if (left.length > 0) kept.set(resource, left);
    }
    this.#byResource = kept;
    return this.#log.slice(firstAfter(this.#log, revision));
  }

  /** Forgets what no read of one key at `revision` or later needs. */
  forgetVersions(key: string, revision: number): void {
    const newest = this.keys.get(key);
    const needed = newest && versionAt(newest, revision);
    if (needed === undefined) return;
    if (needed.revision > this.#shared) {
      for (let old = needed.previous; old !== undefined; old = old.previous) {
        this.#uncount(old);
        if (old.revision <= this.#shared) break;
      }
      needed.previous = undefined;
    }
    if (needed !== newest || !needed.removed) return;
    this.#uncount(needed);
    this.keys.delete(key);
  }

  /** Removals that were shared from the beginning were never counted. */
  #uncount({ revision, removed, value }: Version): void {
    if (revision > this.#shared || !removed) this.historyBytes -= value.length;
  }
}

/** The version that a key had at a revision, if it had one. */
export function versionAt(newest: Version, revision: number): Version | undefined {
  let version: Version | undefined = newest;
  while (version !== undefined && version.revision > revision) version = version.previous;
  return version;
}

/** Index of the first change after a revision. */
function firstAfter(log: readonly Logged[], revision: number): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((log[middle] as Logged).version.revision <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Applies the changes that a watch of etcd tells, in their order:
 *
 *   answers of the watch -> queue -> values decoded (codec) -> applied, all changes of a revision together -> announced
 */
import type { MemoryData, VersionValue } from '../memory/memory-data.ts';
import type { EtcdEvent } from './client/etcd-client.ts';
import type { FollowedEtcd } from './followed-etcd.ts';
import type { OwnWrites } from './own-writes.ts';
import { Turns } from './turns.ts';
import { readVersion, removedVersion, versionOf } from './value-reading.ts';

/** Most answers of the watch that wait, and most bytes of their values. Beyond either, the stream is paused. */
const MOST_QUEUED = 64;
const MOST_BYTES = 16 * 1024 * 1024;

export interface ToldChangesParts extends Pick<FollowedEtcd, 'names' | 'codec'> {
  readonly ownWrites: OwnWrites;
  /** called after changes were applied, which are to be announced now */
  readonly advanced: () => void;
  /** called for each change of a key that is followed. Must not throw */
  readonly received: (key: string) => void;
  /** called with false to pause the watch's stream, and with true to resume it */
  readonly takesMore: (takes: boolean) => void;
  /** called when a change could not be applied. Later changes are dropped */
  readonly failed: (error: Error) => void;
}

/** An answer of the watch: changes, or (with `revision` above 0) that there are no others up to a revision. */
interface Told {
  readonly events: readonly EtcdEvent[];
  readonly revision: number;
  readonly bytes: number;
}

/** A change to apply. */
interface MadeChange {
  readonly key: string;
  /** undefined if the key is removed */
  readonly value: VersionValue | undefined;
}

/** etcd told a change at a revision that the watch had passed. So changes may be missing, and the watch cannot continue. */
export class OutOfOrder extends Error {}

export class ToldChanges {
  readonly #parts: ToldChangesParts;
  readonly #data: MemoryData;
  #queue: Told[] = [];
  #queuedBytes = 0;
  #isPaused = false;
  #isMaking = false;
  #isHeld = false;
  #isOver = false;
  #made: Promise<void> = Promise.resolve();

  constructor(parts: ToldChangesParts, data: MemoryData) {
    this.#parts = parts;
    this.#data = data;
  }

  /** Whether changes wait to be applied. */
  get isBusy(): boolean {
    return this.#isMaking;
  }

  /** Resolves when all changes told so far are applied. */
  get made(): Promise<void> {
    return this.#made;
  }

  /** @param events by ascending revision, a revision's events all together */
  changed(events: readonly EtcdEvent[]): void {
    this.#hear({ events, revision: 0, bytes: events.reduce((sum, { kv }) => sum + kv.value.length, 0) });
  }

  /** There are no other changes up to a revision. */
  complete(revision: number): void {
    this.#hear({ events: [], revision, bytes: 0 });
  }

  #hear(told: Told): void {
    this.#queue.push(told);
    this.#queuedBytes += told.bytes;
    if (!this.#isPaused && (this.#queue.length > MOST_QUEUED || this.#queuedBytes > MOST_BYTES)) this.#pause(true);
    this.#begin();
  }

  #begin(): void {
    if (!this.#isMaking && !this.#isHeld) this.#made = this.#make();
  }

  /** Holds changes in the queue until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Applies what was held. @returns false if `end` was called before */
  release(): boolean {
    if (this.#isOver) return false;
    this.#isHeld = false;
    this.#begin();
    return true;
  }

  /** The watch has ended: changes that are held are dropped. */
  end(): void {
    this.#isOver = true;
    if (this.#isHeld) this.#queue = [];
  }

  #pause(pauses: boolean): void {
    this.#isPaused = pauses;
    this.#parts.takesMore(!pauses);
  }

  /** Applies the queue. It does so synchronously as long as values can be decoded synchronously. */
  async #make(): Promise<void> {
    this.#isMaking = true;
    const turns = new Turns();
    try {
      for (let told = this.#queue.shift(); told !== undefined; told = this.#queue.shift()) {
        this.#queuedBytes -= told.bytes;
        for (const events of byRevision(told.events)) {
          await this.#makeRevision(events, turns);
          if (!turns.isOver) continue;
          this.#parts.advanced();
          await turns.next();
        }
        if (told.revision > this.#data.revision) this.#data.revision = told.revision;
        if (this.#isPaused && this.#queue.length === 0) this.#pause(false);
      }
    } catch (error) {
      this.#queue = [];
      this.#queuedBytes = 0;
      this.#parts.failed(error as Error);
    }
    this.#isMaking = false;
    this.#parts.advanced();
  }

  /** Applies all changes of one revision. Readers see them only when all are applied. @throws OutOfOrder */
  async #makeRevision(events: readonly EtcdEvent[], turns: Turns): Promise<void> {
    const revision = events[0]?.kv.modRevision as number;
    if (revision <= this.#data.revision) throw new OutOfOrder(`etcd tells of revision ${revision} behind ${this.#data.revision}`);
    const isLong = events.length > 1;
    const reading: (MadeChange | undefined | Promise<MadeChange>)[] = [];
    for (const event of events) {
      reading.push(this.#read(event));
      if (isLong && turns.isOver) await turns.next();
    }
    // all values are decoded before the first change is applied, because a late one may fail
    const changes = reading.some((change) => change instanceof Promise)
      ? await Promise.all(reading)
      : (reading as (MadeChange | undefined)[]);
    for (const change of changes) {
      if (change !== undefined) this.#apply(change, revision);
      if (isLong && turns.isOver) await turns.next();
    }
    this.#data.revision = revision;
  }

  /** @returns undefined for a key that is not followed */
  #read({ type, kv: { key: bytes, value, modRevision } }: EtcdEvent): MadeChange | undefined | Promise<MadeChange> {
    const { names, codec, ownWrites, received } = this.#parts;
    const key = names.here(bytes);
    if (key === undefined) return undefined;
    received(key);
    if (type === 'delete') return { key, value: undefined };
    const own = ownWrites.stored(key, value);
    const read = own === undefined ? readVersion(codec, key, value, modRevision) : versionOf(own, modRevision);
    return read instanceof Promise ? read.then((late) => ({ key, value: late })) : { key, value: read };
  }

  #apply({ key, value }: MadeChange, revision: number): void {
    const newest = this.#data.keys.get(key);
    const before = newest?.removed === true ? undefined : newest;
    if (value !== undefined) return this.#data.apply(before === undefined ? 'create' : 'update', key, revision, value);
    if (before === undefined) return;
    const own = this.#parts.ownWrites.removed(key, before.revision);
    this.#data.apply('delete', key, revision, own === undefined ? removedVersion(before, revision) : versionOf(own, revision));
  }
}

/** Groups changes by revision, because those of one revision must become visible together. */
function* byRevision(events: readonly EtcdEvent[]): Generator<readonly EtcdEvent[]> {
  for (let start = 0; start < events.length; ) {
    const revision = events[start]?.kv.modRevision;
    let end = start + 1;
    while (events[end]?.kv.modRevision === revision && end < events.length) end++;
    yield events.slice(start, end);
    start = end;
  }
}

/**
 * Follows all changes of etcd under a prefix and makes them here, in their order. Where the stream ends it goes on behind the last change; where etcd
 * has dropped what comes next, all is loaded anew.
 *
 *   watch of etcd -> queue -> values read (codec) -> made here, a revision as a whole -> told
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryData, VersionValue } from '../memory/memory-data.ts';
import type { EtcdEvent, EtcdWatch } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';
import type { FollowedEtcd } from './followed-etcd.ts';
import { load, newestRevision } from './loading.ts';
import type { OwnWrites } from './own-writes.ts';
import { RevisionWaiters } from './revision-waiters.ts';
import { readVersion, removedVersion, versionOf } from './value-reading.ts';

/** Answers of the watch that wait to be read; beyond it the stream is paused. */
const MOST_QUEUED = 64;
/** Milliseconds for which changes are made before others have their turn. */
const TURN = 5;
/** Milliseconds until the watch is begun anew: at first, and at most. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5_000;
/** Milliseconds until etcd is asked once more how far the watch is: it does not answer as long as the watch is behind. */
const ASKING_AGAIN = 100;

export interface FollowerParts extends FollowedEtcd {
  readonly ownWrites: OwnWrites;
  /** begins with all that there is */
  readonly replaced: (data: MemoryData) => void;
  /** what was made is to be told */
  readonly advanced: () => void;
  /** why etcd cannot be followed at present, of each reason once; undefined: it can again */
  readonly onTrouble: (reason: Error | undefined) => void;
}

/** What the watch has told: changes, or that there were none up to a revision. */
interface Told {
  readonly events: readonly EtcdEvent[];
  readonly revision: number;
}

export class EtcdFollower {
  readonly #parts: FollowerParts;
  #data: MemoryData;
  readonly #waiters: RevisionWaiters;
  #watch: EtcdWatch | undefined;
  #queue: Told[] = [];
  #isMaking = false;
  #made: Promise<void> = Promise.resolve();
  #isPaused = false;
  #trouble: string | undefined;
  #asking: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();
  #following: Promise<void> = Promise.resolve();

  private constructor(parts: FollowerParts, data: MemoryData) {
    this.#parts = parts;
    this.#data = data;
    this.#waiters = new RevisionWaiters(data.revision);
  }

  /** Resolves once all is here that etcd had when it was called. @throws EtcdError where it cannot be loaded */
  static async start(parts: FollowerParts): Promise<EtcdFollower> {
    const newest = await newestRevision(parts);
    const data = await load(parts, true);
    parts.replaced(data);
    const follower = new EtcdFollower(parts, data);
    follower.#following = follower.#follow();
    try {
      await follower.seen(newest);
    } catch (error) {
      await follower.stop();
      throw error;
    }
    return follower;
  }

  /** Resolves when the changes up to a revision are here. @throws Error where it is stopped before */
  async reached(revision: number): Promise<void> {
    await this.#waiters.reached(revision);
  }

  /** As `reached`, where the newest of these changes may be none of those that are followed. */
  async seen(revision: number): Promise<void> {
    if (revision <= this.#waiters.current) return;
    const reached = this.#waiters.reached(revision);
    this.#ask();
    await reached;
  }

  /** Has etcd tell how far the watch is, until nobody waits for that any more. */
  #ask(): void {
    this.#watch?.requestProgress();
    this.#asking ??= setInterval(() => {
      if (this.#waiters.isAwaited) return this.#watch?.requestProgress();
      clearInterval(this.#asking);
      this.#asking = undefined;
    }, ASKING_AGAIN).unref();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#asking);
    this.#watch?.cancel();
    await this.#following;
    await this.#made;
    this.#waiters.end(new Error('the store is closed'));
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pause = FIRST_PAUSE; !signal.aborted; ) {
      const before = this.#waiters.current;
      const ended = await this.#watchOnce();
      await this.#made;
      if (signal.aborted) return;
      if (ended instanceof EtcdError && ended.isCompacted) await this.#loadAnew();
      else this.#tell(ended);
      pause = this.#waiters.current > before ? FIRST_PAUSE : Math.min(LONGEST_PAUSE, pause * 2);
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  /** Resolves with why the watch has ended. */
  #watchOnce(): Promise<Error> {
    return new Promise((resolve) => {
      const { client, names } = this.#parts;
      const range = { key: names.prefix, end: names.end, startRevision: this.#data.revision + 1 };
      this.#isPaused = false;
      this.#watch = client.watch(
        { ...range, previousValues: false, fragment: true, progressNotify: true },
        {
          created: () => this.#tell(undefined),
          events: (events) => this.#hear({ events, revision: 0 }),
          progress: (revision) => this.#hear({ events: [], revision }),
          // its end tells that too
          compacted: () => {},
          ended: resolve,
        },
      );
      this.#stopping.signal.addEventListener('abort', () => resolve(new Error('stopped')), { once: true });
      if (this.#waiters.isAwaited) this.#ask();
    });
  }

  async #loadAnew(): Promise<void> {
    try {
      const data = await load(this.#parts, false);
      if (this.#stopping.signal.aborted) return;
      this.#data = data;
      this.#parts.replaced(data);
      this.#advance();
    } catch (error) {
      this.#tell(error as Error);
    }
  }

  #tell(trouble: Error | undefined): void {
    if (trouble?.message === this.#trouble) return;
    this.#trouble = trouble?.message;
    this.#parts.onTrouble(trouble);
  }

  #hear(told: Told): void {
    this.#queue.push(told);
    if (this.#queue.length > MOST_QUEUED && !this.#isPaused) {
      this.#isPaused = true;
      this.#watch?.pause();
    }
    if (!this.#isMaking) this.#made = this.#make();
  }

  /** Runs at once as far as values can be read at once. */
  async #make(): Promise<void> {
    this.#isMaking = true;
    let turn = performance.now();
    for (let told = this.#queue.shift(); told !== undefined; told = this.#queue.shift()) {
      for (const events of byRevision(told.events)) {
        const changes = events.map((event) => this.#read(event));
        for (let i = 0; i < changes.length; i++) {
          const change = changes[i];
          if (change instanceof Promise) changes[i] = await change;
        }
        for (const change of changes as (MadeChange | undefined)[]) if (change !== undefined) this.#apply(change);
        this.#data.revision = (events[0] as EtcdEvent).kv.modRevision;
        if (performance.now() - turn < TURN) continue;
        this.#advance();
        await new Promise(setImmediate);
        turn = performance.now();
      }
      if (told.revision > this.#data.revision) this.#data.revision = told.revision;
      if (this.#isPaused && this.#queue.length === 0) this.#resume();
    }
    this.#isMaking = false;
    this.#advance();
  }

  #resume(): void {
    this.#isPaused = false;
    this.#watch?.resume();
  }

  /** @returns undefined for what is not followed */
  #read({ type, kv: { key: bytes, value, modRevision: revision } }: EtcdEvent): MadeChange | undefined | Promise<MadeChange> {
    const { names, codec, ownWrites } = this.#parts;
    const key = names.here(bytes);
    if (key === undefined) return undefined;
    if (type === 'delete') return { key, revision, value: undefined };
    const own = ownWrites.stored(key, value);
    const read = own === undefined ? readVersion(codec, key, value, revision) : versionOf(own, revision);
    return read instanceof Promise ? read.then((late) => ({ key, revision, value: late })) : { key, revision, value: read };
  }

  #apply({ key, revision, value }: MadeChange): void {
    const newest = this.#data.keys.get(key);
    const before = newest?.removed === true ? undefined : newest;
    if (value !== undefined) return this.#data.apply(before === undefined ? 'create' : 'update', key, revision, value);
    if (before === undefined) return;
    const own = this.#parts.ownWrites.removed(key, before.revision);
    this.#data.apply('delete', key, revision, own === undefined ? removedVersion(before, revision) : versionOf(own, revision));
  }

  #advance(): void {
    this.#parts.advanced();
    this.#waiters.advance(this.#data.revision);
  }
}

/** A change that is to be made here. */
interface MadeChange {
  readonly key: string;
  readonly revision: number;
  /** undefined: the key is removed */
  readonly value: VersionValue | undefined;
}

/** Changes that share a revision are seen together. */
function* byRevision(events: readonly EtcdEvent[]): Generator<readonly EtcdEvent[]> {
  for (let start = 0; start < events.length; ) {
    const revision = events[start]?.kv.modRevision;
    let end = start + 1;
    while (events[end]?.kv.modRevision === revision && end < events.length) end++;
    yield events.slice(start, end);
    start = end;
  }
}

/**
 * Follows all changes of etcd under a prefix by a watch. When the watch ends, another one continues behind the last change. If etcd has compacted the next
 * changes, everything is loaded anew. If etcd no longer has the past that was read (`OtherPast`), following ends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageUnreachable } from '../errors.ts';
import type { MemoryData } from '../memory/memory-data.ts';
import type { EtcdWatch, WatchListener } from './client/etcd-client.ts';
import { EtcdError } from './client/etcd-error.ts';
import { EtcdPast, OtherPast } from './etcd-past.ts';
import type { FollowedEtcd } from './followed-etcd.ts';
import { load } from './loading.ts';
import type { OwnWrites } from './own-writes.ts';
import { RevisionWaiters } from './revision-waiters.ts';
import { OutOfOrder, ToldChanges } from './told-changes.ts';
import { FIRST_PAUSE, longerPause } from './watch-pause.ts';

/** Milliseconds between requests for the watch's progress. They are repeated, because etcd does not answer while the watch is behind. */
const ASKING_AGAIN = 100;

export interface FollowerParts extends FollowedEtcd {
  readonly ownWrites: OwnWrites;
  /** milliseconds for which a watch may be silent while somebody waits for it */
  readonly silence: number;
  /** takes everything that was loaded, first at the start, and then each time that all is loaded anew */
  readonly replaced: (data: MemoryData) => void;
  /** called after changes were applied, which are to be announced now */
  readonly advanced: () => void;
  /** called for each change that the watch tells */
  readonly received: (key: string) => void;
  /** called with why etcd cannot be followed at present, once for each reason; with undefined when it can be again */
  readonly onTrouble: (reason: Error | undefined) => void;
  /** called when following ends, because etcd no longer has the past that was read */
  readonly onEnd: (reason: OtherPast) => void;
}

export class EtcdFollower {
  readonly #parts: FollowerParts;
  readonly #past: EtcdPast;
  readonly #waiters: RevisionWaiters;
  #data: MemoryData;
  #told: ToldChanges;
  #watch: EtcdWatch | undefined;
  #endWatch: (reason: Error) => void = () => {};
  /** when the watch said something last, by `performance.now()`; undefined: the watch has not begun */
  #heard: number | undefined;
  /** messages that `onTrouble` has got since the last time without trouble */
  readonly #troubles = new Set<string>();
  #asking: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();
  #following: Promise<void> = Promise.resolve();

  private constructor(parts: FollowerParts, past: EtcdPast, data: MemoryData) {
    this.#parts = parts;
    this.#past = past;
    this.#data = data;
    this.#told = this.#changesOf(data);
    this.#waiters = new RevisionWaiters(data.revision, (since) => this.#renewSilent(since));
  }

  /** Resolves when everything is here that etcd had at the time of the call. @throws EtcdError if it cannot be loaded */
  static async start(parts: FollowerParts): Promise<EtcdFollower> {
    const past = new EtcdPast(parts);
    const newest = await past.newestRevision(0);
    const data = await load(parts, true);
    parts.replaced(data);
    const follower = new EtcdFollower(parts, past, data);
    follower.#following = follower.#follow();
    try {
      await follower.seen(newest, Number.POSITIVE_INFINITY);
    } catch (error) {
      await follower.stop();
      throw error;
    }
    return follower;
  }

  /** Returns the newest revision of etcd, under any prefix. @throws EtcdError; OtherPast, after `onEnd` was called */
  async newestRevision(timeout?: number): Promise<number> {
    try {
      return await this.#past.newestRevision(this.#data.revision, timeout);
    } catch (error) {
      if (error instanceof OtherPast) this.#end(error);
      throw error;
    }
  }

  /** Resolves when the changes up to a revision are here. @throws StorageUnreachable after `milliseconds`; Error if following ends before */
  async reached(revision: number, milliseconds: number): Promise<void> {
    const late = (): Error => new StorageUnreachable(`etcd is at revision ${revision}, which has not come here`);
    await this.#waiters.reached(revision, milliseconds, late);
  }

  /** Does the same as `reached` for a revision whose change may be outside the prefix, so that only the progress of the watch shows that it is reached. */
  async seen(revision: number, milliseconds: number): Promise<void> {
    if (revision <= this.#waiters.current) return;
    const reached = this.reached(revision, milliseconds);
    this.#ask();
    await reached;
  }

  /** Asks etcd for the progress of the watch, again and again until nobody waits. */
  #ask(): void {
    this.#watch?.requestProgress();
    this.#asking ??= setInterval(() => {
      if (this.#waiters.isAwaited) return this.#watch?.requestProgress();
      clearInterval(this.#asking);
      this.#asking = undefined;
    }, ASKING_AGAIN).unref();
  }

  /** Ends a silent watch: its member may lag or be gone, and another one may answer. @param since when the longest-waiting caller began to wait */
  #renewSilent(since: number): void {
    if (this.#heard === undefined || this.#told.isBusy) return;
    const { silence } = this.#parts;
    if (performance.now() - Math.max(this.#heard, since) < silence) return;
    this.#endWatch(new EtcdError('UNAVAILABLE', `the watch has said nothing for ${silence / 1_000} seconds`));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#asking);
    this.#endWatch(new Error('stopped'));
    await this.#following;
    await this.#told.made;
    this.#waiters.end(new Error('the store is closed'));
  }

  #end(reason: OtherPast): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    this.#endWatch(reason);
    this.#waiters.end(reason);
    this.#parts.onEnd(reason);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pause = FIRST_PAUSE; !signal.aborted; ) {
      const before = this.#waiters.current;
      const ended = await this.#watchOnce();
      await this.#told.made;
      if (signal.aborted) return;
      const isCompacted = ended instanceof EtcdError && ended.isCompacted;
      if (!isCompacted) this.#tell(ended);
      pause = this.#waiters.current > before ? FIRST_PAUSE : longerPause(pause, ended);
      pause = await this.#settle(pause, isCompacted || ended instanceof OutOfOrder);
    }
  }

  /**
   * Resolves when another watch may begin. Before that etcd must have shown that it still has the past that was read: a watch of an etcd that was restored
   * would tell other changes as if they came next.
   * @param pause milliseconds before etcd is asked. @param isLost whether changes were missed, so that everything must be loaded anew
   * @returns the pause for the next time, in milliseconds
   */
  async #settle(pause: number, isLost: boolean): Promise<number> {
    const { signal } = this.#stopping;
    for (let next = pause; ; ) {
      await sleep(next, undefined, { signal }).catch(() => {});
      if (signal.aborted) return next;
      try {
        await this.#past.assertSame(this.#data);
        if (isLost) await this.#loadAnew();
        return next;
      } catch (error) {
        if (error instanceof OtherPast) this.#end(error);
        else this.#tell(error as Error);
        next = longerPause(next, error as Error);
      }
    }
  }

  /** Runs one watch. Resolves with the reason of its end. */
  async #watchOnce(): Promise<Error> {
    const { client, names } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.#endWatch = resolve;
    this.#told = this.#changesOf(this.#data);
    const range = { key: names.prefix, end: names.end, startRevision: this.#data.revision + 1 };
    this.#watch = client.watch(
      { ...range, previousValues: false, fragment: true, progressNotify: true },
      this.#listener(this.#told, resolve),
    );
    if (this.#stopping.signal.aborted) resolve(new Error('stopped'));
    if (this.#waiters.isAwaited) this.#ask();
    const ended = await promise;
    this.#told.end();
    this.#watch.cancel();
    this.#watch = undefined;
    this.#heard = undefined;
    return ended;
  }

  #listener(told: ToldChanges, ended: (reason: Error) => void): WatchListener {
    const heard = (): void => {
      this.#heard = performance.now();
    };
    return {
      created: () => {
        heard();
        void this.#verify(told, ended);
      },
      events(events) {
        heard();
        told.changed(events);
      },
      progress(revision) {
        heard();
        told.complete(revision);
      },
      // the error with which the watch ends says this, too
      compacted: () => {},
      ended,
    };
  }

  /**
   * Holds back the changes of a new watch until its etcd has shown that it has everything that came here. An etcd that was restored while nobody was
   * connected gives the revisions of lost changes to other ones. Later it cannot be restored without ending the watch.
   */
  async #verify(told: ToldChanges, ended: (reason: Error) => void): Promise<void> {
    told.hold();
    try {
      await this.#past.assertSame(this.#data);
    } catch (error) {
      if (error instanceof OtherPast) this.#end(error);
      else ended(error as Error);
      return;
    }
    if (told.release()) this.#tell(undefined);
  }

  #changesOf(data: MemoryData): ToldChanges {
    return new ToldChanges(
      {
        ...this.#parts,
        advanced: () => this.#advance(),
        takesMore: (takes) => (takes ? this.#watch?.resume() : this.#watch?.pause()),
        failed: (error) => this.#endWatch(error),
      },
      data,
    );
  }

  /** @throws EtcdError; OtherPast if etcd was restored before everything was read */
  async #loadAnew(): Promise<void> {
    const data = await load(this.#parts, false, this.#data);
    await this.#past.assertSame(this.#data);
    if (this.#stopping.signal.aborted) return;
    this.#data = data;
    this.#parts.replaced(data);
    this.#advance();
  }

  #tell(trouble: Error | undefined): void {
    if (trouble === undefined) {
      if (this.#troubles.size === 0) return;
      this.#troubles.clear();
    } else if (this.#troubles.has(trouble.message)) return;
    else this.#troubles.add(trouble.message);
    this.#parts.onTrouble(trouble);
  }

  #advance(): void {
    this.#parts.advanced();
    this.#waiters.advance(this.#data.revision);
  }
}

/**
 * Follows all changes of etcd under a prefix. Where the stream ends it goes on behind the last change; where etcd has dropped what comes next, all is loaded anew; where
 * etcd has another past than the one that was read, it ends.
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

/** Milliseconds until etcd is asked once more how far the watch is: it does not answer as long as the watch is behind. */
const ASKING_AGAIN = 100;

export interface FollowerParts extends FollowedEtcd {
  readonly ownWrites: OwnWrites;
  /** milliseconds for which a watch may say nothing while somebody waits for it */
  readonly silence: number;
  /** begins with all that there is */
  readonly replaced: (data: MemoryData) => void;
  /** what was made is to be told */
  readonly advanced: () => void;
  /** hears of each change that the watch tells, by its key */
  readonly received: (key: string) => void;
  /** why etcd cannot be followed at present, of each reason once; undefined: it can again */
  readonly onTrouble: (reason: Error | undefined) => void;
  /** etcd is not the one that was read: it is followed no more */
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
  /** when the watch has said something, by `performance.now()`; undefined: it has not begun */
  #heard: number | undefined;
  /** what was said to be the matter since all was well */
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

  /** Resolves once all is here that etcd had when it was called. @throws EtcdError where it cannot be loaded */
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

  /** The newest revision of etcd, whatever it was that changed. @throws EtcdError, OtherPast, of which `onEnd` has heard then */
  async newestRevision(timeout?: number): Promise<number> {
    try {
      return await this.#past.newestRevision(this.#data.revision, timeout);
    } catch (error) {
      if (error instanceof OtherPast) this.#end(error);
      throw error;
    }
  }

  /** Resolves when the changes up to a revision are here. @throws StorageUnreachable where that takes longer than so many milliseconds, Error where it is stopped before */
  async reached(revision: number, milliseconds: number): Promise<void> {
    const late = (): Error => new StorageUnreachable(`etcd is at revision ${revision}, which has not come here`);
    await this.#waiters.reached(revision, milliseconds, late);
  }

  /** As `reached`, where the newest of these changes may be none of those that are followed. */
  async seen(revision: number, milliseconds: number): Promise<void> {
    if (revision <= this.#waiters.current) return;
    const reached = this.reached(revision, milliseconds);
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

  /** A member that lags, or has gone without a word, is not waited for: another one may answer. @param since when the first one began to wait who waits now */
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
   * Resolves when the watch may begin anew: not before etcd has said that it has the past that was read, for the watch itself would tell the changes of another one as if
   * they came next.
   * @param pause milliseconds before it is asked @param isLost what comes next is not known: all is loaded anew
   * @returns milliseconds before it is asked for the next time
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

  /** Resolves with why the watch has ended. */
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
      // its end tells that too
      compacted: () => {},
      ended,
    };
  }

  /**
   * Makes nothing of what a watch tells before it is known that its etcd has all that came here: one that was restored while nobody was connected to it gives the
   * revisions of what it has lost to other changes. From here on it cannot be restored without ending the watch.
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

  /** @throws EtcdError, OtherPast where etcd was restored before all was read */
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

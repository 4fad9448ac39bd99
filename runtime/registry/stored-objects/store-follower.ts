/**
 * Keeps what a process remembers of the store (roles, definitions, relations of nodes) at the store's own revision, whichever process wrote. Each revision is read
 * once, and handed to the sinks that follow its resource. Where a new value cannot be read, sinks keep the value of before, as informers of 1.32 do. The values
 * that are there when a sink is added have to be readable, but for those of sinks that take them in turns: these do without it, as all do that begin anew.
 */
import type { TakingIn } from '../../event-loop/reading-in-turns.ts';
import { RevisionCompacted, ValueDamaged } from '../../storage/errors.ts';
import { type Change, prefixEnd, type Storage } from '../../storage/storage.ts';
import { StoredObject } from './stored-object.ts';

/** Something that follows objects of some resources. Its functions run synchronously, and must not throw. */
export interface FollowerSink {
  /** key prefixes of one or two segments, without a slash at the end, such as `roles` */
  readonly prefixes: readonly string[];
  /** Forgets everything. All objects that there are come again, as changes. */
  reset(): void;
  /** @param stored undefined where the object is gone; its bytes are good during the call */
  change(key: string, stored: StoredObject | undefined): void;
  /**
   * Goes through `work` in turns, which tells of all objects that there are; changes come in between. A `reset` ends it. Absent: the objects come at once.
   * Sinks of resources that have very many objects have it.
   */
  takeIn?(work: TakingIn): void;
  /** Called behind `reset` and `change`, when the sink knows everything up to the follower's revision. */
  settle?(): void;
}

/** Milliseconds for which one look at the store counts for all requests that had come by then. */
const RECENTLY = 50;

/** Up to so many new revisions are read one by one. Beyond that it costs less to read the changes of each resource. */
const FEW = 64;

/** Objects that a sink that takes them in turns is told of at a time. */
const AT_A_TIME = 32;

export class StoreFollower {
  readonly #storage: Storage;
  readonly #unreadable: (error: ValueDamaged) => void;
  readonly #sinks = new Map<string, FollowerSink[]>();
  /** those that were to be told of all objects when the store could not be read */
  readonly #interrupted = new Set<FollowerSink>();
  #position = 0;
  /** when it looked at the store last, of `performance.now()` */
  #looked = Number.NEGATIVE_INFINITY;

  /** @param unreadable called with the error of each new value that cannot be read. Must not throw */
  constructor(storage: Storage, unreadable: (error: ValueDamaged) => void) {
    this.#storage = storage;
    this.#unreadable = unreadable;
  }

  /** Adds a sink, and hands it all objects of its resources. */
  add(sink: FollowerSink): void {
    this.catchUp();
    if (this.#sinks.size === 0) this.#position = this.#storage.currentRevision();
    for (const prefix of sink.prefixes) {
      const sinks = this.#sinks.get(prefix);
      if (sinks === undefined) this.#sinks.set(prefix, [sink]);
      else sinks.push(sink);
    }
    this.#load(sink);
  }

  /**
   * As `catchUp`, for a request: it sees all writes from before it came, and of later writes those that are older than `RECENTLY`.
   * @param received when the request came, of `performance.now()`; undefined: it is the server's own
   * @param now of the same clock
   */
  catchUpFor(received: number | undefined, now: number): void {
    if (received === undefined || this.#looked < received || now - this.#looked > RECENTLY) this.catchUp();
  }

  /** Tells all sinks of each write that has resolved. Costs a look at the store where nothing was written. */
  catchUp(): void {
    if (this.#sinks.size === 0) return;
    const looking = performance.now();
    if (this.#storage.settledRevision() > this.#position) this.#advance(this.#storage.currentRevision());
    if (this.#interrupted.size > 0) this.#loadInterrupted();
    // not where that has failed: who asks next looks again
    this.#looked = looking;
  }

  #advance(current: number): void {
    if (current === this.#position) return;
    const told = new Set<FollowerSink>();
    try {
      if (current - this.#position <= FEW) this.#readAll(told);
      else for (const prefix of this.#sinks.keys()) this.#read(`${prefix}/`, told);
      this.#position = current;
      for (const sink of told) sink.settle?.();
    } catch (error) {
      if (!(error instanceof RevisionCompacted)) throw error;
      this.#reload();
    }
  }

  #readAll(told: Set<FollowerSink>): void {
    for (const change of this.#storage.changes(this.#position, '')) this.#hand(change, told);
  }

  #read(prefix: string, told: Set<FollowerSink>): void {
    for (const change of this.#storage.changes(this.#position, prefix)) this.#hand(change, told);
  }

  #hand(change: Change, told: Set<FollowerSink>): void {
    const { key } = change;
    const first = key.indexOf('/');
    const second = key.indexOf('/', first + 1);
    const sinks = this.#sinks.get(key.slice(0, first)) ?? (second < 0 ? undefined : this.#sinks.get(key.slice(0, second)));
    if (sinks === undefined) return;
    this.#whereReadable(() => {
      // what nobody follows is not read
      const stored = change.operation === 'delete' ? undefined : new StoredObject(change.value);
      for (const sink of sinks) {
        told.add(sink);
        sink.change(key, stored);
      }
    });
  }

  /** This process did not look for so long that the changes in between are gone. */
  #reload(): void {
    this.#position = this.#storage.currentRevision();
    for (const sink of [...this.#sinks.values()].flat()) this.#interrupted.add(sink);
    this.#loadInterrupted();
  }

  /** Tells a sink of all objects that there are at the position. @param tell calls its argument, which reads an object and tells of it */
  #load(sink: FollowerSink, tell: (object: () => void) => void = (object) => object()): void {
    if (sink.takeIn !== undefined) return sink.takeIn(this.#loadInTurns(sink));
    for (const prefix of sink.prefixes) {
      const start = `${prefix}/`;
      for (const entry of this.#storage.range({ start, end: prefixEnd(start), atRevision: this.#position }))
        tell(() => sink.change(entry.key, new StoredObject(entry.value)));
    }
    sink.settle?.();
  }

  /** Each piece is read at the position of its time, so it has nothing that is older than the changes that the sink was told of. */
  *#loadInTurns(sink: FollowerSink): TakingIn {
    for (const prefix of sink.prefixes) {
      const end = prefixEnd(`${prefix}/`);
      for (let start: string | undefined = `${prefix}/`; start !== undefined; yield) {
        try {
          this.catchUp();
          start = this.#loadFew(sink, start, end);
        } catch {
          // who asks next is told of it, or has the sink begin anew
          this.#interrupted.add(sink);
          return;
        }
      }
    }
    sink.settle?.();
  }

  /** Where one of them cannot be told of all, the others, and it, are at the next look. */
  #loadInterrupted(): void {
    for (const sink of [...this.#interrupted]) {
      sink.reset();
      // one that takes objects in turns may be interrupted again
      this.#interrupted.delete(sink);
      try {
        this.#load(sink, (object) => this.#whereReadable(object));
      } catch (error) {
        this.#interrupted.add(sink);
        throw error;
      }
    }
  }

  /** @returns where the next ones begin; undefined: these were the last */
  #loadFew(sink: FollowerSink, start: string, end: string): string | undefined {
    let count = 0;
    for (const entry of this.#storage.range({ start, end, atRevision: this.#position })) {
      if (count++ === AT_A_TIME) return entry.key;
      this.#whereReadable(() => sink.change(entry.key, new StoredObject(entry.value)));
    }
    return undefined;
  }

  #whereReadable(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof ValueDamaged)) throw error;
      this.#unreadable(error);
    }
  }
}

/** One watcher of a feed. It catches up from the store, joins the feed, and leaves the feed while it can take no more. */
import { turn } from '../../event-loop/turns.ts';
import type { Trigger } from '../selection/watcher-index.ts';
import type { StoredObject } from '../stored-objects/stored-object.ts';

/** Milliseconds that a watch of a resource that has gone has for its last changes, before it ends: 1.32 gives requests as long. */
const LAST_CHANGES = 1_000;

/** A change. All watchers share the object, and may change only its `frames`. @typeParam Frame an encoding of the change */
export interface WatchEvent<Frame = unknown> {
  readonly operation: 'create' | 'update' | 'delete';
  readonly revision: number;
  readonly namespace: string;
  readonly name: string;
  /** the object after the change; of a delete, its last state */
  readonly stored: StoredObject;
  /** the object before the change */
  readonly previous: StoredObject | undefined;
  /** encodings made so far, by form */
  readonly frames: Map<string, Frame>;
}

/** What a subscription serves. Its methods must not throw. */
export interface Watcher<Frame = unknown> {
  /** empty: all namespaces */
  readonly namespace: string;
  /** a field value that all objects have that it selects; undefined: objects of any values */
  readonly trigger: Trigger | undefined;
  /** Is called once with each event, in the order of revisions. @returns false if it takes no more until `resume` of its subscription is called */
  deliver(event: WatchEvent<Frame>): boolean;
  /** Is called behind the last delivery of a slice, in the same turn or in a later one, so that several events may be written together. */
  flush(): void;
  /** Is called once, as the last call, when the watch cannot go on, for example because the history that it needs was compacted. */
  fail(error: unknown): void;
  /** Is called once, as the last call, when the server ends. */
  end(): void;
}

/** What a subscription knows of its feed. */
export interface SubscribedFeed {
  /** all watchers that have joined have every change up to this revision */
  readonly position: number;
  /** the watchers that have joined */
  readonly watchers: { add(subscription: Subscription): void; remove(subscription: Subscription): void };
  /** all watchers, those that catch up among them */
  readonly subscriptions: Set<Subscription>;
  /** the watchers that have joined and got an event of this slice, which is not written to them yet */
  readonly told: Subscription[];
  /** Passes one slice of the changes after a revision to one subscription. @returns the revision up to which it has all changes */
  replay(since: number, subscription: Subscription): number | Promise<number>;
}

/** The place of one watcher in the order of changes. */
export class Subscription {
  readonly #feed: SubscribedFeed;
  readonly #watcher: Watcher;
  readonly #stopped: () => void;
  #position: number;
  #state: 'paused' | 'catchingUp' | 'joined' | 'stopped' = 'paused';
  /** the watcher takes nothing until `resume` */
  #isFull = false;
  /** further events of the newest revision that came while the watcher was full: it must not go on within a revision */
  #rest: WatchEvent[] = [];
  /** the slice in which the newest revision came; in other slices its changes come once more, and are left out */
  #pass: object | undefined;
  /** events were delivered that are not written yet */
  #unflushed = false;
  /** the watch ends behind this revision */
  #last = Number.POSITIVE_INFINITY;
  #lastTimer: NodeJS.Timeout | undefined;

  constructor(feed: SubscribedFeed, since: number, watcher: Watcher, stopped: () => void) {
    this.#feed = feed;
    this.#position = since;
    this.#watcher = watcher;
    this.#stopped = stopped;
  }

  get trigger(): Trigger | undefined {
    return this.#watcher.trigger;
  }

  /** All changes up to this revision were delivered. */
  get position(): number {
    return this.#state === 'joined' ? Math.max(this.#position, this.#feed.position) : this.#position;
  }

  /** Goes on after the last event that was delivered. */
  resume(): void {
    this.#isFull = false;
    this.#deliverRest();
    this.endBehindLast();
    if (this.#isFull || this.#state !== 'paused') return;
    this.#state = 'catchingUp';
    void this.#catchUp();
  }

  #deliverRest(): void {
    if (this.#rest.length === 0) return;
    while (!this.#isFull && this.#state !== 'stopped' && this.#rest.length > 0)
      this.#isFull = !this.#watcher.deliver(this.#rest.shift() as WatchEvent);
    if (this.#state !== 'stopped') this.#watcher.flush();
  }

  async #catchUp(): Promise<void> {
    try {
      while (this.#state === 'catchingUp') {
        if (this.#position < this.#feed.position) {
          const replayed = this.#replay();
          this.#position = Math.max(this.#position, replayed instanceof Promise ? await replayed : replayed);
        } else {
          this.#state = 'joined';
          this.#feed.watchers.add(this);
          this.endBehindLast();
          return;
        }
        if (this.#state === 'catchingUp' && this.#position < this.#feed.position) await turn();
      }
    } catch (error) {
      this.fail(error);
    }
  }

  /** Takes a slice of what it has missed, and has it written. */
  #replay(): number | Promise<number> {
    let replayed: number | Promise<number> = 0;
    try {
      replayed = this.#feed.replay(this.#position, this);
    } finally {
      if (!(replayed instanceof Promise)) this.flush();
    }
    return replayed instanceof Promise ? replayed.finally(() => this.flush()) : replayed;
  }

  /** Takes a change; only the feed calls this. @param pass an object that is the same for all changes of one slice. @returns false if it takes no more */
  take(event: WatchEvent, pass: object): boolean {
    if (this.#state !== 'joined' && this.#state !== 'catchingUp') return false;
    if (event.revision > this.#last) {
      if (!this.#isFull) this.end();
      return false;
    }
    if (event.revision < this.#position || (event.revision === this.#position && this.#pass !== pass)) return true;
    if (this.#isFull && event.revision > this.#position) {
      this.#pause();
      return false;
    }
    this.#position = event.revision;
    this.#pass = pass;
    const { namespace } = this.#watcher;
    if (namespace !== '' && namespace !== event.namespace) return true;
    if (this.#isFull) {
      this.#rest.push(event);
      return true;
    }
    if (!this.#unflushed) {
      this.#unflushed = true;
      if (this.#state === 'joined') this.#feed.told.push(this);
    }
    if (!this.#watcher.deliver(event)) this.#isFull = true;
    return true;
  }

  /** Has what was delivered written; only the feed and the subscription itself call this. */
  flush(): void {
    if (!this.#unflushed) return;
    this.#unflushed = false;
    if (this.#state !== 'stopped') this.#watcher.flush();
  }

  #pause(): void {
    if (this.#state === 'stopped') return;
    this.#feed.watchers.remove(this);
    this.#state = 'paused';
  }

  /** Nothing is delivered after this. */
  stop(): void {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    clearTimeout(this.#lastTimer);
    this.#feed.watchers.remove(this);
    this.#feed.subscriptions.delete(this);
    this.#stopped();
  }

  /** Ends the watch with an error; only the feed calls this. */
  fail(error: unknown): void {
    if (this.#state === 'stopped') return;
    this.stop();
    this.#watcher.fail(error);
  }

  /** Called by the feed. The watch ends as soon as it has everything up to a revision, and after a while in any case. */
  endAfter(revision: number): void {
    this.#last = revision;
    this.endBehindLast();
    if (this.#state !== 'stopped') this.#lastTimer = setTimeout(() => this.end(), LAST_CHANGES).unref();
  }

  /** Called by the feed. Ends the watch where it has everything up to its last revision. */
  endBehindLast(): void {
    if (!this.#isFull && this.position >= this.#last) this.end();
  }

  /** Ends the watch; only the hub and the subscription itself call this. */
  end(): void {
    if (this.#state === 'stopped') return;
    this.stop();
    this.#watcher.end();
  }
}

/**
 * Watches: one feed for each resource that is watched reads the store's changes once, whatever number of watchers it has, and hands each
 * event to those that may want it. An event is encoded once for each form that some watcher gets.
 *
 *   subscribe(since) -> catch up alone, in slices: (since, the feed's position] -> join the feed -> every later event
 *
 * A watcher that can take no more for now leaves the feed and catches up from the store when it can, so that nothing waits for it in memory
 * and nobody waits for it. Changes that share a revision are handed on together: a watcher goes on behind a revision, never within one.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { keptValue, resourcePrefix, type Storage } from '../storage/storage.ts';
import { turn } from './event-loop-turns.ts';
import { splitKey } from './selection.ts';
import { StoredObject } from './stored-object.ts';
import { type FieldsOf, type Trigger, WatcherIndex } from './watcher-index.ts';

/** Changes read from the store at a time, bytes of the objects in them, and milliseconds that handing them on may hold the event loop. */
const SLICE = 256;
const SLICE_BYTES = 256 * 1024;
const SLICE_MILLISECONDS = 5;
/**
 * Where writing to all watchers takes long, nothing is handed on for a while after it: a write costs much the same for one event as for many, and
 * changes that come meanwhile share the next one. Milliseconds of writing from which on there is a rest; the rest that is twice as long as the writing
 * at most, for it delays hardly more than that; and the one that is as long at most. A feed that is behind does not rest.
 */
const LONG_WRITING = 2;
const DOUBLE_REST = 25;
const LONGEST_REST = 50;
/** Milliseconds between watches that end while a server does; in a second, at least. */
const DRAINING_INTERVAL = 20;
const LEAST_ENDED = 200;
/** Milliseconds that a watch of what has gone has to come to its last change: those that 1.32 gives requests. */
const LAST_CHANGES = 1_000;
/** Up to so many new revisions are looked at one by one; beyond that, the index of each resource costs less. */
const FEW = 64;
/** Milliseconds at most that one write is taken to have lasted behind the turn in which it was made, where other work comes between. */
const LONGEST_WRITE = 0.1;

/** One change, shared by all watchers; nobody changes it but for `frames`. @typeParam Frame what watchers make of it */
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
  /** a field value that every object it selects has; undefined: it may select any */
  readonly trigger: Trigger | undefined;
  /** Called in the order of revisions, each once. @returns false: no more until `resume` of its subscription */
  deliver(event: WatchEvent<Frame>): boolean;
  /** Called after one or more deliveries in the same turn: no more follow in this one. */
  flush(): void;
  /** Called once, as the last call, when it cannot go on (the history it needs is compacted). */
  fail(error: unknown): void;
  /** Called once, as the last call, when the server ends. */
  end(): void;
}

/** What a hub must know of a resource. */
export interface FeedSource {
  /** what all versions of the resource share: those of another definition have another feed */
  readonly of: object;
  /** key prefix without the trailing slash */
  readonly prefix: string;
  readonly namespaced: boolean;
  readonly fieldsOf: FieldsOf;
  /** where `converted` is given: what those who see the same share */
  readonly view?: object;
  /** Gives what is stored as watchers see it, a slice at a time, in the same order; a promise where that takes a while. Absent: as it is stored. */
  readonly converted?: (values: readonly Buffer[]) => readonly Buffer[] | Promise<readonly Buffer[]>;
}

export class WatchHub {
  readonly #storage: Storage;
  readonly #feeds = new Map<object, Feed>();
  /** resources whose definition has gone, as `FeedSource.of` */
  readonly #gone = new WeakSet<object>();
  readonly #stop: () => void;
  #closed = false;
  /** feeds have been told of every change up to this revision */
  #position: number;
  #target: number;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#position = storage.currentRevision();
    this.#target = this.#position;
    this.#stop = storage.onCommit((revision) => this.#committed(revision));
  }

  #committed(revision: number): void {
    // behind the answers to those who wrote, so that those who wait for them write on while this thread is busy here
    if (this.#target === this.#position) setImmediate(() => this.#advance());
    this.#target = Math.max(this.#target, revision);
  }

  #advance(): void {
    const changed = this.#changedResources();
    this.#position = this.#target;
    for (const feed of this.#feeds.values()) {
      if (changed?.has(feed.resource) === false) feed.pass(this.#target);
      else feed.advance(this.#target);
    }
  }

  /** Resources of the keys that have changed, as the store tells them apart; undefined where it costs less that each feed looks for itself. */
  #changedResources(): ReadonlySet<string> | undefined {
    const count = this.#target - this.#position;
    if (count > FEW || this.#feeds.size < 2) return undefined;
    const resources = new Set<string>();
    try {
      for (const { key } of this.#storage.changes(this.#position, '', count)) resources.add(resourcePrefix(key));
    } catch {
      // each feed meets the same, and tells its watchers
      return undefined;
    }
    return resources;
  }

  /**
   * Every change after `since`, oldest first, from the first `resume` of the subscription until its `stop`.
   * @param since exclusive revision; one that is not there yet is waited for
   */
  subscribe(source: FeedSource, since: number, watcher: Watcher): Subscription {
    const key = source.view ?? source.of;
    let feed = this.#feeds.get(key);
    if (feed === undefined) {
      feed = new Feed(this.#storage, source);
      this.#feeds.set(key, feed);
    }
    const subscription: Subscription = new Subscription(feed, since, watcher, () => {
      if (feed.subscriptions.size === 0 && this.#feeds.get(key) === feed) this.#feeds.delete(key);
    });
    feed.subscriptions.add(subscription);
    // its request began before the definition went, or the server began to end
    if (this.#closed || this.#gone.has(source.of)) queueMicrotask(() => subscription.end());
    return subscription;
  }

  /** Number of watchers of all resources. */
  get watchers(): number {
    let sum = 0;
    for (const feed of this.#feeds.values()) sum += feed.subscriptions.size;
    return sum;
  }

  /**
   * Number of watchers that a change of an object may wake, those aside that ask for the value of some field.
   * @param of as in `FeedSource`
   */
  watchersOf(of: object, namespace: string, name: string): number {
    let sum = 0;
    for (const feed of this.#feeds.values()) if (feed.of === of) sum += feed.watchers.of(namespace, name);
    return sum;
  }

  /**
   * Ends all watches of a resource, now and later, for it is not served as it was: clients watch again. Where they cannot, they have seen its objects go:
   * each ends behind the last change of now. @param of as in `FeedSource`
   */
  end(of: object): void {
    this.#gone.add(of);
    const last = this.#storage.currentRevision();
    for (const feed of [...this.#feeds.values()]) if (feed.of === of) feed.endAfter(last);
  }

  /**
   * Ends all watches, spread evenly over the time, but never fewer than two hundred in a second, as in 1.32: clients that watch again elsewhere at once would
   * be too many. Those that begin meanwhile have the time that is left.
   * @param milliseconds 0 ends them at once
   */
  async drain(milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    const atOnce = Math.ceil((Math.max(LEAST_ENDED, (1_000 * this.watchers) / milliseconds) * DRAINING_INTERVAL) / 1_000);
    while (this.watchers > 0 && performance.now() < end) {
      for (const subscription of this.#some(atOnce)) subscription.end();
      await sleep(DRAINING_INTERVAL);
    }
  }

  #some(count: number): Subscription[] {
    return [...this.#feeds.values()].flatMap(({ subscriptions }) => [...subscriptions].slice(0, count)).slice(0, count);
  }

  /** Ends all watches, now and later. */
  close(): void {
    this.#closed = true;
    this.#stop();
    for (const feed of this.#feeds.values()) for (const subscription of [...feed.subscriptions]) subscription.end();
  }
}

/** One watcher's place in the order of changes. */
export class Subscription {
  readonly #feed: Feed;
  readonly #watcher: Watcher;
  readonly #stopped: () => void;
  #position: number;
  #state: 'paused' | 'catchingUp' | 'joined' | 'stopped' = 'paused';
  /** nothing is delivered until it goes on */
  #isFull = false;
  /** what came meanwhile of the newest revision: nobody goes on within one */
  #rest: WatchEvent[] = [];
  /** the handing on in which the newest revision came, all of whose changes it has */
  #pass: object | undefined;
  /** among those that the feed has told of something in this turn */
  #unflushed = false;
  /** the revision behind which it ends */
  #last = Number.POSITIVE_INFINITY;
  #lastTimer: NodeJS.Timeout | undefined;

  constructor(feed: Feed, since: number, watcher: Watcher, stopped: () => void) {
    this.#feed = feed;
    this.#position = since;
    this.#watcher = watcher;
    this.#stopped = stopped;
  }

  get trigger(): Trigger | undefined {
    return this.#watcher.trigger;
  }

  /** Everything up to this revision has been delivered. */
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
          const replayed = this.#feed.replay(this.#position, this);
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

  /** For the feed. @param pass one for all changes of a revision that are handed on one after the other. @returns false where it takes no more */
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
      this.#feed.told.push(this);
    }
    if (!this.#watcher.deliver(event)) this.#isFull = true;
    return true;
  }

  /** For the feed. */
  flush(): void {
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

  /** For the feed. */
  fail(error: unknown): void {
    if (this.#state === 'stopped') return;
    this.stop();
    this.#watcher.fail(error);
  }

  /** For the feed: it ends as soon as it has everything up to a revision, and after a while in any case. */
  endAfter(revision: number): void {
    this.#last = revision;
    this.endBehindLast();
    if (this.#state !== 'stopped') this.#lastTimer = setTimeout(() => this.end(), LAST_CHANGES).unref();
  }

  /** For the feed: it may have come to its end. */
  endBehindLast(): void {
    if (!this.#isFull && this.position >= this.#last) this.end();
  }

  /** For the hub. */
  end(): void {
    if (this.#state === 'stopped') return;
    this.stop();
    this.#watcher.end();
  }
}

/** @param pass as in `Subscription.take`. @returns whether it takes more */
type Take = (event: WatchEvent, pass: object) => boolean;

/** The changes of one resource. */
class Feed {
  /** all watchers that have joined have every change up to this revision */
  position: number;
  /** those that have joined */
  readonly watchers: WatcherIndex<Subscription>;
  readonly subscriptions = new Set<Subscription>();
  /** whom something was delivered to in this turn */
  told: Subscription[] = [];
  /** of its keys, as the store tells them apart */
  readonly resource: string;
  /** as in `FeedSource` */
  readonly of: object;
  readonly #storage: Storage;
  readonly #source: FeedSource;
  #target: number;
  /** watchers that were written to the last time */
  #writes = 0;
  #isEnding = false;
  /** a turn of the event loop will look at what is there to hand on */
  #pending = false;

  constructor(storage: Storage, source: FeedSource) {
    this.#storage = storage;
    this.#source = source;
    this.of = source.of;
    this.resource = resourcePrefix(`${source.prefix}/`);
    this.watchers = new WatcherIndex(source.fieldsOf);
    this.position = storage.currentRevision();
    this.#target = this.position;
  }

  /** Hands every change up to `revision` to the watchers: the first ones at once, others in later turns where they take long. */
  advance(revision: number): void {
    this.#target = Math.max(this.#target, revision);
    if (!this.#pending) this.#advance();
  }

  /** Takes note that nothing was changed here between the revision that it was told last and this one. */
  pass(revision: number): void {
    if (this.position >= this.#target) this.position = Math.max(this.position, revision);
    this.#target = Math.max(this.#target, revision);
    this.#endBehindLast();
  }

  /** As of the subscriptions. */
  endAfter(revision: number): void {
    this.#isEnding = true;
    for (const subscription of [...this.subscriptions]) subscription.endAfter(revision);
  }

  #endBehindLast(): void {
    if (this.#isEnding) for (const subscription of [...this.subscriptions]) subscription.endBehindLast();
  }

  #advance(): void {
    if (this.watchers.size === 0) this.position = this.#target;
    if (this.position >= this.#target) {
      this.#pending = false;
      this.#endBehindLast();
      return;
    }
    this.#pending = true;
    const began = performance.now();
    try {
      const handing = this.#slice(this.position, (event, pass) => {
        this.position = event.revision;
        this.watchers.tell(event, (subscription) => void subscription.take(event, pass));
        return true;
      });
      if (handing instanceof Promise) {
        handing.then(
          (position) => this.#handedOn(position, performance.now()),
          (error) => this.#failed(error, began),
        );
        return;
      }
      this.#handedOn(handing, began);
    } catch (error) {
      this.#failed(error, began);
    }
  }

  /** @param began when handing on did, where it was not waited for anybody */
  #handedOn(position: number, began: number): void {
    this.position = position;
    this.#goOn(began);
  }

  /** All who have joined are told, and nobody gets what comes after it without what has failed. */
  #failed(error: unknown, began: number): void {
    for (const subscription of [...this.watchers.all()]) subscription.fail(error);
    this.#goOn(began);
  }

  #goOn(began: number): void {
    const handedOn = performance.now() - began;
    const longest = this.#writes * LONGEST_WRITE;
    // connections go on writing, and are told that they have written, behind this turn
    setImmediate(() => this.#rest(Math.max(handedOn, Math.min(performance.now() - began, longest))));
  }

  /** @param busy milliseconds that writing the last changes took */
  #rest(busy: number): void {
    if (busy < LONG_WRITING || this.position < this.#target) this.#advance();
    else setTimeout(() => this.#advance(), Math.min(Math.max(busy, Math.min(2 * busy, DOUBLE_REST)), LONGEST_REST));
  }

  /** Hands one slice of the changes after `since` to one subscription. @returns the revision up to which it has been told */
  replay(since: number, subscription: Subscription): number | Promise<number> {
    return this.#slice(since, (event, pass) => subscription.take(event, pass));
  }

  /** One slice of the changes after `since`, as long as `take` wants more. @returns the revision up to which they have been taken */
  #slice(since: number, take: Take): number | Promise<number> {
    // read before the changes, which then hold all up to it
    const newest = this.#storage.currentRevision();
    const { converted } = this.#source;
    if (converted === undefined) return this.#handOn(since, newest, this.#events(since), take);
    const events = [...this.#events(since)];
    const converting = converted(
      events.flatMap(({ stored, previous }) => (previous === undefined ? [stored.bytes] : [stored.bytes, previous.bytes])),
    );
    const handOn = (values: readonly Buffer[]): number => this.#handOn(since, newest, withValues(events, values), take);
    return converting instanceof Promise ? converting.then(handOn) : handOn(converting);
  }

  /** @param events a whole slice of the changes after `since`. @param newest a revision up to which there are no others where they are fewer than that */
  #handOn(since: number, newest: number, events: Iterable<WatchEvent>, take: Take): number {
    const deadline = performance.now() + SLICE_MILLISECONDS;
    let last = since;
    let count = 0;
    let bytes = 0;
    let isEnough = false;
    const pass = {};
    try {
      for (const event of events) {
        const isNext = event.revision > last;
        if (isNext && isEnough) return last;
        if (!take(event, pass)) return last;
        last = event.revision;
        count++;
        bytes += event.stored.bytes.length;
        isEnough = bytes >= SLICE_BYTES || performance.now() >= deadline;
      }
    } finally {
      this.#flush();
    }
    return count < SLICE ? Math.max(last, newest) : last;
  }

  #flush(): void {
    const { told } = this;
    this.told = [];
    this.#writes = told.length;
    for (const subscription of told) subscription.flush();
  }

  *#events(after: number): Generator<WatchEvent> {
    const { prefix, namespaced } = this.#source;
    for (const change of this.#storage.changes(after, `${prefix}/`, SLICE)) {
      yield {
        operation: change.operation,
        revision: change.revision,
        ...splitKey(change.key, prefix, namespaced),
        stored: new StoredObject(keptValue(change.value)),
        previous: change.previousValue === undefined ? undefined : new StoredObject(keptValue(change.previousValue)),
        frames: new Map(),
      };
    }
  }
}

/** The same events with other values: of each the object, then the one before it where it has one. */
function withValues(events: readonly WatchEvent[], values: readonly Buffer[]): WatchEvent[] {
  let next = 0;
  return events.map((event) => ({
    ...event,
    stored: new StoredObject(values[next++] as Buffer),
    previous: event.previous === undefined ? undefined : new StoredObject(values[next++] as Buffer),
  }));
}

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
import { resourcePrefix, type Storage } from '../storage/storage.ts';
import { Feed, type FeedSource } from './watch-feed.ts';
import { Subscription, type Watcher } from './watch-subscription.ts';

/** Milliseconds between watches that end while a server does; in a second, at least. */
const DRAINING_INTERVAL = 20;
const LEAST_ENDED = 200;
/** Up to so many new revisions are looked at one by one; beyond that, the index of each resource costs less. */
const FEW = 64;

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
    const changed = this.#feeds.size === 0 ? undefined : this.#changedResources();
    this.#position = this.#target;
    for (const feed of this.#feeds.values()) {
      if (changed?.has(feed.resource) === false) feed.pass(this.#target);
      else feed.advance(this.#target);
    }
  }

  /** Resources of the keys that have changed, as the store tells them apart; undefined where it costs less that each feed looks for itself. */
  #changedResources(): ReadonlySet<string> | undefined {
    const count = this.#target - this.#position;
    if (count > FEW) return undefined;
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

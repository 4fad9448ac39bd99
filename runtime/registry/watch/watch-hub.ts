/**
 * Watches. Each resource that is watched has one feed, which reads the store's changes once for all its watchers, and hands each event to the watchers that may
 * want it. An event is encoded once for each form that some watcher gets.
 *
 *   subscribe(since) -> catch up alone, in slices: (since, the feed's position] -> join the feed -> every later event
 *
 * A watcher that can take no more for now leaves the feed, and catches up from the store later. So no events wait for it in memory, and no other watcher waits
 * for it. Changes that share a revision are handed on together: a watcher stops and goes on between revisions, never within one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { resourcePrefix, type Storage } from '../../storage/storage.ts';
import { Feed, type FeedSource } from './watch-feed.ts';
import { Subscription, type Watcher } from './watch-subscription.ts';

/** Milliseconds between rounds in which some watches end, while the server ends. */
const DRAINING_INTERVAL = 20;
/** How many watches end in a second then, at least. */
const LEAST_ENDED = 200;
/** Up to this many new revisions, the hub finds out which resources have changed. Beyond that it costs less when each feed asks the store. */
const FEW = 64;

export class WatchHub {
  readonly #storage: Storage;
  readonly #feeds = new Map<object, Feed>();
  /** resources whose definition has gone, as `FeedSource.of` */
  readonly #gone = new WeakSet<object>();
  readonly #stop: () => void;
  #closed = false;
  /** feeds were told of every change up to this revision */
  #position: number;
  #target: number;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#position = storage.currentRevision();
    this.#target = this.#position;
    this.#stop = storage.onCommit((revision) => this.#committed(revision));
  }

  #committed(revision: number): void {
    // behind the answers to the writers, so that their next writes are on the way to the disk while this thread writes to watchers
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

  /** Prefixes of the resources that have changed (`resourcePrefix`); undefined where each feed is to ask the store itself. */
  #changedResources(): ReadonlySet<string> | undefined {
    const count = this.#target - this.#position;
    if (count > FEW) return undefined;
    const resources = new Set<string>();
    try {
      for (const { key } of this.#storage.changes(this.#position, '', count)) resources.add(resourcePrefix(key));
    } catch {
      // each feed meets the same error, and ends its watches with it
      return undefined;
    }
    return resources;
  }

  /**
   * Delivers every change after `since`, oldest first, from the first `resume` of the subscription until its `stop`.
   * @param since exclusive revision; may be one that the store has not reached yet
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
    // the request began before its definition was removed, or before the server began to end
    if (this.#closed || this.#gone.has(source.of)) queueMicrotask(() => subscription.end());
    return subscription;
  }

  /** The number of watchers of all resources. */
  get watchers(): number {
    let sum = 0;
    for (const feed of this.#feeds.values()) sum += feed.subscriptions.size;
    return sum;
  }

  /**
   * Number of watchers that a change of an object may wake, without watchers that ask for one value of a field other than name and namespace.
   * @param of as in `FeedSource`
   */
  watchersOf(of: object, namespace: string, name: string): number {
    let sum = 0;
    for (const feed of this.#feeds.values()) if (feed.of === of) sum += feed.watchers.of(namespace, name);
    return sum;
  }

  /**
   * Ends all watches of a resource, those that begin later too, because it is not served any more as it was. Each watch ends behind the newest change of this
   * moment, so that clients have seen the resource's objects go. Clients watch again, where that is still possible.
   * @param of as in `FeedSource`
   */
  end(of: object): void {
    this.#gone.add(of);
    const last = this.#storage.currentRevision();
    for (const feed of [...this.#feeds.values()]) if (feed.of === of) feed.endAfter(last);
  }

  /**
   * Ends all watches, spread evenly over a time, so that not all clients watch again elsewhere at once. As in 1.32, at least two hundred end in a second.
   * Watches that begin meanwhile end within the same time.
   * @param milliseconds 0: at once
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

  /** Ends all watches, those that begin later too. */
  close(): void {
    this.#closed = true;
    this.#stop();
    for (const feed of this.#feeds.values()) for (const subscription of [...feed.subscriptions]) subscription.end();
  }
}

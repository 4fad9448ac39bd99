/**
 * Watches: one feed for each resource that is watched reads the store's changes once, whatever number of watchers it has, and hands each
 * event to all of them. An event is encoded once for each form that some watcher wants.
 *
 *   subscribe(since) -> replay (since, position] for this watcher alone, in slices -> join the feed -> deliver every later event
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Storage } from '../storage/storage.ts';
import { splitKey } from './selection.ts';
import { StoredObject } from './stored-object.ts';

/** Changes handed on in one synchronous turn. */
const SLICE = 1_000;

/** One change, shared by all watchers; nobody changes it but for `frames`. */
export interface WatchEvent {
  readonly operation: 'create' | 'update' | 'delete';
  readonly revision: number;
  readonly namespace: string;
  readonly name: string;
  /** the object after the change; of a delete, its last state */
  readonly stored: StoredObject;
  /** the object before the change */
  readonly previous: StoredObject | undefined;
  /** encodings made so far, by form */
  readonly frames: Map<string, Buffer>;
}

export interface Watcher {
  /** empty: all namespaces */
  readonly namespace: string;
  /** Called in the order of revisions; must not throw. */
  deliver(event: WatchEvent): void;
  /** Called once when the feed cannot go on (the history was compacted under a slow replay). */
  fail(error: unknown): void;
  /** Called once when the server ends. */
  end(): void;
}

/** What a hub must know of a resource. */
export interface FeedSource {
  /** key prefix without the trailing slash */
  readonly prefix: string;
  readonly namespaced: boolean;
}

export class WatchHub {
  readonly #storage: Storage;
  readonly #feeds = new Map<string, Feed>();
  readonly #stop: () => void;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#stop = storage.onCommit((revision) => {
      for (const feed of this.#feeds.values()) feed.advance(revision);
    });
  }

  /**
   * Delivers every change after `since`, oldest first, until the returned function is called.
   * @param since exclusive revision, not below the compacted one
   * @throws RevisionCompacted
   */
  async subscribe(source: FeedSource, since: number, watcher: Watcher): Promise<() => void> {
    let feed = this.#feeds.get(source.prefix);
    if (feed === undefined) {
      feed = new Feed(this.#storage, source);
      this.#feeds.set(source.prefix, feed);
    }
    const joined = feed;
    let stopped = false;
    const stop = (): void => {
      stopped = true;
      joined.leave(watcher);
      if (joined.idle && this.#feeds.get(source.prefix) === joined) this.#feeds.delete(source.prefix);
    };
    joined.pin();
    try {
      let position = since;
      for (;;) {
        position = joined.replay(position, watcher);
        if (position >= joined.position) break;
        await turn();
        if (stopped) break;
      }
      if (!stopped) joined.join(watcher);
    } finally {
      joined.unpin();
    }
    return stop;
  }

  /** Number of watchers of all resources. */
  get watchers(): number {
    let sum = 0;
    for (const feed of this.#feeds.values()) sum += feed.size;
    return sum;
  }

  close(): void {
    this.#stop();
    for (const feed of this.#feeds.values()) feed.end();
    this.#feeds.clear();
  }
}

class Feed {
  position: number;
  readonly #storage: Storage;
  readonly #source: FeedSource;
  readonly #watchers = new Set<Watcher>();
  #pins = 0;

  constructor(storage: Storage, source: FeedSource) {
    this.#storage = storage;
    this.#source = source;
    this.position = storage.currentRevision();
  }

  get size(): number {
    return this.#watchers.size;
  }
  get idle(): boolean {
    return this.#watchers.size === 0 && this.#pins === 0;
  }
  pin(): void {
    this.#pins++;
  }
  unpin(): void {
    this.#pins--;
  }
  end(): void {
    for (const watcher of this.#watchers) watcher.end();
    this.#watchers.clear();
  }
  join(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }
  leave(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }

  /** Hands every change up to `revision` to all watchers. */
  advance(revision: number): void {
    if (revision <= this.position) return;
    let reached = revision;
    if (this.#watchers.size > 0) {
      try {
        for (const event of this.#events(this.position, undefined)) {
          // Another process may have committed since: what was read is not read again.
          reached = Math.max(reached, event.revision);
          for (const watcher of this.#watchers)
            if (watcher.namespace === '' || watcher.namespace === event.namespace) watcher.deliver(event);
        }
      } catch (error) {
        for (const watcher of this.#watchers) watcher.fail(error);
        this.#watchers.clear();
      }
    }
    this.position = reached;
  }

  /** Hands one slice of the changes after `since` to one watcher. @returns the revision it has reached */
  replay(since: number, watcher: Watcher): number {
    this.advance(this.#storage.currentRevision());
    if (since >= this.position) return since;
    let last = since;
    let count = 0;
    for (const event of this.#events(since, SLICE)) {
      last = event.revision;
      count++;
      if (watcher.namespace === '' || watcher.namespace === event.namespace) watcher.deliver(event);
    }
    return count < SLICE ? this.position : last;
  }

  *#events(after: number, limit: number | undefined): Generator<WatchEvent> {
    const { prefix, namespaced } = this.#source;
    for (const change of this.#storage.changes(after, `${prefix}/`, limit)) {
      yield {
        operation: change.operation,
        revision: change.revision,
        ...splitKey(change.key, prefix, namespaced),
        stored: new StoredObject(Buffer.from(change.value)),
        previous: change.previousValue === undefined ? undefined : new StoredObject(Buffer.from(change.previousValue)),
        frames: new Map(),
      };
    }
  }
}

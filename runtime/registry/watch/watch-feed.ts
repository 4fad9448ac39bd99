/** The feed of one resource: reads the changes of the store once, and hands them on to all watchers that have joined. */
import { eachInTurns } from '../../event-loop/turns.ts';
import { keptValue, resourcePrefix, type Storage } from '../../storage/storage.ts';
import { splitKey } from '../selection/selection.ts';
import { type FieldsOf, WatcherIndex } from '../selection/watcher-index.ts';
import { StoredObject } from '../stored-objects/stored-object.ts';
import type { SubscribedFeed, Subscription, WatchEvent } from './watch-subscription.ts';

/** A slice ends behind so many changes, so many bytes of objects, or so many milliseconds of the event loop. */
const SLICE = 256;
const SLICE_BYTES = 256 * 1024;
const SLICE_MILLISECONDS = 5;
/**
 * A write to a connection costs much the same for one event as for many. So a feed rests after a slice whose writing took this many milliseconds or longer, and
 * the changes that come meanwhile share the next writes. A feed that is behind does not rest.
 */
const LONG_WRITING = 2;
/** The rest is twice as long as the writing, but no longer than this, in milliseconds; or as long as the writing, where that is more. */
const DOUBLE_REST = 25;
/** The most milliseconds of a rest. */
const LONGEST_REST = 50;
/** The most milliseconds that count for each write. Connections write after the turn in which a feed has called them, and other work may come between. */
const LONGEST_WRITE = 0.1;

/** What a hub needs to know of a resource. */
export interface FeedSource {
  /** an object that all versions of the resource share; resources of another definition have another one, and another feed */
  readonly of: object;
  /** key prefix without the trailing slash */
  readonly prefix: string;
  readonly namespaced: boolean;
  readonly fieldsOf: FieldsOf;
  /** an object that is the same for all watchers whose objects are converted in the same way; absent without `converted` */
  readonly view?: object;
  /** Converts stored values to those that watchers see, in the same order. It returns a promise if it has to wait. Absent if watchers see the stored values. */
  readonly converted?: (values: readonly Buffer[]) => readonly Buffer[] | Promise<readonly Buffer[]>;
}

/** @param pass as in `Subscription.take`. @returns whether it takes more */
type Take = (event: WatchEvent, pass: object) => boolean;

export class Feed implements SubscribedFeed {
  /** all watchers that have joined have every change up to this revision */
  position: number;
  /** the watchers that have joined */
  readonly watchers: WatcherIndex<Subscription>;
  /** all watchers, those that catch up among them */
  readonly subscriptions = new Set<Subscription>();
  /** the watchers that got an event of this slice, which is not written to them yet */
  told: Subscription[] = [];
  /** the result of `resourcePrefix` for the keys of the resource */
  readonly resource: string;
  /** see `FeedSource.of` */
  readonly of: object;
  readonly #storage: Storage;
  readonly #source: FeedSource;
  #target: number;
  #isEnding = false;
  /** a later turn of the event loop will go on */
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

  /** Passes all changes up to a revision to the watchers: one slice at once, and the others in later turns. */
  advance(revision: number): void {
    this.#target = Math.max(this.#target, revision);
    if (!this.#pending) this.#advance();
  }

  /** Notes that nothing of this resource has changed between the revision that the feed was told last and this one. */
  pass(revision: number): void {
    if (this.position >= this.#target) this.position = Math.max(this.position, revision);
    this.#target = Math.max(this.#target, revision);
    this.#endBehindLast();
  }

  /** Ends each watch as soon as it has everything up to a revision, and after a while in any case. */
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
        handing.then((position) => this.#handedOn(position, performance.now())).catch((error) => this.#failed(error, began));
        return;
      }
      this.#handedOn(handing, began);
    } catch (error) {
      this.#failed(error, began);
    }
  }

  /** @param began when this thread began to hand the slice on, of `performance.now()` */
  #handedOn(position: number, began: number): void {
    this.position = position;
    this.#write(began);
  }

  /** Ends all watches that have joined with an error, so that none of them misses the changes that could not be read. */
  #failed(error: unknown, began: number): void {
    for (const subscription of [...this.watchers.all()]) subscription.fail(error);
    this.#write(began);
  }

  /** Has those who were told write: as many as a turn has time for, and the others in later turns. The next slice comes behind all of them. */
  #write(began: number): void {
    const { told } = this;
    this.told = [];
    const writing = eachInTurns(told, (subscription) => subscription.flush());
    const handedOn = performance.now() - began;
    const longest = told.length * LONGEST_WRITE;
    const rest = (): void => this.#rest(Math.max(handedOn, Math.min(performance.now() - began, longest)));
    // behind this turn, when connections have gone on writing
    if (writing === undefined) setImmediate(rest);
    else
      writing.then(
        () => setImmediate(rest),
        (error) => this.#failed(error, began),
      );
  }

  /** @param busy milliseconds that writing the last slice took */
  #rest(busy: number): void {
    if (busy < LONG_WRITING || this.position < this.#target) this.#advance();
    else setTimeout(() => this.#advance(), Math.min(Math.max(busy, Math.min(2 * busy, DOUBLE_REST)), LONGEST_REST));
  }

  /** See `SubscribedFeed.replay`. */
  replay(since: number, subscription: Subscription): number | Promise<number> {
    return this.#slice(since, (event, pass) => subscription.take(event, pass));
  }

  /** Calls `take` with the changes of one slice after `since`, as long as it takes more. @returns the revision up to which it has taken all */
  #slice(since: number, take: Take): number | Promise<number> {
    // asked for before the changes are read, so that these have all changes up to it
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

  /**
   * @param events the first changes after `since`, no more than `SLICE` of them
   * @param newest where there are fewer than `SLICE`, the revision up to which these are all
   */
  #handOn(since: number, newest: number, events: Iterable<WatchEvent>, take: Take): number {
    const deadline = performance.now() + SLICE_MILLISECONDS;
    let last = since;
    let count = 0;
    let bytes = 0;
    let isEnough = false;
    const pass = {};
    for (const event of events) {
      const isNext = event.revision > last;
      if (isNext && isEnough) return last;
      if (!take(event, pass)) return last;
      last = event.revision;
      count++;
      bytes += event.stored.bytes.length;
      isEnough = bytes >= SLICE_BYTES || performance.now() >= deadline;
    }
    return count < SLICE ? Math.max(last, newest) : last;
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

/** Makes the same events with other values. @param values for each event its object, followed by its previous object if it has one */
function withValues(events: readonly WatchEvent[], values: readonly Buffer[]): WatchEvent[] {
  let next = 0;
  return events.map((event) => ({
    ...event,
    stored: new StoredObject(values[next++] as Buffer),
    previous: event.previous === undefined ? undefined : new StoredObject(values[next++] as Buffer),
  }));
}

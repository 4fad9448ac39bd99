/** The feed of one resource: it reads the changes of the store once, and hands them on to all who have joined. */
import { keptValue, resourcePrefix, type Storage } from '../storage/storage.ts';
import { splitKey } from './selection.ts';
import { StoredObject } from './stored-object.ts';
import type { SubscribedFeed, Subscription, WatchEvent } from './watch-subscription.ts';
import { type FieldsOf, WatcherIndex } from './watcher-index.ts';

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
/** Milliseconds at most that one write is taken to have lasted behind the turn in which it was made, where other work comes between. */
const LONGEST_WRITE = 0.1;

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

/** @param pass as in `Subscription.take`. @returns whether it takes more */
type Take = (event: WatchEvent, pass: object) => boolean;

/** The changes of one resource. */
export class Feed implements SubscribedFeed {
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

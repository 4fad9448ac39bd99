/** One client's watch: selects, encodes, sends bookmarks, and closes itself when its time is over or the client cannot keep up. */

import { LONGEST_TIMER } from '../../contract/longest-timer.ts';
import { turn } from '../../event-loop/turns.ts';
import type { WatchSeries } from '../../observability/watch-metrics.ts';
import { nextSlice, type ObjectList } from '../../registry/lists/list.ts';
import { watchedOf } from '../../registry/resources/resource.ts';
import { type Selection, splitKey } from '../../registry/selection/selection.ts';
import { NAMESPACE_FIELD, type Trigger } from '../../registry/selection/watcher-index.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import type { FeedSource } from '../../registry/watch/watch-feed.ts';
import type { Subscription, WatchEvent, Watcher } from '../../registry/watch/watch-subscription.ts';
import { newExpired, newInternalError, type Status, StatusError } from '../../status/status.ts';
import { RevisionCompacted } from '../../storage/errors.ts';
import type { Entry } from '../../storage/storage.ts';
import type { EventType, Frame } from '../answers/watch-frame.ts';
import type { ResourceRequest } from '../resource-request.ts';
import type { EventSink } from './event-sink.ts';
import type { Framed, WatchEventEncoder } from './watch-event-encoder.ts';

/** Bytes that may wait for one client; a client that has more to take gets it from the store once these are gone. */
const MAX_BUFFERED = 1024 * 1024;
/** Milliseconds that a client may take for them; a slower one is closed and comes back with its last resourceVersion. */
const SLOW_LIMIT = 5_000;
/** The same of the objects that are there, which many watchers may ask for at once: as long as for a list. */
const MAX_BUFFERED_STATE = 256 * 1024;
const SLOW_STATE_LIMIT = 60_000;
/** Milliseconds between bookmarks, and before the end of a watch at which there is one more, as in 1.32. */
const BOOKMARK_INTERVAL = 60_000;
const BOOKMARK_BEFORE_END = 2_000;

export class WatchStream implements Watcher<Framed> {
  readonly namespace: string;
  readonly trigger: Trigger | undefined;
  readonly #request: ResourceRequest;
  readonly #selection: Selection;
  readonly #bookmarks: boolean;
  readonly #sink: EventSink;
  readonly #frames: WatchEventEncoder;
  readonly #source: FeedSource;
  readonly #series: WatchSeries;
  /** As in 1.32 a watch that asks for the form of a list ends where its first event would be, because no event has it. */
  readonly #endsAtEvent: boolean;
  /** delivered and not written yet */
  #unwritten: Frame[] = [];
  #unwrittenBytes = 0;
  #subscription: Subscription | undefined;
  #endTimer: NodeJS.Timeout | undefined;
  #bookmarkTimer: NodeJS.Timeout | undefined;
  #slowTimer: NodeJS.Timeout | undefined;
  #onDrained: (() => void) | undefined;
  #awaitsFrame = false;
  /** a bookmark that another thread makes: what is delivered meanwhile follows it */
  #own: Promise<void> | undefined;
  /** milliseconds of `performance.now()` */
  #endsAt = Number.POSITIVE_INFINITY;
  #closed = false;

  /** @param bookmarks whether the client asked for them */
  constructor(request: ResourceRequest, selection: Selection, bookmarks: boolean, frames: WatchEventEncoder, sink: EventSink) {
    const { resource, info, store } = request;
    const namespaced = resource.data.scope === 'Namespaced';
    this.namespace = namespaceOf(request);
    this.trigger = selection.trigger ?? (this.namespace === '' ? undefined : { field: NAMESPACE_FIELD, value: info.namespace });
    this.#request = request;
    this.#selection = selection;
    this.#bookmarks = bookmarks;
    this.#sink = sink;
    this.#frames = frames;
    this.#series = request.server.measured.watches(resource);
    this.#endsAtEvent = request.negotiated.transform === 'PartialObjectMetadataList';
    this.#source = {
      of: watchedOf(resource),
      prefix: store.prefix('').slice(0, -1),
      namespaced,
      fieldsOf: store.fieldsOf,
      ...(store.converts && { view: resource, converted: (values) => store.converted(values) }),
    };
    sink.onClose(() => this.#close());
    sink.onDrain(() => this.#drained());
  }

  /** Synthetic ADDED events for all that is there, as fast as the client takes them. */
  async sendState(objects: ObjectList): Promise<void> {
    const { prefix, namespaced } = this.#source;
    const framed = ({ key, revision, value }: Entry): Framed =>
      this.#frames.frame('ADDED', {
        operation: 'create',
        revision,
        ...splitKey(key, prefix, namespaced),
        stored: new StoredObject(Buffer.from(value)),
        previous: undefined,
        frames: new Map(),
      });
    let made: Frame | undefined;
    let sent = 0;
    const slices = objects.slices({
      prepared: {
        isFor: (entry) => this.#frames.mayTakeLong(entry),
        async prepare(entry) {
          made = await framed(entry);
        },
      },
      add: (entry) => {
        const frame = made ?? (framed(entry) as Frame);
        made = undefined;
        sent++;
        return this.#add(frame);
      },
    });
    for (let done = false; !done && !this.#closed; ) {
      done = !(await nextSlice(slices));
      this.flush();
      if (this.#sink.buffered >= MAX_BUFFERED_STATE) await this.#request.client.rests(this.#untilDrained());
      await turn();
    }
    this.#series.sentState(sent);
  }

  #untilDrained(): Promise<void> {
    return new Promise((resolve) => this.#waitForClient(resolve, SLOW_STATE_LIMIT));
  }

  /** Sends every change after a revision, for a number of seconds from now on. */
  follow(since: number, seconds: number): void {
    if (this.#closed) return;
    const milliseconds = Math.min(seconds * 1_000, LONGEST_TIMER);
    this.#endsAt = performance.now() + milliseconds;
    this.#endTimer = setTimeout(() => this.end(), milliseconds);
    this.#scheduleBookmark();
    this.#subscription = this.#request.server.watchHub.subscribe(this.#source, since, this);
    this.#subscription.resume();
  }

  deliver(event: WatchEvent<Framed>): boolean {
    const type = this.#typeOf(event);
    if (type === undefined) return true;
    try {
      const own = this.#own;
      const frame = own === undefined ? this.#frames.frame(type, event) : own.then(() => this.#frames.frame(type, event));
      if (frame instanceof Promise) {
        this.#waitForFrame(frame);
        return false;
      }
      this.#add(frame);
    } catch (error) {
      this.fail(error);
      return false;
    }
    if (this.#sink.buffered + this.#unwrittenBytes < MAX_BUFFERED) return true;
    this.#goOnDrained();
    return false;
  }

  #goOnDrained(): void {
    this.flush();
    this.#waitForClient(() => this.#subscription?.resume(), SLOW_LIMIT);
  }

  /** Nothing more is delivered until it is there. */
  #waitForFrame(framing: Promise<Frame>): void {
    this.#awaitsFrame = true;
    framing.then(
      (frame) => {
        this.#awaitsFrame = false;
        if (this.#closed) return;
        this.#add(frame);
        if (this.#sink.buffered + this.#unwrittenBytes >= MAX_BUFFERED) return this.#goOnDrained();
        this.flush();
        this.#subscription?.resume();
      },
      (error) => this.fail(error),
    );
  }

  /** @returns its bytes */
  #add(frame: Frame): number {
    if (this.#endsAtEvent) this.end();
    else this.#append(frame);
    return frame.length;
  }

  #append(frame: Frame): void {
    this.#unwritten.push(frame);
    this.#unwrittenBytes += frame.length;
    this.#series.sent(frame.length);
  }

  flush(): void {
    if (this.#unwritten.length === 0) return;
    this.#sink.write(this.#unwritten);
    this.#unwritten = [];
    this.#unwrittenBytes = 0;
  }

  /** What the change is, seen from the selection; undefined when it is outside before and after. */
  #typeOf({ operation, namespace, name, stored, previous }: WatchEvent<Framed>): EventType | undefined {
    const selection = this.#selection;
    if (selection.everything) return operation === 'create' ? 'ADDED' : operation === 'update' ? 'MODIFIED' : 'DELETED';
    const after = operation !== 'delete' && selection.matches(namespace, name, stored);
    const before = previous !== undefined && selection.matches(namespace, name, previous);
    if (after) return before ? 'MODIFIED' : 'ADDED';
    return before ? 'DELETED' : undefined;
  }

  /** Nothing more is sent until the client has taken what waits for it; it has a limited time for that. */
  #waitForClient(then: () => void, limit: number): void {
    this.#onDrained = then;
    this.#slowTimer = setTimeout(() => this.#closeSlow(), limit);
  }

  #drained(): void {
    const then = this.#onDrained;
    if (then === undefined) return;
    this.#onDrained = undefined;
    clearTimeout(this.#slowTimer);
    then();
  }

  #closeSlow(): void {
    const { server, info } = this.#request;
    server.log.info({ path: info.path, buffered: this.#sink.buffered }, 'a watcher is too slow and was closed');
    this.#series.terminated();
    this.#sink.destroy();
    this.#close();
  }

  #scheduleBookmark(): void {
    if (!this.#bookmarks) return;
    const left = this.#endsAt - BOOKMARK_BEFORE_END - performance.now();
    if (left <= 0) return;
    const wait = Math.min(BOOKMARK_INTERVAL, left);
    this.#bookmarkTimer = setTimeout(() => {
      this.#sendBookmark();
      if (wait < left) this.#scheduleBookmark();
    }, wait);
  }

  /**
   * Sends a bookmark with the revision up to which the client has everything. A watch that waits for its client, for a frame, or for a version in the future
   * sends none.
   */
  #sendBookmark(): void {
    const { storage } = this.#request.server;
    const revision = this.#subscription?.position;
    if (revision === undefined || this.#onDrained !== undefined || this.#awaitsFrame || revision > storage.currentRevision()) return;
    if (this.#own !== undefined) return;
    const frame = this.#frames.bookmark(revision);
    if (frame instanceof Promise) this.#own = frame.then((made) => this.#writeOwn(made)).catch((error) => this.fail(error));
    else this.#writeOwn(frame);
  }

  /** One that is about no change, behind the events that are not written yet. */
  #writeOwn(frame: Frame): void {
    this.#own = undefined;
    if (this.#closed) return;
    if (this.#endsAtEvent) return this.end();
    this.#append(frame);
    this.flush();
  }

  /** Marks the end of the state, of a streaming list. @param blueprint as of `WatchEventEncoder.endOfState` */
  endState(revision: number, blueprint: string | undefined): void {
    if (this.#closed) return;
    const { server, client, resource } = this.#request;
    this.#writeOwn(this.#frames.endOfState(revision, blueprint));
    server.measured.listed(client, resource);
  }

  /** An error event, then the end: the status line is out already. */
  fail(error: unknown): void {
    if (this.#closed) return;
    this.#append(this.#frames.error(this.#statusOf(error)));
    this.end();
  }

  #statusOf(error: unknown): Status {
    if (error instanceof StatusError) return error.status;
    if (error instanceof RevisionCompacted)
      return newExpired(`too old resource version: ${error.revision} (${error.compactedRevision})`).status;
    const id = this.#request.client.id;
    this.#request.server.log.error({ err: error, requestId: id }, 'a watch failed');
    return newInternalError(id).status;
  }

  end(): void {
    if (this.#closed) return;
    this.flush();
    this.#sink.end();
    this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#endTimer);
    clearTimeout(this.#bookmarkTimer);
    clearTimeout(this.#slowTimer);
    this.#subscription?.stop();
    // a state that is being sent goes on, and ends
    this.#onDrained?.();
  }
}

/** '' for all. Under `namespaces` the legacy path of one namespace looks as if it were one of things in that namespace. */
export function namespaceOf({ resource, info }: ResourceRequest): string {
  return resource.data.scope === 'Namespaced' ? info.namespace : '';
}

import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { ObjectList } from '../../registry/list.ts';
import { parseResourceVersion } from '../../registry/resource-version.ts';
import { compileSelection, type Selection, splitKey } from '../../registry/selection.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import type { WatchEvent } from '../../registry/watch-hub.ts';
import { newExpired, newInternalError, type Status, StatusError } from '../../status/status.ts';
import { RevisionCompacted } from '../../storage/errors.ts';
import { drained } from '../drain.ts';
import { listOptions } from '../options.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { type EventType, FrameEncoder } from '../watch-frames.ts';

/** Bytes that may wait for one client; a slower one is closed and comes back with its last resourceVersion. */
const MAX_BUFFERED = 4 * 1024 * 1024;
/** Seconds; a watch without timeoutSeconds ends at a random time between this and twice it, so that clients spread. */
const MIN_WATCH_SECONDS = 1_800;
/** Milliseconds; what a timer can hold. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** Milliseconds between bookmarks. */
const BOOKMARK_INTERVAL = 60_000;

/** GET with `watch`, and the legacy paths: a stream of events that lasts until a timeout, the client, or the server ends it. */
export async function watch(request: ResourceRequest): Promise<void> {
  const { server, store, info, resource } = request;
  const options = listOptions(info.query, true, server.identity);
  const fieldSelector = info.name === '' ? options.fieldSelector : `metadata.name=${info.name}`;
  const selection = compileSelection(resource, options.labelSelector, fieldSelector);
  const wanted = parseResourceVersion(options.resourceVersion) ?? 0;
  const initial = options.sendInitialEvents ?? wanted === 0;
  if (!initial && wanted > 0 && wanted < server.storage.compactedRevision()) throw tooOld(wanted, server.storage.compactedRevision());
  const stream = new WatchStream(request, selection, options.allowWatchBookmarks);
  const seconds = options.timeoutSeconds > 0 ? options.timeoutSeconds : MIN_WATCH_SECONDS * (1 + Math.random());
  stream.open();
  try {
    let since = wanted > 0 ? wanted : server.storage.currentRevision();
    if (initial) {
      const objects = await ObjectList.open(store, server.storage, server.identity, {
        namespace: namespaceOf(request),
        labelSelector: options.labelSelector,
        fieldSelector,
        resourceVersion: options.sendInitialEvents === true ? options.resourceVersion : '',
        resourceVersionMatch: '',
        limit: 0,
        continue: '',
      });
      since = objects.revision;
      await stream.sendState(objects);
      if (options.sendInitialEvents === true) stream.bookmark(since, true);
    }
    const source = { prefix: store.prefix('').slice(0, -1), namespaced: resource.data.scope === 'Namespaced' };
    stream.limit(seconds);
    stream.after = since;
    stream.onClose(await server.watchHub.subscribe(source, since, stream));
  } catch (error) {
    stream.fail(error);
  }
}

function tooOld(revision: number, compacted: number): StatusError {
  return newExpired(`too old resource version: ${revision} (${compacted})`);
}

/** '' for all. Under `namespaces` the legacy path of one namespace looks as if it were one of things in that namespace. */
function namespaceOf({ resource, info }: ResourceRequest): string {
  return resource.data.scope === 'Namespaced' ? info.namespace : '';
}

/** One client's watch: selects, encodes, and closes itself when the client cannot keep up. */
class WatchStream {
  readonly namespace: string;
  /** events up to this revision are none of this client's: it has them, or asked for the future */
  after = 0;
  readonly #request: ResourceRequest;
  readonly #selection: Selection;
  readonly #bookmarks: boolean;
  readonly #response: ServerResponse;
  readonly #frames: FrameEncoder;
  #timer: NodeJS.Timeout | undefined;
  #bookmarkTimer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;
  #closed = false;
  /** the last write went beyond what the connection takes at once */
  #full = false;

  constructor(request: ResourceRequest, selection: Selection, bookmarks: boolean) {
    this.namespace = namespaceOf(request);
    this.#request = request;
    this.#selection = selection;
    this.#bookmarks = bookmarks;
    this.#response = request.context.res;
    this.#frames = new FrameEncoder(request);
  }

  open(): void {
    const { context, server, negotiated } = this.#request;
    context.respond = false;
    this.#response.statusCode = 200;
    this.#response.setHeader('content-type', server.negotiator.streamContentType(negotiated));
    this.#response.setHeader('cache-control', 'no-cache, private');
    this.#response.flushHeaders();
    this.#response.on('close', () => this.#close());
    this.#response.on('error', () => this.#close());
    if (this.#bookmarks) {
      this.#bookmarkTimer = setInterval(() => this.bookmark(this.#request.server.storage.currentRevision(), false), BOOKMARK_INTERVAL);
    }
  }

  /** Ends the stream after a while; its initial state does not count. */
  limit(seconds: number): void {
    if (!this.#closed) this.#timer = setTimeout(() => this.#finish(), Math.min(seconds * 1000, LONGEST_TIMER));
  }

  onClose(unsubscribe: () => void): void {
    this.#unsubscribe = unsubscribe;
    if (this.#closed) unsubscribe();
  }

  /** Synthetic ADDED events for all that is there. */
  async sendState(objects: ObjectList): Promise<void> {
    const prefix = this.#request.store.prefix('').slice(0, -1);
    const namespaced = this.#request.resource.data.scope === 'Namespaced';
    const slices = objects.slices((entry) => {
      const event: WatchEvent = {
        operation: 'create',
        revision: entry.revision,
        ...splitKey(entry.key, prefix, namespaced),
        stored: new StoredObject(Buffer.from(entry.value)),
        previous: undefined,
        frames: new Map(),
      };
      const frame = this.#frames.frame('ADDED', event);
      this.#write(frame, Number.POSITIVE_INFINITY);
      return frame.length;
    });
    while (slices.next().done !== true && !this.#closed) {
      if (this.#full) await drained(this.#response, this.#response);
      this.#full = false;
      await turn();
    }
  }

  deliver(event: WatchEvent): void {
    if (this.#closed || event.revision <= this.after) return;
    const type = this.#typeOf(event);
    if (type === undefined) return;
    try {
      this.#write(this.#frames.frame(type, event), MAX_BUFFERED);
    } catch (error) {
      this.fail(error);
    }
  }

  /** What the change is, seen from the selection; undefined when it is outside before and after. */
  #typeOf(event: WatchEvent): EventType | undefined {
    if (this.#selection.everything) return event.operation === 'create' ? 'ADDED' : event.operation === 'update' ? 'MODIFIED' : 'DELETED';
    const after = event.operation !== 'delete' && this.#selection.matches(event.namespace, event.name, event.stored);
    const before = event.previous !== undefined && this.#selection.matches(event.namespace, event.name, event.previous);
    if (after) return before ? 'MODIFIED' : 'ADDED';
    return before ? 'DELETED' : undefined;
  }

  /** @param initialEnd marks the end of the initial state of a streaming list */
  bookmark(revision: number, initialEnd: boolean): void {
    if (this.#closed || !this.#bookmarks) return;
    this.#write(this.#frames.bookmark(revision, initialEnd), MAX_BUFFERED);
  }

  #write(frame: Buffer, limit: number): void {
    if (this.#closed) return;
    if (!this.#response.write(frame)) this.#full = true;
    if (this.#response.writableLength > limit) {
      this.#request.server.log.info(
        { path: this.#request.info.path, buffered: this.#response.writableLength },
        'a watcher is too slow and was closed',
      );
      this.#response.destroy();
      this.#close();
    }
  }

  /** An error event, then the end: the status line is out already. */
  fail(error: unknown): void {
    if (this.#closed) return;
    this.#write(this.#frames.error(this.#statusOf(error)), Number.POSITIVE_INFINITY);
    this.#finish();
  }

  #statusOf(error: unknown): Status {
    if (error instanceof StatusError) return error.status;
    if (error instanceof RevisionCompacted) return tooOld(error.revision, error.compactedRevision).status;
    const id = String(this.#request.context.state.requestId);
    this.#request.server.log.error({ err: error, requestId: id }, 'a watch failed');
    return newInternalError(id).status;
  }

  end(): void {
    this.#finish();
  }

  #finish(): void {
    if (this.#closed) return;
    this.#response.end();
    this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#bookmarkTimer);
    this.#unsubscribe?.();
  }
}

/**
 * Tells all objects of a resource and every later change of them, for as long as it runs, whatever happens to connections and servers.
 *
 * It begins with a streaming list where the server has that: a watch that begins with what there is. Else it lists in pages, and watches from there. A
 * watch that ends goes on from the last change or bookmark. Where the server no longer keeps what follows (410), or what follows cannot be read, all objects are
 * told again.
 */
import { ApiError, isGone } from '../objects/api-error.ts';
import { parseJson } from '../objects/json.ts';
import type { AnyObject, ListMetadata } from '../objects/object.ts';
import { answerOf, itemsOf } from '../resources/answer-json.ts';
import { BackOff } from '../resources/back-off.ts';
import { IdleLimit, WatchStalled } from '../resources/idle-limit.ts';
import type { ListOptions } from '../resources/options.ts';
import { listParameters, type QueryParameters, watchParameters } from '../resources/query.ts';
import type { Requester } from '../resources/requester.ts';
import { LASTED, WATCH_BACK_OFF, watchSeconds } from '../resources/resumed-watch.ts';
import { type WatchLine, watchLines } from '../resources/watch-lines.ts';
import { readChunks } from '../transport/read-body.ts';
import { ConnectionError } from '../transport/transport.ts';
import { ListScanner } from './list-scanner.ts';
import { mayGoOn } from './watch-failures.ts';

export interface Reflected {
  readonly client: Requester;
  /** of the collection */
  path(name: undefined, ...parameters: readonly QueryParameters[]): string;
}

export interface ReflectorOptions extends Pick<ListOptions, 'labels' | 'fields'> {
  /** whether it asks for streaming lists */
  readonly streaming: boolean;
  /** objects of a page of a list; 0: all at once */
  readonly pageSize: number;
  /** milliseconds without a word of the server after which a connection counts as broken */
  readonly idleTimeout: number;
  /** media types of the answers; absent: JSON */
  readonly accept?: string;
}

/** What a reflector tells, in its order. */
export interface ReflectorSink {
  /** All objects follow. What was told before and does not follow is gone, once `listed` says so. May come again before that. */
  listing(): void;
  /** @param json UTF-8, part of a larger piece: what is kept of it is copied */
  object(json: Buffer): void;
  listed(): void;
  /** @returns the version of the object */
  changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', json: Buffer): string | undefined;
  /** What went wrong; the reflector goes on. */
  failed(error: unknown): void;
}

/** Annotation of the bookmark that ends what there was, in a streaming list. */
const INITIAL_EVENTS_END = '${groupDomain}/initial-events-end';
/** Milliseconds of silence in a streaming list: servers that do not know it send what there is, and say nothing then. */
const STREAM_SILENCE = 10_000;
/** Of a server that knows streaming lists and has them turned off. */
const STREAMS_REFUSED: ReadonlySet<number> = new Set([400, 422]);
/** Streaming lists that broke; pages are tried then, of which one can be read again. */
const MAX_BROKEN_STREAMS = 2;
/** Times that one page is tried. */
const PAGE_ATTEMPTS = 6;

export class Reflector {
  readonly #reflected: Reflected;
  readonly #options: ReflectorOptions;
  readonly #sink: ReflectorSink;
  readonly #backOff = new BackOff(WATCH_BACK_OFF);
  #streams: boolean;
  #brokenStreams = 0;
  /** when the watch began, or what comes before it: reading all objects takes its time, whatever becomes of the watch */
  #began = 0;
  /** up to which everything was told; undefined: nothing was, or what follows is no longer kept */
  #version: string | undefined;

  constructor(reflected: Reflected, options: ReflectorOptions, sink: ReflectorSink) {
    this.#reflected = reflected;
    this.#options = options;
    this.#sink = sink;
    this.#streams = options.streaming;
  }

  /** of the last change or bookmark; undefined before the first list */
  get resourceVersion(): string | undefined {
    return this.#version;
  }

  /** Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#began = performance.now();
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!mayGoOn(error)) this.#version = undefined;
        this.#sink.failed(error);
      }
      if (performance.now() - this.#began > LASTED) this.#backOff.reset();
      await this.#backOff.wait(signal).catch(() => {});
    }
  }

  /** Until the server ends a watch, or something fails. */
  async #follow(signal: AbortSignal): Promise<void> {
    if (this.#version === undefined) {
      if (this.#streams && this.#brokenStreams < MAX_BROKEN_STREAMS && (await this.#stream(signal))) return;
      this.#version = await this.#list(signal);
      this.#brokenStreams = 0;
      this.#began = performance.now();
    }
    for await (const lines of this.#watch({ resourceVersion: this.#version }, () => this.#options.idleTimeout, signal)) this.#tell(lines);
  }

  #watch(parameters: QueryParameters, idleTimeout: () => number, signal: AbortSignal): AsyncGenerator<WatchLine[], void> {
    const path = this.#reflected.path(undefined, { ...watchParameters(this.#options), timeoutSeconds: watchSeconds(), ...parameters });
    return watchLines(this.#reflected.client, { path, signal, idleTimeout, ...this.#accept });
  }

  get #accept(): { accept?: string } {
    const { accept } = this.#options;
    return accept === undefined ? {} : { accept };
  }

  #tell(lines: readonly WatchLine[]): void {
    for (const { type, json } of lines) {
      const version = type === 'BOOKMARK' ? bookmarkOf(json).metadata?.resourceVersion : this.#sink.changed(type, json);
      this.#version = version ?? this.#version;
    }
    if (lines.length > 0) this.#backOff.reset();
  }

  /** @returns false where the server has no streaming lists */
  async #stream(signal: AbortSignal): Promise<boolean> {
    const parameters = { resourceVersionMatch: 'NotOlderThan', sendInitialEvents: true };
    let isListed = false;
    const silence = (): number => (isListed ? this.#options.idleTimeout : Math.min(STREAM_SILENCE, this.#options.idleTimeout));
    this.#sink.listing();
    try {
      for await (const lines of this.#watch(parameters, silence, signal)) {
        if (isListed) {
          this.#tell(lines);
          continue;
        }
        const end = lines.findIndex(({ type }) => type === 'BOOKMARK');
        this.#tellInitial(end < 0 ? lines : lines.slice(0, end));
        if (end < 0) continue;
        const bookmark = bookmarkOf((lines[end] as WatchLine).json);
        if (!this.#endsList(bookmark)) return this.#doWithoutStreams();
        this.#version = bookmark.metadata?.resourceVersion;
        this.#brokenStreams = 0;
        isListed = true;
        this.#began = performance.now();
        this.#sink.listed();
        this.#tell(lines.slice(end + 1));
      }
      return true;
    } catch (error) {
      if (isListed || signal.aborted) throw error;
      if (error instanceof WatchStalled || (error instanceof ApiError && STREAMS_REFUSED.has(error.code))) return this.#doWithoutStreams();
      this.#brokenStreams++;
      throw error;
    }
  }

  /** Changes that happen while a server gathers what there is come before the end of that. */
  #tellInitial(lines: readonly WatchLine[]): void {
    for (const { type, json } of lines)
      if (type === 'DELETED') this.#sink.changed(type, json);
      else this.#sink.object(json);
  }

  #doWithoutStreams(): false {
    this.#streams = false;
    return false;
  }

  #endsList({ metadata }: Bookmark): boolean {
    return metadata?.annotations?.[this.#reflected.client.identity.text(INITIAL_EVENTS_END)] === 'true';
  }

  /** @returns the version of the list */
  async #list(signal: AbortSignal): Promise<string> {
    const { pageSize } = this.#options;
    this.#sink.listing();
    let page = await this.#page(pageSize === 0 ? {} : { limit: pageSize }, signal);
    while (page.continue) {
      try {
        page = await this.#page({ limit: pageSize, continue: page.continue }, signal);
      } catch (error) {
        if (!isGone(error)) throw error;
        // reading takes longer than the server keeps what the next page needs
        this.#sink.listing();
        page = await this.#page({}, signal);
      }
    }
    this.#sink.listed();
    return page.resourceVersion;
  }

  /**
   * A page whose connection breaks is read again: what was told of it already is told again. Without a token to continue by it is one of a later time: what
   * was told may be gone by then, so the list begins anew.
   */
  async #page(parameters: QueryParameters, signal: AbortSignal): Promise<ListMetadata> {
    for (let attempts = 1; ; attempts++)
      try {
        return await this.#readPage(parameters, signal);
      } catch (error) {
        if (!(error instanceof ConnectionError) || attempts >= PAGE_ATTEMPTS) throw error;
        this.#sink.failed(error);
        await this.#backOff.wait(signal);
        if (parameters.continue === undefined) this.#sink.listing();
      }
  }

  async #readPage(parameters: QueryParameters, ending: AbortSignal): Promise<ListMetadata> {
    const path = this.#reflected.path(undefined, listParameters(this.#options), parameters);
    const what = `GET ${path.split('?', 1)[0]}`;
    const limit = new IdleLimit(what, () => this.#options.idleTimeout, ending);
    const { signal } = limit;
    try {
      const answer = await this.#reflected.client.send({ method: 'GET', path, signal, ...this.#accept });
      const scanner = new ListScanner();
      for await (const chunk of readChunks(answer, what, signal)) {
        limit.begin();
        for (const json of scanner.push(chunk)) this.#sink.object(json);
      }
      const list = answerOf<ListEnvelope>(scanner.envelope(), what);
      itemsOf(list, what);
      return { resourceVersion: '', ...list.metadata };
    } finally {
      limit.end();
    }
  }
}

/** Of a list, whose items were taken out. */
interface ListEnvelope {
  readonly metadata?: ListMetadata;
  readonly items?: unknown;
}

const bookmarkOf = (json: Buffer): Bookmark => parseJson<Bookmark>(json.toString());

interface Bookmark extends AnyObject {
  readonly metadata?: AnyObject['metadata'] & { readonly annotations?: Readonly<Record<string, string>> };
}

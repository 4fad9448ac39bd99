/**
 * Reports all objects of a resource and then every change for as long as it runs, across broken connections and restarts of the server.
 *
 * It begins with a streaming list, which is a watch that sends all objects first. If the server has none, it lists in pages and watches from there. A watch that
 * ends is continued from the last change or bookmark. If the server no longer has the changes after that (410), or they cannot be read, all objects are reported
 * again.
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
  /** path of the collection */
  path(name: undefined, ...parameters: readonly QueryParameters[]): string;
}

/** Media types of answers. Servers end a watch without an event if it asks for a form that only lists have. */
export interface AnswerForms {
  readonly list: string;
  readonly watch: string;
}

export interface ReflectorOptions extends Pick<ListOptions, 'labels' | 'fields'> {
  /** whether it tries streaming lists */
  readonly streaming: boolean;
  /** objects per page of a list; 0: all at once */
  readonly pageSize: number;
  /** milliseconds of silence after which a connection counts as broken */
  readonly idleTimeout: number;
  /** absent: JSON */
  readonly accept?: AnswerForms;
}

/** Receives what a reflector reports, in order. */
export interface ReflectorSink {
  /** All objects follow until `listed`. Objects that do not follow no longer exist. If a list has to begin anew, this is called again before `listed`. */
  listing(): void;
  /** @param json UTF-8 in a larger buffer: copy it before you keep it */
  object(json: Buffer): void;
  listed(): void;
  /** @returns the version of the object */
  changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', json: Buffer): string | undefined;
  /** Reports an error after which the reflector goes on. */
  failed(error: unknown): void;
}

/** Annotation of the bookmark behind the last object of a streaming list. */
const INITIAL_EVENTS_END = '${groupDomain}/initial-events-end';
/** The most milliseconds of silence in a streaming list. Servers without streaming lists ignore the option: they send no bookmark, and fall silent. */
const STREAM_SILENCE = 10_000;
/** Status codes by which a server refuses streaming lists because they are turned off. */
const STREAMS_REFUSED: ReadonlySet<number> = new Set([400, 422]);
/** After so many broken streaming lists it lists in pages, because a single page can be read again. */
const MAX_BROKEN_STREAMS = 2;
/** How often one page is tried. */
const PAGE_ATTEMPTS = 6;

export class Reflector {
  readonly #reflected: Reflected;
  readonly #options: ReflectorOptions;
  readonly #sink: ReflectorSink;
  readonly #backOff = new BackOff(WATCH_BACK_OFF);
  #streams: boolean;
  #brokenStreams = 0;
  /** when this round began; it includes the list before the watch, because reading that takes long too */
  #began = 0;
  /** version up to which everything was reported; undefined: a new list is needed */
  #version: string | undefined;

  constructor(reflected: Reflected, options: ReflectorOptions, sink: ReflectorSink) {
    this.#reflected = reflected;
    this.#options = options;
    this.#sink = sink;
    this.#streams = options.streaming;
  }

  /** version of the last change or bookmark; undefined if a new list is needed */
  get resourceVersion(): string | undefined {
    return this.#version;
  }

  /** Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#began = performance.now();
      let failure: unknown;
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        failure = error;
        if (!mayGoOn(error)) this.#version = undefined;
        this.#sink.failed(error);
      }
      if (performance.now() - this.#began > LASTED) this.#backOff.reset();
      await this.#backOff.wait(signal, failure).catch(() => {});
    }
  }

  /** Lists if that is needed, and watches until the server ends the watch or something fails. */
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
    return watchLines(this.#reflected.client, { path, signal, idleTimeout, ...this.#accepting('watch') });
  }

  #accepting(answers: keyof AnswerForms): { accept?: string } {
    const accept = this.#options.accept?.[answers];
    return accept === undefined ? {} : { accept };
  }

  #tell(lines: readonly WatchLine[]): void {
    for (const { type, json } of lines) {
      const version = type === 'BOOKMARK' ? bookmarkOf(json).metadata?.resourceVersion : this.#sink.changed(type, json);
      this.#version = version ?? this.#version;
    }
    if (lines.length > 0) this.#backOff.reset();
  }

  /** @returns false if the server has no streaming lists */
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

  /** Before the bookmark that ends the list, changes may already come, among them deletions. */
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
        // the server no longer has the version of the next page, because reading took too long: so all is read at once
        this.#sink.listing();
        page = await this.#page({}, signal);
      }
    }
    this.#sink.listed();
    return page.resourceVersion;
  }

  /**
   * Reads a page again if its connection breaks; objects of it may then be reported twice. A first page has no token, so it is of a newer version when it is read
   * again: objects that were reported may be gone, so the list begins anew.
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
      const answer = await this.#reflected.client.send({ method: 'GET', path, signal, ...this.#accepting('list') });
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

/** A list without its items. */
interface ListEnvelope {
  readonly metadata?: ListMetadata;
  readonly items?: unknown;
}

const bookmarkOf = (json: Buffer): Bookmark => parseJson<Bookmark>(json.toString());

interface Bookmark extends AnyObject {
  readonly metadata?: AnyObject['metadata'] & { readonly annotations?: Readonly<Record<string, string>> };
}

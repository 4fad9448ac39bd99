/** Knows all objects of a resource, as they are now: a copy of what the server has, which follows every change. Any number of handlers share one. */
import type { AnyObject } from '../objects/object.ts';
import { unlessAborted } from '../timers/unless-aborted.ts';
import { ChangeHandler } from './change-handler.ts';
import { tellListeners } from './error-listeners.ts';
import { type Holder, objectHolder, TextHolder } from './held-objects.ts';
import { type ChangeCause, LazyChange, type ObjectChange } from './object-change.ts';
import { type IndexFunction, keyOf, ObjectStore } from './object-store.ts';
import { type KindOfAll, ReceivedObject } from './received-object.ts';
import { type Reflected, Reflector, type ReflectorOptions } from './reflector.ts';

export interface InformerOptions<T>
  extends Partial<Pick<ReflectorOptions, 'labels' | 'fields' | 'streaming' | 'pageSize' | 'idleTimeout'>> {
  /**
   * `text`, the default, holds objects as JSON: they take the memory of that, and whoever reads one gets an object of their own. `objects` holds them as objects,
   * which several times that memory buys readers the same object each time, at once; nobody may change it.
   */
  readonly hold?: 'text' | 'objects';
  /**
   * What is held of an object, such as one without members that nobody needs. It keeps metadata's name, namespace, uid and resourceVersion. An object for which it
   * throws stays as it was before, if it was there; the listeners of errors are told.
   */
  readonly transform?: (object: T) => T;
  /** Values of each index by which objects are found. An object for which one throws is in no place of that index; the listeners of errors are told. */
  readonly indices?: Readonly<Record<string, IndexFunction<T>>>;
}

export interface HandlerOptions {
  /** milliseconds after which the handler is told of all objects again; absent: never */
  readonly resync?: number;
}

/** A handler that an informer has. */
export interface Registration {
  /** Resolves when the handler has been told of all objects that there were at the beginning. @throws Error where the informer stops before */
  readonly synced: () => Promise<void>;
  /** The handler is told nothing more. */
  remove(): void;
}

/** What of a resource an informer is of. */
export interface InformerSource extends Reflected {
  /** of each object; those of lists do not say it */
  readonly kind: KindOfAll;
  readonly accept?: string;
}

/** How an object came. `isNew`: the server may speak of another object than the one that is known by the name. */
interface Received {
  readonly cause: ChangeCause;
  readonly isNew: boolean;
}

const PAGE = 500;
const IDLE_TIMEOUT = 150_000;

export class InformerStopped extends Error {
  override readonly name = 'InformerStopped';
}

export class Informer<T extends AnyObject> {
  readonly #source: InformerSource;
  readonly #holder: Holder<unknown>;
  readonly #store: ObjectStore;
  readonly #reflector: Reflector;
  readonly #transform: ((object: AnyObject) => AnyObject) | undefined;
  readonly #handlers = new Set<ChangeHandler>();
  readonly #errorListeners = new Set<(error: unknown) => void>();
  readonly #synced = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  #isSynced = false;
  /** keys of the list that is under way, where there were objects before it */
  #listed: Set<string> | undefined;

  /** Use `informer` or `metadataInformer`. */
  constructor(source: InformerSource, options: InformerOptions<T> = {}) {
    const {
      hold = 'text',
      transform,
      indices = {},
      streaming = true,
      pageSize = PAGE,
      idleTimeout = IDLE_TIMEOUT,
      labels,
      fields,
    } = options;
    this.#source = source;
    this.#holder = hold === 'text' ? (new TextHolder(source.kind) as Holder<unknown>) : (objectHolder as Holder<unknown>);
    this.#store = new ObjectStore(this.#holder, (error) => this.#fail(error));
    this.#transform = transform as ((object: AnyObject) => AnyObject) | undefined;
    for (const [name, values] of Object.entries(indices)) this.addIndex(name, values);
    const { accept } = source;
    const reflected = { labels, fields, streaming, pageSize, idleTimeout, ...(accept !== undefined && { accept }) };
    this.#reflector = new Reflector(source, reflected, {
      listing: () => this.#listing(),
      object: (json) => this.#known(this.#received(json), { cause: 'list', isNew: true }),
      listed: () => this.#endList(),
      changed: (type, json) => {
        const received = this.#received(json);
        if (type === 'DELETED') this.#deleted(received);
        else this.#known(received, { cause: 'watch', isNew: type === 'ADDED' });
        return received.metadata.resourceVersion;
      },
      failed: (error) => this.#fail(error),
    });
    // whoever waits is told; nobody may
    this.#synced.promise.catch(() => {});
  }

  /** Begins to follow the server, until it is stopped or its client is closed; again it does nothing. */
  start(): this {
    this.#running ??= this.#run();
    return this;
  }

  async #run(): Promise<void> {
    const { ending } = this.#source.client;
    const stop = (): void => void this.stop();
    ending.addEventListener('abort', stop);
    await this.#reflector.run(this.#ending.signal);
    ending.removeEventListener('abort', stop);
  }

  /** Ends connections and handlers. What it knows stays as it is. */
  async stop(): Promise<void> {
    this.#ending.abort(new InformerStopped('the informer is stopped'));
    this.#synced.reject(this.#ending.signal.reason);
    for (const handler of this.#handlers) handler.remove();
    this.#handlers.clear();
    await this.#running;
  }

  /** Whether it follows the server no longer, and never again: it was stopped, or its client was closed. */
  get isStopped(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Resolves when all objects that there were at the beginning are known. @throws InformerStopped where it is stopped before; the reason of the signal */
  synced(signal?: AbortSignal): Promise<void> {
    if (signal === undefined || this.#isSynced) return this.#synced.promise;
    return unlessAborted(this.#synced.promise, signal);
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Version of the last change or bookmark; undefined before it has all objects for the first time. */
  get resourceVersion(): string | undefined {
    return this.#reflector.resourceVersion;
  }

  /** Objects that it knows. */
  get size(): number {
    return this.#store.size;
  }

  /** @returns undefined where there is no such object */
  get(name: string, namespace?: string): T | undefined {
    return this.getByKey(namespace ? `${namespace}/${name}` : name);
  }

  /** @param key `namespace/name`, or the name alone where there is no namespace */
  getByKey(key: string): T | undefined {
    return this.#store.get(key) as T | undefined;
  }

  has(key: string): boolean {
    return this.#store.has(key);
  }

  /** of all objects, in no particular order; cheaper than the objects */
  keys(): IterableIterator<string> {
    return this.#store.keys();
  }

  /** All objects, each read when it is asked for, in no particular order. */
  values(): Generator<T, void> {
    return this.#store.values() as Generator<T, void>;
  }

  list(): T[] {
    return [...this.values()];
  }

  /** @param values of the objects that are there, and of those to come. @throws Error for a name that another index has */
  addIndex(name: string, values: IndexFunction<T>): void {
    this.#store.addIndex(name, values as IndexFunction<AnyObject>);
  }

  /** @throws Error for an index that there is not */
  keysByIndex(name: string, value: string): string[] {
    return [...this.#store.keysBy(name, value)];
  }

  /** @throws Error for an index that there is not */
  byIndex(name: string, value: string): T[] {
    return this.keysByIndex(name, value).map((key) => this.getByKey(key) as T);
  }

  /**
   * Adds a handler. It is told of all objects that are there as added, and then of every change, once and in its order.
   * What it throws goes to the listeners of errors.
   */
  on(handle: (change: ObjectChange<T>) => void, { resync = 0 }: HandlerOptions = {}): Registration {
    const handled = { keys: () => this.#store.keys(), reader: (key: string) => this.#readerOf(key) };
    const handler = new ChangeHandler(handled, handle as (change: ObjectChange<unknown>) => void, (error) => this.#fail(error), resync);
    this.#handlers.add(handler);
    const begun = handler.begin();
    return {
      synced: async () => {
        await this.synced();
        await begun;
      },
      remove: () => {
        handler.remove();
        this.#handlers.delete(handler);
      },
    };
  }

  /**
   * Adds a listener of what goes wrong: connections that broke, answers of the server that refuse, handlers that threw. The informer goes on whatever it is.
   * Errors that nobody listens for are warnings of the process.
   * @returns removes it
   */
  onError(listener: (error: unknown) => void): () => void {
    this.#errorListeners.add(listener);
    return () => this.#errorListeners.delete(listener);
  }

  #fail(error: unknown): void {
    tellListeners(this.#errorListeners, error);
  }

  #listing(): void {
    this.#listed = this.#store.size > 0 ? new Set() : undefined;
  }

  #endList(): void {
    const listed = this.#listed;
    this.#listed = undefined;
    if (listed !== undefined) for (const key of [...this.#store.keys()]) if (!listed.has(key)) this.#forget(key, 'list');
    this.#isSynced = true;
    this.#synced.resolve();
  }

  #known(received: ReceivedObject, how: Received): void {
    this.#listed?.add(keyOf(received.metadata));
    const object = this.#transformed(received);
    if (object !== undefined) this.#take(object, how);
  }

  #take(object: ReceivedObject, { cause, isNew }: Received): void {
    const { metadata } = object;
    const key = keyOf(metadata);
    const held = this.#store.held(key);
    if (held === undefined) return this.#add(key, object, cause);
    if (isNew) {
      const before = this.#holder.metadata(held);
      if (before.uid !== metadata.uid) {
        this.#forget(key, cause);
        return this.#add(key, object, cause);
      }
      if (before.resourceVersion === metadata.resourceVersion) return;
    }
    const readPrevious = this.#reader(held);
    const now = this.#store.set(key, object);
    if (this.#handlers.size > 0) this.#tell(new LazyChange('MODIFIED', key, cause, this.#reader(now), readPrevious));
  }

  /** @returns undefined where that fails, which is told: others are not to wait for it */
  #transformed(received: ReceivedObject): ReceivedObject | undefined {
    if (this.#transform === undefined) return received;
    const whole = received.read();
    try {
      return ReceivedObject.ofObject(this.#transform(whole), this.#source.kind).complete();
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #add(key: string, object: ReceivedObject, cause: ChangeCause): void {
    const now = this.#store.set(key, object);
    if (this.#handlers.size > 0) this.#tell(new LazyChange('ADDED', key, cause, this.#reader(now)));
  }

  #deleted(received: ReceivedObject): void {
    const key = keyOf(received.metadata);
    if (!this.#store.has(key)) return;
    const object = received.read() as T;
    this.#store.delete(key);
    this.#tell(new LazyChange('DELETED', key, 'watch', () => object));
  }

  /** It is gone, and nobody has told how it was at last. */
  #forget(key: string, cause: ChangeCause): void {
    const held = this.#store.held(key);
    if (held === undefined) return;
    const read = this.#reader(held);
    this.#store.delete(key);
    this.#tell(new LazyChange('DELETED', key, cause, read));
  }

  #received(json: Buffer): ReceivedObject {
    return ReceivedObject.ofJson(json, this.#source.kind);
  }

  #readerOf(key: string): (() => T) | undefined {
    const held = this.#store.held(key);
    return held === undefined ? undefined : this.#reader(held);
  }

  #reader(held: unknown): () => T {
    return this.#holder.reader(held) as () => T;
  }

  #tell(change: ObjectChange<T>): void {
    for (const handler of this.#handlers) handler.tell(change);
  }
}

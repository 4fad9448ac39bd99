/** Keeps a copy of all objects of a resource, which follows every change on the server. Any number of handlers share one informer. */
import type { AnyObject } from '../objects/object.ts';
import { unlessAborted } from '../timers/unless-aborted.ts';
import { ChangeHandler } from './change-handler.ts';
import { tellListeners } from './error-listeners.ts';
import { type Holder, objectHolder, TextHolder } from './held-objects.ts';
import { type ChangeCause, LazyChange, type ObjectChange } from './object-change.ts';
import { type IndexFunction, keyOf, ObjectStore } from './object-store.ts';
import { type KindOfAll, ReceivedObject } from './received-object.ts';
import { type AnswerForms, type Reflected, Reflector, type ReflectorOptions } from './reflector.ts';

export interface InformerOptions<T>
  extends Partial<Pick<ReflectorOptions, 'labels' | 'fields' | 'streaming' | 'pageSize' | 'idleTimeout'>> {
  /**
   * `text`, the default, holds objects as JSON: that takes little memory, and each reader gets an object of their own. `objects` holds parsed objects: that takes
   * several times the memory, but reading costs nothing. All readers then get the same object, which nobody may change.
   */
  readonly hold?: 'text' | 'objects';
  /**
   * Returns what is held of an object, for example without members that nobody needs. It must keep metadata's name, namespace, uid and resourceVersion. If it
   * throws for an object, the former state of that object stays, and the listeners of errors get the error.
   */
  readonly transform?: (object: T) => T;
  /** Functions that return the values of each index. If one throws for an object, that index lacks the object, and the listeners of errors get the error. */
  readonly indices?: Readonly<Record<string, IndexFunction<T>>>;
}

export interface HandlerOptions {
  /** milliseconds after which the handler gets all objects again; absent: never */
  readonly resync?: number;
}

/** A handler that was added to an informer. */
export interface Registration {
  /** Resolves when the handler has got all objects that existed at the beginning. @throws Error if the informer stops before */
  readonly synced: () => Promise<void>;
  /** Removes the handler: it gets no more changes. */
  remove(): void;
}

/** Which objects of a resource an informer keeps. */
export interface InformerSource extends Reflected {
  /** of each object; the items of lists do not state it */
  readonly kind: KindOfAll;
  readonly accept?: AnswerForms;
}

/** How an object came. `isNew`: it may be another object than the known one of that name. */
interface Received {
  readonly cause: ChangeCause;
  readonly isNew: boolean;
}

// Objects of a page, and milliseconds after which a watch that says nothing is asked anew: servers send bookmarks about once a minute.
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
  /** keys of the list that is being read; undefined if the informer had no objects before it */
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
    // a rejection reaches those who wait for it, but it is no error if nobody does
    this.#synced.promise.catch(() => {});
  }

  /** Begins to follow the server until the informer is stopped or its client is closed. Further calls do nothing. */
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

  /** Ends connections and handlers for ever. The objects can still be read. */
  async stop(): Promise<void> {
    this.#ending.abort(new InformerStopped('the informer is stopped'));
    this.#synced.reject(this.#ending.signal.reason);
    for (const handler of this.#handlers) handler.remove();
    this.#handlers.clear();
    await this.#running;
  }

  /** Whether it has ended for ever, because it was stopped or its client was closed. */
  get isStopped(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Resolves when all objects that existed at the beginning are known. @throws InformerStopped if it is stopped before; the reason of the signal */
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

  /** How many objects it knows. */
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

  /** Keys of all objects, in no particular order. They are cheaper to read than the objects. */
  keys(): IterableIterator<string> {
    return this.#store.keys();
  }

  /** All objects in no particular order. Each is parsed only when the iteration reaches it. */
  values(): Generator<T, void> {
    return this.#store.values() as Generator<T, void>;
  }

  list(): T[] {
    return [...this.values()];
  }

  /** Adds an index of present and later objects. @param values returns the values of an object. @throws Error if an index has that name already */
  addIndex(name: string, values: IndexFunction<T>): void {
    this.#store.addIndex(name, values as IndexFunction<AnyObject>);
  }

  /** @throws Error for an unknown index */
  keysByIndex(name: string, value: string): string[] {
    return [...this.#store.keysBy(name, value)];
  }

  /** @throws Error for an unknown index */
  byIndex(name: string, value: string): T[] {
    return this.keysByIndex(name, value).map((key) => this.getByKey(key) as T);
  }

  /**
   * Adds a handler. It gets all present objects as added, and then every change once and in order.
   * Whatever it throws goes to the listeners of errors.
   * @throws InformerStopped if the informer has ended, because nothing would be told any more
   */
  on(handle: (change: ObjectChange<T>) => void, { resync = 0 }: HandlerOptions = {}): Registration {
    this.#ending.signal.throwIfAborted();
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
   * Adds a listener of errors: broken connections, refusals of the server, handlers that throw. The informer goes on after each of them.
   * Errors without a listener become warnings of the process.
   * @returns a function that removes the listener
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

  /** @returns undefined if that fails; the error is reported, and later objects are processed all the same */
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
    // where the transformation fails, handlers get the state that was held
    const object = (this.#transformed(received)?.read() ?? this.#store.get(key)) as T;
    this.#store.delete(key);
    this.#tell(new LazyChange('DELETED', key, 'watch', () => object));
  }

  /** Removes an object whose deletion was not seen. Handlers get the state that was held, because the last one is unknown. */
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

/** Follows the objects of one resource of another API server: lists them, then watches, and does so again where that breaks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isOwned, type OwnedObject, ownedObject } from '../../aggregation/owned-objects.ts';
import { turn } from '../../event-loop/turns.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import type { RemoteRequests } from './remote-requests.ts';

/** Milliseconds until what has failed is tried again; it doubles with each failure, up to the longest. */
const PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
/** The number of objects that are told of in one turn. */
const SLICE = 64;

/** Is told of objects that are owned or being deleted, and of all that go. */
export interface ObjectListener {
  /** @param before as it was told of before; undefined where it was not */
  observe(key: string, now: OwnedObject, before: OwnedObject | undefined): void;
  forget(key: string, before: OwnedObject | undefined, uid: string): void;
}

export interface FollowedResourceParts {
  /** path of the group version */
  readonly root: string;
  readonly resource: string;
  readonly requests: Pick<RemoteRequests, 'page' | 'watch'>;
  readonly listener: ObjectListener;
  readonly failed: (error: unknown) => void;
}

export class FollowedResource {
  readonly #parts: FollowedResourceParts;
  readonly #known = new Map<string, OwnedObject>();
  readonly #ending = new AbortController();
  readonly #looked = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  #waking = new AbortController();

  /** Follows from now on. */
  constructor(parts: FollowedResourceParts) {
    this.#parts = parts;
    this.#running = this.#run();
  }

  /** Resolves when the first look has told of all objects, or has failed. */
  get looked(): Promise<void> {
    return this.#looked.promise;
  }

  /** Tells of all objects again, as of new ones. */
  repeat(): void {
    for (const [key, object] of this.#known) this.#parts.listener.observe(key, object, undefined);
  }

  /** What has failed is tried again at once. */
  wake(): void {
    this.#waking.abort();
  }

  /** Nothing is told of any longer. What is known of the objects says nothing from then on. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#looked.resolve();
    await this.#running;
    for (const [key, object] of this.#known)
      this.#parts.listener.observe(key, { ...object, deleting: true, owners: [], finalizers: [] }, object);
    this.#known.clear();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        let version = await this.#list();
        this.#looked.resolve();
        failures = 0;
        for (;;) {
          version = await this.#watch(version);
          await this.#pause(PAUSE);
        }
      } catch (error) {
        this.#looked.resolve();
        if (signal.aborted) return;
        this.#parts.failed(error);
        await this.#pause(Math.min(LONGEST_PAUSE, PAUSE * 2 ** failures));
      }
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#waking.signal.aborted) this.#waking = new AbortController();
    const signal = AbortSignal.any([this.#ending.signal, this.#waking.signal]);
    await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {});
  }

  get #path(): string {
    const { root, resource } = this.#parts;
    return `${root}/${encodeURIComponent(resource)}`;
  }

  #keyOf({ namespace, name }: OwnedObject): string {
    const { root, resource } = this.#parts;
    const within = namespace === '' ? '' : `/namespaces/${namespace}`;
    return `${root}${within}/${encodeURIComponent(resource)}/${encodeURIComponent(name)}`;
  }

  /** @returns the version of the list */
  async #list(): Promise<string> {
    const seen = new Set<string>();
    for (let next = ''; ; ) {
      const page = await this.#parts.requests.page(this.#path, next);
      this.#ending.signal.throwIfAborted();
      for (const object of page.objects) {
        seen.add(this.#keyOf(object));
        this.#observe(object);
        if (seen.size % SLICE === 0) await turn();
      }
      if (page.next === '') {
        for (const [key, { uid }] of this.#known) if (!seen.has(key)) this.#forget(key, uid);
        return page.resourceVersion;
      }
      next = page.next;
    }
  }

  /** @returns the version up to which everything has been told */
  async #watch(from: string): Promise<string> {
    let version = from;
    for await (const lines of this.#parts.requests.watch(this.#path, from, this.#ending.signal))
      for (const { type, json } of lines) {
        const object = ownedObject(parseNativeJson<unknown>(json.toString()));
        if (object === undefined) continue;
        if (object.resourceVersion !== '') version = object.resourceVersion;
        if (type === 'DELETED') this.#forget(this.#keyOf(object), object.uid);
        else if (type !== 'BOOKMARK') this.#observe(object);
      }
    return version;
  }

  #observe(object: OwnedObject): void {
    const key = this.#keyOf(object);
    const known = this.#known.get(key);
    if (known !== undefined && known.uid !== object.uid) this.#forget(key, known.uid);
    const before = this.#known.get(key);
    if (isOwned(object)) this.#known.set(key, object);
    else this.#known.delete(key);
    if (before !== undefined || isOwned(object)) this.#parts.listener.observe(key, object, before);
  }

  #forget(key: string, uid: string): void {
    const before = this.#known.get(key);
    this.#known.delete(key);
    this.#parts.listener.forget(key, before, uid);
  }
}

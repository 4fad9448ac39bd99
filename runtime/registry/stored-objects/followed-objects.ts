/**
 * Objects of a resource that has few, and that every write asks about: this process remembers them, as they were when the follower was last caught up.
 * Whoever asks several of them about one request catches up once, before the first.
 */
import type { ApiObject } from '../../contract/object.ts';
import { inTurns } from '../../event-loop/turns.ts';
import { isLong, LongObject } from './long-value.ts';
import { parseSlices } from './sliced-reading.ts';
import type { FollowerSink, StoreFollower } from './store-follower.ts';
import { StoredObject } from './stored-object.ts';

export class FollowedObjects implements FollowerSink {
  readonly prefixes: readonly string[];
  readonly #readsLong: boolean;
  /** the objects by their namespaces, which are empty for objects without one */
  readonly #namespaces = new Map<string, FollowedNamespace>();
  #changes = 0;

  private constructor(prefix: string, readsLong: boolean) {
    this.prefixes = [prefix];
    this.#readsLong = readsLong;
  }

  /**
   * @param prefix of the resource's keys
   * @param readsLong whether objects are read that take long: not on a thread that others wait for
   */
  static of(prefix: string, follower: StoreFollower, readsLong: boolean): FollowedObjects {
    const followed = new FollowedObjects(prefix, readsLong);
    follower.add(followed);
    return followed;
  }

  reset(): void {
    this.#changes++;
    this.#namespaces.clear();
  }

  change(key: string, stored: StoredObject | undefined): void {
    this.#changes++;
    const path = key.slice((this.prefixes[0] as string).length + 1);
    const slash = path.indexOf('/');
    const [namespace, name] = slash === -1 ? ['', path] : [path.slice(0, slash), path.slice(slash + 1)];
    let known = this.#namespaces.get(namespace);
    if (stored !== undefined) {
      if (known === undefined) {
        known = new FollowedNamespace();
        this.#namespaces.set(namespace, known);
      }
      known.set(name, new Followed(Buffer.from(stored.bytes)));
    } else if (known?.delete(name) === true) this.#namespaces.delete(namespace);
  }

  /** Another number each time that something has changed. */
  get changes(): number {
    return this.#changes;
  }

  /** Returns the objects of a namespace as they are stored. Nobody may change one. @param namespace empty for objects without one. @throws LongObject */
  in(namespace: string): readonly ApiObject[] {
    return this.#namespaces.get(namespace)?.read(this.#readsLong) ?? NONE;
  }

  /** @returns undefined for one that is not there. @throws LongObject */
  get(namespace: string, name: string): ApiObject | undefined {
    return this.#namespaces.get(namespace)?.objects.get(name)?.read(this.#readsLong);
  }
}

const NONE: readonly ApiObject[] = [];

/** The objects of one namespace, by their names. */
class FollowedNamespace {
  readonly objects = new Map<string, Followed>();
  /** the list of all objects, which is kept as long as none changes */
  #all: readonly ApiObject[] | undefined;

  set(name: string, object: Followed): void {
    this.objects.set(name, object);
    this.#all = undefined;
  }

  /** @returns whether it was the last one */
  delete(name: string): boolean {
    this.#all = undefined;
    return this.objects.delete(name) && this.objects.size === 0;
  }

  /** @throws LongObject */
  read(readsLong: boolean): readonly ApiObject[] {
    this.#all ??= Array.from(this.objects.values(), (followed) => followed.read(readsLong));
    return this.#all;
  }
}

/**
 * One object, which is read when somebody asks for it. A long one is read a little at a time, where others wait for the thread: whoever asks meanwhile is told.
 */
class Followed {
  #bytes: Buffer | undefined;
  #object: ApiObject | undefined;
  #reading: Promise<unknown> | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  read(readsLong: boolean): ApiObject {
    if (this.#object !== undefined) return this.#object;
    const stored = new StoredObject(this.#bytes as Buffer);
    if (!readsLong && isLong(stored.json, 'reading')) {
      const reading = this.#readInTurns(stored.json);
      throw new LongObject(() => reading);
    }
    return this.#keep(stored.parse());
  }

  #readInTurns(json: Buffer): Promise<unknown> {
    this.#reading ??= inTurns(parseSlices(json)).then((object) => this.#keep(object as ApiObject));
    return this.#reading;
  }

  #keep(object: ApiObject): ApiObject {
    this.#object = object;
    this.#bytes = undefined;
    this.#reading = undefined;
    return object;
  }
}

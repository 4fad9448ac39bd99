/** Objects of a resource that has few, and that every write asks about: this process remembers them, at the store's own revision. */
import type { ApiObject } from '../contract/object.ts';
import { requireShort } from './long-value.ts';
import type { FollowerSink, StoreFollower } from './store-follower.ts';
import { StoredObject } from './stored-object.ts';

export class FollowedObjects implements FollowerSink {
  readonly prefixes: readonly string[];
  readonly #follower: Pick<StoreFollower, 'catchUp'>;
  readonly #readsLong: boolean;
  /** by their keys behind the prefix, in each namespace; '' for what has none */
  readonly #namespaces = new Map<string, Map<string, Followed>>();
  #changes = 0;

  private constructor(prefix: string, follower: StoreFollower, readsLong: boolean) {
    this.prefixes = [prefix];
    this.#follower = follower;
    this.#readsLong = readsLong;
  }

  /**
   * @param prefix of the resource's keys
   * @param readsLong whether objects are read that take long: not on a thread that others wait for
   */
  static of(prefix: string, follower: StoreFollower, readsLong: boolean): FollowedObjects {
    const followed = new FollowedObjects(prefix, follower, readsLong);
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
    let objects = this.#namespaces.get(namespace);
    if (stored !== undefined) {
      if (objects === undefined) {
        objects = new Map();
        this.#namespaces.set(namespace, objects);
      }
      objects.set(name, new Followed(Buffer.from(stored.bytes)));
    } else if (objects?.delete(name) === true && objects.size === 0) this.#namespaces.delete(namespace);
  }

  /** Another number each time that something has changed. */
  get changes(): number {
    this.#follower.catchUp();
    return this.#changes;
  }

  /** As they are stored now; nobody may change one. @param namespace '' for what has none. @throws LongObject */
  in(namespace: string): ApiObject[] {
    this.#follower.catchUp();
    const objects = this.#namespaces.get(namespace);
    return objects === undefined ? [] : Array.from(objects.values(), (followed) => followed.read(this.#readsLong));
  }

  /** @returns undefined for one that is not there. @throws LongObject */
  get(namespace: string, name: string): ApiObject | undefined {
    this.#follower.catchUp();
    return this.#namespaces.get(namespace)?.get(name)?.read(this.#readsLong);
  }
}

/** One object, which is read when somebody asks for it. */
class Followed {
  #bytes: Buffer | undefined;
  #object: ApiObject | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  read(readsLong: boolean): ApiObject {
    if (this.#object !== undefined) return this.#object;
    const stored = new StoredObject(this.#bytes as Buffer);
    if (!readsLong) requireShort(stored.json);
    this.#object = stored.parse();
    this.#bytes = undefined;
    return this.#object;
  }
}

/** The objects that an informer knows, by key and by indices. */
import type { AnyMetadata, AnyObject } from '../objects/object.ts';
import type { Holder } from './held-objects.ts';
import type { ReceivedObject } from './received-object.ts';

/** Returns the values by which an index finds an object. */
export type IndexFunction<T> = (object: T) => readonly (string | undefined)[];

/** `namespace/name`, or the name alone where there is no namespace. */
export function keyOf({ namespace, name = '' }: AnyMetadata): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** Makes one flat string: V8 joins strings by reference, so the result would keep both parts and the joint in memory. */
const inOnePiece = (key: string): string => Buffer.from(key).toString();

export class ObjectStore<H = unknown> {
  readonly #holder: Holder<H>;
  readonly #held = new Map<string, H>();
  readonly #indices = new Map<string, ObjectIndex>();
  readonly #failed: (error: unknown) => void;

  /** @param failed gets what an index throws for an object; the index then lacks the object */
  constructor(holder: Holder<H>, failed: (error: unknown) => void) {
    this.#holder = holder;
    this.#failed = failed;
  }

  get size(): number {
    return this.#held.size;
  }

  has(key: string): boolean {
    return this.#held.has(key);
  }

  get(key: string): AnyObject | undefined {
    const held = this.#held.get(key);
    return held === undefined ? undefined : this.#holder.reader(held)();
  }

  /** @returns what is held of the object until it changes; undefined if there is no such object */
  held(key: string): H | undefined {
    return this.#held.get(key);
  }

  /** in the order in which the objects were added */
  keys(): IterableIterator<string> {
    return this.#held.keys();
  }

  *values(): Generator<AnyObject, void> {
    for (const held of this.#held.values()) yield this.#holder.reader(held)();
  }

  /** @returns what is held of it */
  set(key: string, object: ReceivedObject): H {
    if (this.#indices.size > 0) this.#reindex(key, object.read());
    const before = this.#held.get(key);
    const held = this.#holder.hold(object);
    this.#held.set(before === undefined ? inOnePiece(key) : key, held);
    if (before !== undefined) this.#holder.release(before);
    return held;
  }

  delete(key: string): void {
    if (this.#indices.size > 0) this.#reindex(key, undefined);
    const before = this.#held.get(key);
    this.#held.delete(key);
    if (before !== undefined) this.#holder.release(before);
  }

  /** @throws Error if another index has that name */
  addIndex(name: string, values: IndexFunction<AnyObject>): void {
    if (this.#indices.has(name)) throw new Error(`there is an index ${name} already`);
    const index = new ObjectIndex(values, this.#failed);
    for (const [key, held] of this.#held) index.add(key, this.#holder.reader(held)());
    this.#indices.set(name, index);
  }

  /** @throws Error for an unknown index */
  keysBy(name: string, value: string): Iterable<string> {
    const index = this.#indices.get(name);
    if (index === undefined) throw new Error(`there is no index ${name}`);
    return index.keys(value);
  }

  #reindex(key: string, object: AnyObject | undefined): void {
    const before = this.get(key);
    for (const index of this.#indices.values()) {
      if (before !== undefined) index.remove(key, before);
      if (object !== undefined) index.add(key, object);
    }
  }
}

class ObjectIndex {
  readonly #values: IndexFunction<AnyObject>;
  readonly #keys = new Map<string, Set<string>>();

  readonly #failed: (error: unknown) => void;

  constructor(values: IndexFunction<AnyObject>, failed: (error: unknown) => void) {
    this.#values = values;
    this.#failed = failed;
  }

  keys(value: string): Iterable<string> {
    return this.#keys.get(value) ?? [];
  }

  add(key: string, object: AnyObject): void {
    for (const value of this.#valuesOf(object)) {
      const keys = this.#keys.get(value);
      if (keys === undefined) this.#keys.set(value, new Set([key]));
      else keys.add(key);
    }
  }

  remove(key: string, object: AnyObject): void {
    for (const value of this.#valuesOf(object)) {
      const keys = this.#keys.get(value);
      if (keys?.delete(key) && keys.size === 0) this.#keys.delete(value);
    }
  }
  #valuesOf(object: AnyObject): string[] {
    try {
      return this.#values(object).filter((value) => value !== undefined);
    } catch (error) {
      this.#failed(error);
      return [];
    }
  }
}

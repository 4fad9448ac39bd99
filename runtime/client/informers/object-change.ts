/** What handlers of an informer get. */

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * How the informer learnt of it: from an event of the server (`watch`); from a list of all objects (`list`), so that a deleted object is in the state that was last
 * seen; or from no change at all, because handlers get all objects again from time to time (`resync`).
 */
export type ChangeCause = 'watch' | 'list' | 'resync';

export interface ObjectChange<T> {
  readonly type: ChangeType;
  /** `namespace/name`, or the name alone where there is no namespace */
  readonly key: string;
  /** the object after the change, or before its deletion; all handlers get the same object, so none may change it */
  readonly object: T;
  /** the object before it was modified; it is parsed when a handler asks for it */
  readonly previous: T | undefined;
  readonly cause: ChangeCause;
}

export class LazyChange<T> implements ObjectChange<T> {
  readonly type: ChangeType;
  readonly key: string;
  readonly cause: ChangeCause;
  readonly #readObject: () => T;
  readonly #readPrevious: (() => T) | undefined;
  #object: T | undefined;
  #previous: T | undefined;

  constructor(type: ChangeType, key: string, cause: ChangeCause, readObject: () => T, readPrevious?: () => T) {
    this.type = type;
    this.key = key;
    this.cause = cause;
    this.#readObject = readObject;
    this.#readPrevious = readPrevious;
  }

  get object(): T {
    this.#object ??= this.#readObject();
    return this.#object;
  }

  get previous(): T | undefined {
    this.#previous ??= this.#readPrevious?.();
    return this.#previous;
  }
}

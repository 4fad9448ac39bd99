/** What handlers of an informer are told. */

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * How the informer came to know it: by a change that the server told (`watch`); by what was there, or was no longer, when all objects were listed (`list`), so a
 * deleted object is as it was last seen; by showing all objects again from time to time, unchanged (`resync`).
 */
export type ChangeCause = 'watch' | 'list' | 'resync';

export interface ObjectChange<T> {
  readonly type: ChangeType;
  /** `namespace/name`, or the name alone where there is no namespace */
  readonly key: string;
  /** as the change has left it, or as it was before it was deleted; all handlers see the same object, so none changes it */
  readonly object: T;
  /** as it was before it was modified; read from what the informer held when a handler asks for it */
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

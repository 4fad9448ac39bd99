/** One handler of an informer. It gets all objects that are there already, and then every change; the changes of an object come in their order. */
import { setImmediate as nextRound } from 'node:timers/promises';
import { LongTimer } from '../timers/long-timer.ts';
import { LazyChange, type ObjectChange } from './object-change.ts';

/** The informer's objects, as far as a handler needs them. */
export interface Handled {
  keys(): IterableIterator<string>;
  /** @returns a function that reads the object in its present state, even if it changes later; undefined if there is no such object */
  reader(key: string): (() => unknown) | undefined;
}

/** Milliseconds of work after which the event loop gets a turn. */
const SLICE = 5;

export class ChangeHandler {
  readonly #handled: Handled;
  readonly #handle: (change: ObjectChange<unknown>) => void;
  readonly #failed: (error: unknown) => void;
  #timer: LongTimer | undefined;
  /** keys of the objects that the handler has got so far; undefined when it has got all */
  #told: Set<string> | undefined = new Set();
  #isRemoved = false;
  #isResyncing = false;

  /** @param resync milliseconds after which the handler gets all objects again; 0: never */
  constructor(handled: Handled, handle: (change: ObjectChange<unknown>) => void, failed: (error: unknown) => void, resync: number) {
    this.#handled = handled;
    this.#handle = handle;
    this.#failed = failed;
    if (resync > 0) this.#resyncEach(resync);
  }

  /** Passes on all objects that are there. Changes of objects that were passed on already may come in between. */
  async begin(): Promise<void> {
    const told = this.#told as Set<string>;
    await this.#each((key, read) => {
      // an object that was passed on, deleted and created again appears twice here, but its changes were passed on already
      if (told.has(key)) return;
      told.add(key);
      this.#call(new LazyChange('ADDED', key, 'list', read));
    });
    this.#told = undefined;
  }

  tell(change: ObjectChange<unknown>): void {
    // `begin` will find the other objects in their state at that time
    if (this.#told === undefined || this.#told.has(change.key)) this.#call(change);
  }

  remove(): void {
    this.#isRemoved = true;
    this.#timer?.cancel();
  }

  #resyncEach(milliseconds: number): void {
    this.#timer = new LongTimer(milliseconds, () => {
      this.#resyncEach(milliseconds);
      void this.#resync();
    }).unref();
  }

  async #resync(): Promise<void> {
    if (this.#isResyncing || this.#told !== undefined) return;
    this.#isResyncing = true;
    await this.#each((key, read) => this.#call(new LazyChange('MODIFIED', key, 'resync', read, read)));
    this.#isResyncing = false;
  }

  /** Works in slices of `SLICE`. Objects that are added meanwhile are included. */
  async #each(act: (key: string, read: () => unknown) => void): Promise<void> {
    let until = performance.now() + SLICE;
    for (const key of this.#handled.keys()) {
      if (this.#isRemoved) return;
      const read = this.#handled.reader(key);
      if (read !== undefined) act(key, read);
      if (performance.now() < until) continue;
      await nextRound();
      until = performance.now() + SLICE;
    }
  }

  /** Reports what the handler throws, so that it cannot keep changes from other handlers. */
  #call(change: ObjectChange<unknown>): void {
    if (this.#isRemoved) return;
    try {
      this.#handle(change);
    } catch (error) {
      this.#failed(error);
    }
  }
}

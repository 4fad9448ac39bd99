/** One handler of an informer's changes: first of all objects that were there before it, then of each change, every object in order. */
import { setImmediate as nextRound } from 'node:timers/promises';
import { LongTimer } from '../timers/long-timer.ts';
import { LazyChange, type ObjectChange } from './object-change.ts';

/** What the handler reads. */
export interface Handled {
  keys(): IterableIterator<string>;
  /** @returns undefined where there is no such object; else what reads it as it is now, whatever becomes of it */
  reader(key: string): (() => unknown) | undefined;
}

/** Milliseconds of work after which others have their turn. */
const SLICE = 5;

export class ChangeHandler {
  readonly #handled: Handled;
  readonly #handle: (change: ObjectChange<unknown>) => void;
  readonly #failed: (error: unknown) => void;
  #timer: LongTimer | undefined;
  /** keys of what it has been told; undefined: of everything */
  #told: Set<string> | undefined = new Set();
  #isRemoved = false;
  #isResyncing = false;

  /** @param resync milliseconds after which it is told of all objects again; 0: never */
  constructor(handled: Handled, handle: (change: ObjectChange<unknown>) => void, failed: (error: unknown) => void, resync: number) {
    this.#handled = handled;
    this.#handle = handle;
    this.#failed = failed;
    if (resync > 0) this.#resyncEach(resync);
  }

  /** Tells what is there. Changes that come meanwhile are told in between, of objects that were told already. */
  async begin(): Promise<void> {
    const told = this.#told as Set<string>;
    await this.#each((key, read) => {
      // one that was told, deleted and made again comes once more: its changes were told
      if (told.has(key)) return;
      told.add(key);
      this.#call(new LazyChange('ADDED', key, 'list', read));
    });
    this.#told = undefined;
  }

  tell(change: ObjectChange<unknown>): void {
    // what it has not been told of yet it will find as it is then, or not at all
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

  /** In slices; objects that come meanwhile are among them. */
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

  /** A handler that fails is told of, and keeps no other one from its changes. */
  #call(change: ObjectChange<unknown>): void {
    if (this.#isRemoved) return;
    try {
      this.#handle(change);
    } catch (error) {
      this.#failed(error);
    }
  }
}

/** Keeps the index of a store a moment behind its writes, for all processes that have it open. */
import type { LmdbStorage } from './lmdb-storage.ts';

/** Milliseconds between batches: long enough for writes to share one, short enough for searches to have little else to look through. */
const DELAY = 50;

export class IndexFollower {
  readonly #storage: LmdbStorage;
  readonly #onError: (error: unknown) => void;
  readonly #unsubscribe: () => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #behind = false;
  #stopped = false;

  /** Starts with what an earlier process has left. */
  constructor(storage: LmdbStorage, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#onError = onError;
    this.#unsubscribe = storage.onCommit(() => this.#schedule());
    this.#schedule();
  }

  #schedule(): void {
    this.#behind = true;
    if (this.#timer !== undefined || this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#follow();
    }, DELAY);
    this.#timer.unref();
  }

  async #follow(): Promise<void> {
    this.#behind = false;
    await this.#storage.index().catch(this.#onError);
    this.#timer = undefined;
    if (this.#behind) this.#schedule();
  }

  /** Waits for a batch under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#running;
  }
}

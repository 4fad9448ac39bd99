/** Keeps the index of a store a moment behind its writes, for all processes that have it open. */
import type { StorageView } from '../../storage.ts';

export interface IndexedStorage extends Pick<StorageView, 'currentRevision' | 'onCommit'> {
  /** Brings what `scan` looks up to what is committed, so that it has less of the latest changes to look through. */
  index(): Promise<void>;
}

/**
 * Milliseconds after the first change of a batch, and changes after which it is due sooner. The more changes share a batch, the less each costs:
 * those with the same terms share pages of the file. And the fewer they are, the less else a search has to look through.
 */
const DELAY = 500;
const ENOUGH = 512;

export class IndexFollower {
  readonly #storage: IndexedStorage;
  readonly #onError: (error: unknown) => void;
  readonly #unsubscribe: () => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** revision at which the last batch began */
  #began: number;
  #stopped = false;

  /** Starts with what an earlier process has left. */
  constructor(storage: IndexedStorage, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#onError = onError;
    this.#began = storage.currentRevision();
    this.#unsubscribe = storage.onCommit((revision) => this.#committed(revision));
    this.#schedule();
  }

  #committed(revision: number): void {
    if (this.#running !== undefined) return;
    if (revision - this.#began >= ENOUGH) this.#begin();
    else this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#begin(), DELAY).unref();
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#began = this.#storage.currentRevision();
    this.#running = this.#storage
      .index()
      .catch(this.#onError)
      .finally(() => this.#ended());
  }

  #ended(): void {
    this.#running = undefined;
    if (this.#stopped) return;
    const behind = this.#storage.currentRevision() - this.#began;
    if (behind > 0) this.#schedule();
  }

  /** Waits for a batch under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#running;
  }
}

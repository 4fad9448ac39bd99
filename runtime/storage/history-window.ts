/** Compaction in the background: changes stay readable for a while, then their superseded values go. */
import type { Storage } from './storage.ts';

/** Samples in one window: how exactly the window is kept. */
const SAMPLES = 10;

/**
 * Notes from time to time which revision is the newest, and compacts to the newest one that is older than the window. The past of a store
 * that was just opened counts as young: it is kept for one window more.
 */
export class HistoryWindow {
  readonly #storage: Storage;
  readonly #window: number;
  readonly #onError: (error: unknown) => void;
  readonly #samples: { readonly at: number; readonly revision: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #compacting: Promise<void> | undefined;

  /** @param window milliseconds, > 0 */
  constructor(storage: Storage, window: number, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#window = window;
    this.#onError = onError;
  }

  start(): void {
    this.tick(Date.now());
    this.#timer = setInterval(() => this.tick(Date.now()), Math.max(100, this.#window / SAMPLES));
    this.#timer.unref();
  }

  /** @param now milliseconds since 1970 */
  tick(now: number): void {
    this.#samples.push({ at: now, revision: this.#storage.currentRevision() });
    let old: number | undefined;
    while (this.#samples[0] !== undefined && this.#samples[0].at <= now - this.#window) old = this.#samples.shift()?.revision;
    if (old === undefined || this.#compacting !== undefined || old <= this.#storage.compactedRevision()) return;
    this.#compacting = this.#storage
      .compact(old)
      .catch(this.#onError)
      .finally(() => {
        this.#compacting = undefined;
      });
  }

  /** Waits for a compaction under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#compacting;
  }
}

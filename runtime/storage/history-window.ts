/** Compaction in the background: changes stay readable for a while, and within a size; then their superseded values go. */
import type { ServedStorage } from './storage.ts';

/** Samples in one window, and within the size: how exactly either is kept. */
const SAMPLES = 10;
/** The most milliseconds between two looks at the store. */
const INTERVAL = 1_000;

export interface HistoryLimits {
  /** milliseconds, > 0: what is younger is kept */
  readonly window: number;
  /** bytes of superseded values and tombstones: beyond it the oldest go, however young; 0 is no limit */
  readonly maxBytes: number;
}

interface Sample {
  /** the time by `performance.now()`; after a change of the machine's clock, compaction would stop, or remove young history */
  readonly at: number;
  readonly revision: number;
  readonly historyBytes: number;
}

/**
 * Notes from time to time which revision is the newest, and compacts to the newest one that is older than the window, or to the oldest ones
 * where history has grown too large. The past of a store that was just opened counts as young: it is kept for one window more.
 */
export class HistoryWindow {
  readonly #storage: ServedStorage;
  readonly #limits: HistoryLimits;
  readonly #onError: (error: unknown) => void;
  /** oldest first */
  readonly #samples: Sample[] = [];
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe = (): void => {};
  #compacting: Promise<void> | undefined;
  #compactions = 0;

  constructor(storage: ServedStorage, limits: HistoryLimits, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#limits = limits;
    this.#onError = onError;
  }

  /** compactions that have ended well */
  get compactions(): number {
    return this.#compactions;
  }

  /** Since when changes are readable, by `performance.now()`, as far as this process knows; undefined where there is no history. */
  get oldest(): number | undefined {
    return this.#storage.compactedRevision() < this.#storage.currentRevision() ? this.#samples[0]?.at : undefined;
  }

  start(): void {
    this.#unsubscribe = this.#storage.onCommit(() => this.#lookLater());
    this.#look();
  }

  /** Looks at the store, and plans the next look as long as there is history. A store at rest is not looked at until something is written. */
  #look(): void {
    this.tick(performance.now());
    if (this.#storage.compactedRevision() < this.#storage.currentRevision()) this.#lookLater();
  }

  #lookLater(): void {
    const look = (): void => {
      this.#timer = undefined;
      this.#look();
    };
    this.#timer ??= setTimeout(look, Math.min(INTERVAL, Math.max(100, this.#limits.window / SAMPLES))).unref();
  }

  /** @param now of `performance.now()` */
  tick(now: number): void {
    this.#sample(now);
    let old: number | undefined;
    while (this.#samples[0] !== undefined && this.#samples[0].at <= now - this.#limits.window) old = this.#samples.shift()?.revision;
    if (this.#compacting !== undefined) return;
    const due = old !== undefined && old > this.#storage.compactedRevision();
    if (!due && !this.#isTooLarge()) return;
    this.#compacting = this.#compact(old ?? 0)
      .catch(this.#onError)
      .finally(() => {
        this.#compacting = undefined;
      });
  }

  /** Takes a sample after some time, or earlier if much was written. */
  #sample(now: number): void {
    const { historyBytes } = this.#storage.size();
    const last = this.#samples.at(-1);
    const old = last === undefined || now - last.at >= this.#limits.window / SAMPLES;
    const grown = this.#limits.maxBytes > 0 && last !== undefined && historyBytes - last.historyBytes >= this.#limits.maxBytes / SAMPLES;
    if (old || grown) this.#samples.push({ at: now, revision: this.#storage.currentRevision(), historyBytes });
  }

  #isTooLarge(): boolean {
    const { maxBytes } = this.#limits;
    return maxBytes > 0 && this.#storage.size().historyBytes > maxBytes;
  }

  async #compact(revision: number): Promise<void> {
    if (revision > this.#storage.compactedRevision()) await this.#compactTo(revision);
    while (this.#isTooLarge()) {
      const oldest = this.#samples.shift()?.revision;
      await this.#compactTo(oldest ?? this.#storage.currentRevision());
      // more has been written meanwhile: the next look takes that
      if (oldest === undefined) return;
    }
  }

  async #compactTo(revision: number): Promise<void> {
    await this.#storage.compact(revision);
    this.#compactions++;
  }

  /** Waits for a compaction under way. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#compacting;
  }
}

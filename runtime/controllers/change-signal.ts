/** Calls when something of some resources has changed, whichever process wrote it: once for changes that come close together. */
import type { Storage } from '../storage/storage.ts';

/** Milliseconds between a change and the call that it makes; changes in between are part of it. */
const GATHERING = 20;
/** Milliseconds before a call that failed is repeated. */
const RETRY = 1_000;

export interface ChangeSignalOptions {
  readonly storage: Storage;
  /** key prefixes of the resources, with their trailing slashes */
  readonly prefixes: readonly string[];
  /** Never runs twice at a time. */
  readonly changed: () => Promise<void>;
  readonly failed: (error: unknown) => void;
}

export class ChangeSignal {
  readonly #options: ChangeSignalOptions;
  #position = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(options: ChangeSignalOptions) {
    this.#options = options;
  }

  /** Calls at once, and after every change from now on. */
  start(): void {
    const { storage } = this.#options;
    this.#position = storage.currentRevision();
    this.#unsubscribe = storage.onCommit(() => this.#schedule(GATHERING));
    this.#run();
  }

  /** Waits for a call under way; no further one is made. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(milliseconds: number): void {
    if (this.#timer !== undefined || this.#unsubscribe === undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#running !== undefined) this.#schedule(GATHERING);
      else if (this.#hasChanged()) this.#run();
    }, milliseconds);
    this.#timer.unref();
  }

  #run(): void {
    this.#running = this.#options
      .changed()
      .catch((error) => {
        this.#options.failed(error);
        this.#position = 0;
        this.#schedule(RETRY);
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  #hasChanged(): boolean {
    const { storage, prefixes } = this.#options;
    const after = this.#position;
    this.#position = storage.currentRevision();
    // What is older than the history has changed as well, as far as anybody knows.
    if (after < storage.compactedRevision()) return true;
    return prefixes.some((prefix) => storage.changes(after, prefix, 1)[Symbol.iterator]().next().done !== true);
  }
}

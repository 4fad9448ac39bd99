/** Checks the health of a key management service at intervals, from the first look until it is closed. */
import type { Log } from '../../observability/log.ts';

/** Milliseconds between two checks of a healthy service, and of one that is not, as in 1.32. */
const WELL_INTERVAL = 20_000;
const ILL_INTERVAL = 3_000;

/** What a configuration knows of each of its services. */
export interface WatchedKeyService {
  /** Checks the health of the service now, and from then on at intervals. @returns the problem; undefined if the service is healthy */
  look(): Promise<string | undefined>;
  /** The problem that the last check found; undefined if the service was healthy. */
  readonly problem: string | undefined;
  close(): void;
}

export class KeyServiceWatch {
  readonly #name: string;
  readonly #log: Log;
  readonly #ask: () => Promise<void>;
  #problem: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param ask asks the service about its health, and throws the problem */
  constructor(name: string, log: Log, ask: () => Promise<void>) {
    this.#name = name;
    this.#log = log;
    this.#ask = ask;
    this.#problem = `the key management service ${name} has not been asked yet`;
  }

  /** Checks the service now and sets the timer of the next check. It never throws. */
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    const before = this.#problem;
    try {
      await this.#ask();
      this.#problem = undefined;
    } catch (error) {
      this.#problem = (error as Error).message;
    }
    if (this.#problem !== undefined && this.#problem !== before)
      this.#log.warn({ provider: this.#name, problem: this.#problem }, 'a key management service is not well');
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.look(), this.#problem === undefined ? WELL_INTERVAL : ILL_INTERVAL).unref();
  }

  /** What `ask` has thrown last; undefined if it succeeded. */
  get problem(): string | undefined {
    return this.#problem;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }
}

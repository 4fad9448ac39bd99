/** Looks at a key management service for as long as it is in use. */
import type { Log } from '../../observability/log.ts';

/** Milliseconds, as in 1.32: between looks at a service that is well, and at one that is not. */
const WELL_INTERVAL = 20_000;
const ILL_INTERVAL = 3_000;

/** What a configuration in force has of each of its services. */
export interface WatchedKeyService {
  /** Looks at the service, and goes on to look. @returns what is wrong with it; undefined: nothing is */
  look(): Promise<string | undefined>;
  /** What was wrong when the service was looked at last; undefined: nothing was. */
  readonly problem: string | undefined;
  close(): void;
}

export class KeyServiceWatch {
  readonly #name: string;
  readonly #log: Log;
  readonly #ask: () => Promise<void>;
  #problem: string | undefined = 'it has not been asked yet';
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param ask asks the service how it is. It throws what is wrong */
  constructor(name: string, log: Log, ask: () => Promise<void>) {
    this.#name = name;
    this.#log = log;
    this.#ask = ask;
  }

  /** Never throws. */
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

  /** What `ask` threw last; undefined: nothing */
  get problem(): string | undefined {
    return this.#problem;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }
}

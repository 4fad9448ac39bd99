/** Asks etcd regularly whether it answers and how large it is, so that health checks and metrics need not wait for it. */
import { LONGEST_TIMER } from '../../contract/longest-timer.ts';
import type { EtcdClient } from './client/etcd-client.ts';

export interface WatchdogOptions {
  /** milliseconds between questions, and also the limit for an answer */
  readonly timeout: number;
  /** milliseconds between readings of etcd's size; 0: never */
  readonly sizeInterval: number;
}

export class EtcdWatchdog {
  readonly #client: Pick<EtcdClient, 'status'>;
  readonly #ask: (milliseconds: number) => Promise<unknown>;
  readonly #timeout: number;
  readonly #timers: readonly NodeJS.Timeout[];
  #trouble: string | undefined;
  #databaseBytes: number | undefined;

  /** @param ask resolves when etcd answers; rejects if it does not within the given milliseconds */
  constructor(
    client: Pick<EtcdClient, 'status'>,
    ask: (milliseconds: number) => Promise<unknown>,
    { timeout, sizeInterval }: WatchdogOptions,
  ) {
    this.#client = client;
    this.#ask = ask;
    this.#timeout = timeout;
    const timers = [setInterval(() => void this.#look(), Math.min(timeout, LONGEST_TIMER))];
    if (sizeInterval > 0) timers.push(setInterval(() => void this.#measure(), Math.min(sizeInterval, LONGEST_TIMER)));
    this.#timers = timers;
    for (const timer of timers) timer.unref();
    void this.#measure();
  }

  /** why etcd does not answer; undefined if it does */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Size of etcd's database on its disk, in bytes; undefined if not known. */
  get databaseBytes(): number | undefined {
    return this.#databaseBytes;
  }

  async #look(): Promise<void> {
    try {
      await this.#ask(this.#timeout);
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = `etcd cannot be reached: ${(error as Error).message}`;
    }
  }

  async #measure(): Promise<void> {
    const { dbSize } = await this.#client.status().catch(() => ({ dbSize: undefined }));
    this.#databaseBytes = dbSize;
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}

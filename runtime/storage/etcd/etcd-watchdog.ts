/** Asks etcd from time to time whether it answers, and how large it is, so that health checks and figures say so without waiting. */
import type { FollowedEtcd } from './followed-etcd.ts';
import { newestRevision } from './loading.ts';

export interface WatchdogOptions {
  /** milliseconds between questions, and for which an answer may take */
  readonly timeout: number;
  /** milliseconds between readings of etcd's size; 0: never */
  readonly sizeInterval: number;
}

export class EtcdWatchdog {
  readonly #etcd: FollowedEtcd;
  readonly #timeout: number;
  readonly #timers: readonly NodeJS.Timeout[];
  #trouble: string | undefined;
  #databaseBytes: number | undefined;

  constructor(etcd: FollowedEtcd, { timeout, sizeInterval }: WatchdogOptions) {
    this.#etcd = etcd;
    this.#timeout = timeout;
    const timers = [setInterval(() => void this.#look(), timeout)];
    if (sizeInterval > 0) timers.push(setInterval(() => void this.#measure(), sizeInterval));
    this.#timers = timers;
    for (const timer of timers) timer.unref();
    void this.#measure();
  }

  /** why etcd does not answer; undefined where it does */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Bytes that etcd's database has on its disk; undefined where that is not known. */
  get databaseBytes(): number | undefined {
    return this.#databaseBytes;
  }

  async #look(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`etcd has not answered for ${this.#timeout} ms`), this.#timeout);
    });
    const asked = newestRevision(this.#etcd).then(
      () => undefined,
      (error: Error) => `etcd cannot be reached: ${error.message}`,
    );
    this.#trouble = await Promise.race([asked, late]);
    clearTimeout(timer);
  }

  async #measure(): Promise<void> {
    const { dbSize } = await this.#etcd.client.status().catch(() => ({ dbSize: undefined }));
    this.#databaseBytes = dbSize;
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}

/** What a service manager is told of a server that has started, in one line for people: where it serves, and what is not as it should be. */
import type { Reread } from '../files/followed-files.ts';
import type { ServiceManager } from './service-manager.ts';

/** Of the worker processes that there are to be (--workers). */
export interface AnsweringWorkers {
  /** that take connections: 0 to `count` */
  readonly answering: number;
  readonly count: number;
}

export class ServiceStatus {
  readonly #manager: Pick<ServiceManager, 'ready' | 'reloading' | 'status'>;
  readonly #place: string;
  /** empty: all of them answer */
  #workers = '';
  /** empty: none have been read again */
  #files = '';
  #isReading = false;

  /** Tells that the server is ready. @param url where it serves */
  constructor(manager: Pick<ServiceManager, 'ready' | 'reloading' | 'status'>, url: string) {
    this.#manager = manager;
    this.#place = `serves at ${url}`;
    manager.ready(this.#place);
  }

  /** Says so as long as some do not answer. To be called whenever that changes, until the server ends. */
  workers({ answering, count }: AnsweringWorkers): void {
    const workers = answering < count ? `; ${answering} of ${count} worker processes answer, the others are started again` : '';
    if (workers === this.#workers) return;
    this.#workers = workers;
    if (!this.#isReading) this.#manager.status(this.#text());
  }

  /** The files are being read again. */
  reading(): void {
    this.#isReading = true;
    this.#manager.reloading();
  }

  /** Ends a `reading`. */
  read({ changed, failed }: Pick<Reread, 'changed' | 'failed'>): void {
    this.#isReading = false;
    this.#files =
      failed === 0 ? `; files that have changed: ${changed}` : `; files that are wrong and not used: ${failed}, the log says why`;
    this.#manager.ready(this.#text());
  }

  #text(): string {
    return this.#place + this.#workers + this.#files;
  }
}

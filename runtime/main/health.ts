import type { HealthCheck, HealthChecks } from '../endpoints/handlers/health.ts';
import type { Storage } from '../storage/storage.ts';

/** The checks behind /livez, /readyz and /healthz. */
export class Health implements HealthChecks {
  readonly #storage: Storage;
  readonly #graceUntil: number;
  #started = false;
  #stopping = false;

  /** @param grace milliseconds from now in which a start that is not over counts as alive (--livez-grace-period) */
  constructor(storage: Storage, grace: number) {
    this.#storage = storage;
    this.#graceUntil = Date.now() + grace;
  }

  started(): void {
    this.#started = true;
  }

  stopping(): void {
    this.#stopping = true;
  }

  of(endpoint: string): readonly HealthCheck[] {
    return endpoint === 'readyz' ? this.#ready : endpoint === 'livez' ? this.#live : this.#healthy;
  }

  readonly #ping: HealthCheck = { name: 'ping', check: () => undefined };
  readonly #store: HealthCheck = { name: 'store', check: () => this.#storeProblem() };
  readonly #start: HealthCheck = {
    name: 'poststarthook/system-namespaces',
    check: () => (this.#started || Date.now() < this.#graceUntil ? undefined : 'the start is not over'),
  };
  readonly #startReady: HealthCheck = {
    name: 'poststarthook/system-namespaces',
    check: () => (this.#started ? undefined : 'the start is not over'),
  };
  readonly #shutdown: HealthCheck = { name: 'shutdown', check: () => (this.#stopping ? 'the server is ending' : undefined) };

  readonly #healthy = [this.#ping, this.#store, this.#start];
  readonly #live = [this.#ping, this.#store, this.#start];
  readonly #ready = [this.#ping, this.#store, this.#startReady, this.#shutdown];

  #storeProblem(): string | undefined {
    try {
      this.#storage.currentRevision();
      return undefined;
    } catch (error) {
      return `the store cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

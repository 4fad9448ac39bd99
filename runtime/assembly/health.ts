import type { HealthCheck, HealthChecks } from '../endpoints/handlers/health.ts';
import type { ServedStorage, Storage } from '../storage/storage.ts';

/** The steps of a start, in their order. */
export type StartStep = 'namespaces' | 'objects' | 'roles' | 'storageVersions';

/** The steps of every start that makes the objects that every cluster has. */
export const USUAL_STEPS: readonly StartStep[] = ['namespaces', 'objects', 'roles'];

/** The health checks of a start, by their names in 1.32, with the step that each of them waits for. */
const STEP_OF: Readonly<Record<string, StartStep>> = {
  'poststarthook/start-system-namespaces-controller': 'namespaces',
  'poststarthook/rbac/bootstrap-roles': 'roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes': 'objects',
  'poststarthook/priority-and-fairness-config-producer': 'objects',
  'poststarthook/built-in-resources-storage-version-updater': 'storageVersions',
  'autoregister-completion': 'objects',
};

type CheckedStorage = Storage & Pick<ServedStorage, 'checks' | 'problem'>;

/** The health checks behind /livez, /readyz and /healthz. */
export class Health implements HealthChecks {
  readonly #storage: CheckedStorage;
  /** by `performance.now()` */
  readonly #graceUntil: number;
  readonly #waitsFor: Set<StartStep>;
  readonly #checks: Readonly<Record<'healthz' | 'livez' | 'readyz', HealthCheck[]>>;
  #stopping = false;

  /**
   * @param storeName name of the check of the store
   * @param grace milliseconds from now during which an unfinished start counts as alive (--livez-grace-period)
   * @param ofStart the steps of this start
   */
  constructor(storage: CheckedStorage, storeName: string, grace: number, ofStart = USUAL_STEPS) {
    const steps = Object.entries(STEP_OF).filter(([, step]) => ofStart.includes(step));
    this.#waitsFor = new Set(ofStart);
    this.#storage = storage;
    this.#graceUntil = performance.now() + grace;
    const readsStore = (name: string): HealthCheck => ({ name, check: () => this.#storeProblem() });
    const besides = (storage.checks ?? []).map(({ name, check }): HealthCheck => ({ name, check: () => check() }));
    const ping: HealthCheck = { name: 'ping', check: () => undefined };
    const started = steps.map(([name, step]): HealthCheck => ({ name, check: () => this.#startProblem(step) }));
    const alive = steps.map(
      ([name, step]): HealthCheck => ({ name, check: () => (this.#inGrace() ? undefined : this.#startProblem(step)) }),
    );
    const shutdown: HealthCheck = { name: 'shutdown', check: () => (this.#stopping ? 'the server is ending' : undefined) };
    this.#checks = {
      healthz: [ping, readsStore(storeName), ...besides, ...started],
      livez: [ping, readsStore(storeName), ...besides, ...alive],
      readyz: [ping, readsStore(storeName), readsStore(`${storeName}-readiness`), ...besides, ...started, shutdown],
    };
  }

  done(step: StartStep): void {
    this.#waitsFor.delete(step);
  }

  /** Marks all steps as done, by this process or another one. */
  started(): void {
    this.#waitsFor.clear();
  }

  stopping(): void {
    this.#stopping = true;
  }

  /** @param check returns a problem, or undefined */
  addReadiness(name: string, check: () => string | undefined): void {
    this.#checks.readyz.splice(-1, 0, { name, check });
  }

  of(endpoint: string): readonly HealthCheck[] {
    return (this.#checks as Readonly<Record<string, readonly HealthCheck[]>>)[endpoint] ?? [];
  }

  #inGrace(): boolean {
    return performance.now() < this.#graceUntil;
  }

  #startProblem(step: StartStep): string | undefined {
    return this.#waitsFor.has(step) ? 'the start is not over' : undefined;
  }

  #storeProblem(): string | undefined {
    try {
      this.#storage.currentRevision();
      return this.#storage.problem?.();
    } catch (error) {
      return `the store cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

import type { HealthCheck, HealthChecks } from '../endpoints/handlers/pages/health.ts';
import type { ServedStorage, Storage } from '../storage/storage.ts';

/** The steps of a start. Some starts have only some of them. */
export type StartStep =
  | 'turns'
  | 'definitions'
  | 'namespaces'
  | 'objects'
  | 'roles'
  | 'controllers'
  | 'identityLease'
  | 'filledCaches'
  | 'serviceRanges'
  | 'ownObjects'
  | 'clientCertificate'
  | 'storageVersions'
  | 'peerLease'
  | 'peerProxy'
  | 'encryptionReload';

/** The steps of every start that makes the objects that every cluster has. */
export const USUAL_STEPS: readonly StartStep[] = ['definitions', 'namespaces', 'objects', 'roles', 'controllers', 'ownObjects'];

/** Steps that each process takes for itself. */
const OF_EACH_PROCESS: ReadonlySet<StartStep> = new Set(['turns', 'filledCaches', 'definitions', 'clientCertificate']);

/** What a check needs besides steps: that this process goes by the newest objects of its store. */
type Need = StartStep | 'followed';

/**
 * The health checks of a start by their names in 1.32, in its order, with what each of them needs. A start has those whose first need it
 * has; of the others those count that it has.
 */
const CHECKS: readonly (readonly [name: string, first: Need, ...others: readonly Need[]])[] = [
  ['poststarthook/start-apiserver-admission-initializer', 'followed'],
  ['poststarthook/start-encryption-provider-config-automatic-reload', 'encryptionReload'],
  ['poststarthook/generic-apiserver-start-informers', 'followed'],
  ['poststarthook/priority-and-fairness-config-consumer', 'turns', 'followed'],
  ['poststarthook/priority-and-fairness-filter', 'turns'],
  ['poststarthook/storage-object-count-tracker-hook', 'turns'],
  ['poststarthook/start-apiextensions-informers', 'definitions', 'followed'],
  ['poststarthook/start-apiextensions-controllers', 'definitions', 'controllers'],
  ['poststarthook/crd-informer-synced', 'definitions'],
  ['poststarthook/start-system-namespaces-controller', 'namespaces'],
  ['poststarthook/peer-endpoint-reconciler-controller', 'peerLease'],
  ['poststarthook/unknown-version-proxy-filter', 'peerProxy', 'storageVersions'],
  ['poststarthook/start-cluster-authentication-info-controller', 'ownObjects'],
  ['poststarthook/start-kube-apiserver-identity-lease-controller', 'identityLease'],
  ['poststarthook/start-kube-apiserver-identity-lease-garbage-collector', 'identityLease'],
  ['poststarthook/storage-readiness', 'filledCaches', 'followed'],
  ['poststarthook/start-legacy-token-tracking-controller', 'ownObjects'],
  ['poststarthook/start-service-ip-repair-controllers', 'controllers'],
  ['poststarthook/rbac/bootstrap-roles', 'roles'],
  ['poststarthook/scheduling/bootstrap-system-priority-classes', 'objects'],
  ['poststarthook/priority-and-fairness-config-producer', 'objects'],
  ['poststarthook/bootstrap-controller', 'ownObjects'],
  ['poststarthook/start-kubernetes-service-cidr-controller', 'serviceRanges'],
  ['poststarthook/aggregator-reload-proxy-client-cert', 'clientCertificate'],
  ['poststarthook/start-kube-aggregator-informers', 'objects', 'followed'],
  ['poststarthook/apiservice-status-local-available-controller', 'controllers'],
  ['poststarthook/apiservice-status-remote-available-controller', 'controllers'],
  ['poststarthook/apiservice-registration-controller', 'objects', 'followed'],
  ['poststarthook/apiservice-discovery-controller', 'objects', 'definitions'],
  ['poststarthook/built-in-resources-storage-version-updater', 'storageVersions'],
  ['poststarthook/kube-apiserver-autoregistration', 'controllers'],
  ['autoregister-completion', 'objects', 'definitions'],
  ['poststarthook/apiservice-openapi-controller', 'objects', 'definitions'],
  ['poststarthook/apiservice-openapiv3-controller', 'objects', 'definitions'],
];

/** What the checks ask. */
export interface CheckedParts {
  readonly storage: CheckedStorage;
  /** name of the check of the store */
  readonly storeName: string;
  /** milliseconds from now during which an unfinished start counts as alive (--livez-grace-period) */
  readonly grace: number;
  /** Brings what this process goes by up to the newest revision of the store. @throws Error if that cannot be read */
  readonly catchUp: () => void;
  /** What is not known yet of the server that delegates to this one; undefined if all is. Absent: no server does. */
  readonly missing?: (() => string | undefined) | undefined;
  /** Why lines of the log are not written; undefined if they are. Absent: the program around the server writes them. */
  readonly logProblem?: (() => string | undefined) | undefined;
}

type CheckedStorage = Storage & Pick<ServedStorage, 'checks' | 'problem'>;

/** The health checks behind /livez, /readyz and /healthz. */
export class Health implements HealthChecks {
  readonly #storage: CheckedStorage;
  readonly #catchUp: CheckedParts['catchUp'];
  /** by `performance.now()` */
  readonly #graceUntil: number;
  readonly #waitsFor: Set<StartStep>;
  readonly #checks: Readonly<Record<'healthz' | 'livez' | 'readyz', HealthCheck[]>>;
  #stopping = false;

  /** @param ofStart the steps of this start */
  constructor({ storage, storeName, grace, catchUp, missing, logProblem }: CheckedParts, ofStart: readonly StartStep[] = USUAL_STEPS) {
    const chosen = CHECKS.filter(([, first]) => first === 'followed' || ofStart.includes(first));
    this.#waitsFor = new Set(ofStart);
    this.#storage = storage;
    this.#catchUp = catchUp;
    this.#graceUntil = performance.now() + grace;
    const readsStore = (name: string): HealthCheck => ({ name, check: () => this.#storeProblem() });
    const besides = (storage.checks ?? []).map(({ name, check }): HealthCheck => ({ name, check: () => check() }));
    const general: HealthCheck[] = [{ name: 'ping', check: () => undefined }];
    if (logProblem !== undefined) general.push({ name: 'log', check: logProblem });
    general.push(readsStore(storeName));
    const started = chosen.map(([name, ...needs]): HealthCheck => ({ name, check: () => this.#problem(needs) }));
    const alive = started.map(({ name, check }): HealthCheck => ({ name, check: () => (this.#inGrace() ? undefined : check()) }));
    const synced: HealthCheck = { name: 'informer-sync', check: () => missing?.() ?? this.#followProblem() };
    const shutdown: HealthCheck = { name: 'shutdown', check: () => (this.#stopping ? 'the server is ending' : undefined) };
    this.#checks = {
      healthz: [...general, ...besides, ...started],
      // as in 1.32: who starts a server anew because of them would only lose what it knows of them
      livez: [...general, ...alive],
      readyz: [...general, readsStore(`${storeName}-readiness`), ...besides, synced, ...started, shutdown],
    };
  }

  done(...steps: readonly StartStep[]): void {
    for (const step of steps) this.#waitsFor.delete(step);
  }

  /** Marks the steps as done that one process takes for all: this process has, or another one. */
  started(): void {
    for (const step of this.#waitsFor) if (!OF_EACH_PROCESS.has(step)) this.#waitsFor.delete(step);
  }

  stopping(): void {
    this.#stopping = true;
  }

  of(endpoint: string): readonly HealthCheck[] {
    return (this.#checks as Readonly<Record<string, readonly HealthCheck[]>>)[endpoint] ?? [];
  }

  #inGrace(): boolean {
    return performance.now() < this.#graceUntil;
  }

  #problem(needs: readonly Need[]): string | undefined {
    if (needs.some((need) => need !== 'followed' && this.#waitsFor.has(need))) return 'not finished';
    return needs.includes('followed') ? this.#followProblem() : undefined;
  }

  #followProblem(): string | undefined {
    try {
      this.#catchUp();
      return undefined;
    } catch (error) {
      return `the newest objects cannot be read: ${messageOf(error)}`;
    }
  }

  #storeProblem(): string | undefined {
    try {
      this.#storage.currentRevision();
      return this.#storage.problem?.();
    } catch (error) {
      return `the store cannot be read: ${messageOf(error)}`;
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

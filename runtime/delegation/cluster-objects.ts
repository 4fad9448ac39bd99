/** Objects of the delegating server that count for writes here: namespaces, and the configurations of admission. Each resource is followed by an informer. */
import { ApiError } from '../client/objects/api-error.ts';
import type { Client } from '../client/resources/client.ts';
import type { Resource } from '../client/resources/resource.ts';
import type { ApiObject } from '../contract/object.ts';
import type { Log } from '../observability/log.ts';
import { RecurringFailures } from '../observability/recurring-failures.ts';
import type { NamespacePhase } from '../registry/stored-objects/namespace-phases.ts';
import { newInternalErrorOf } from '../status/status.ts';
import { ClusterOwners } from './cluster-owners.ts';
import { FollowedInformer } from './followed-informer.ts';
import { type ParameterKind, ParameterKinds } from './parameter-kinds.ts';

export interface ClusterObjectsParts {
  readonly client: Client;
  /** `namespaces` among them */
  readonly resources: readonly Resource[];
  readonly log: Pick<Log, 'warn'>;
}

/** Milliseconds, as in 1.32. */
const WAITING = 10_000;
/** Milliseconds that a namespace counts which the informer does not have yet. */
const LOOKED_UP = 30_000;
const MAX_LOOKED_UP = 1_024;
/** Their parameters are objects of any kind. */
const POLICIES: ReadonlySet<string> = new Set(['validatingadmissionpolicies', 'mutatingadmissionpolicies']);

export class ClusterObjects {
  readonly owners: ClusterOwners;
  readonly #client: Client;
  readonly #followed: ReadonlyMap<string, FollowedInformer>;
  readonly #namespaces: Resource;
  readonly #log: Pick<Log, 'warn'>;
  readonly #parameters: ParameterKinds;
  #isKeeping = false;
  /** namespaces that the informer did not have when somebody asked, until a time of `performance.now()` */
  readonly #lookedUp = new Map<string, { readonly object: ApiObject; readonly until: number }>();
  /** by name: whoever asks meanwhile waits for the same answer */
  readonly #lookups = new Map<string, Promise<ApiObject | undefined>>();

  /** Follows from now on. */
  constructor({ client, resources, log }: ClusterObjectsParts) {
    this.#client = client;
    this.owners = new ClusterOwners(client);
    this.#log = log;
    this.#namespaces = resources.find(({ name }) => name === 'namespaces') as Resource;
    this.#parameters = new ParameterKinds(client, log);
    const failures = new RecurringFailures();
    this.#followed = new Map(
      resources.map((resource) => {
        const failed = (error: unknown): void => {
          if (failures.isNew(resource.name, error))
            log.warn({ err: error, resource: resource.name }, 'what counts for writes cannot be followed');
        };
        const changed = POLICIES.has(resource.name) ? () => this.#keepParameters() : undefined;
        return [resource.name, new FollowedInformer(client, resource, failed, changed)];
      }),
    );
  }

  /** @returns undefined for a resource that is not followed */
  of(resource: string): FollowedInformer | undefined {
    return this.#followed.get(resource);
  }

  /** Resources whose objects are not all known yet. */
  get missing(): string[] {
    return [...this.#followed].flatMap(([name, { isSynced }]) => (isSynced ? [] : [name]));
  }

  /** Waits until the objects of all resources are known, ten seconds at most. @returns whether they are */
  async ready(): Promise<boolean> {
    if (this.missing.length === 0) return true;
    const limit = AbortSignal.timeout(WAITING);
    const synced = await Promise.all(Array.from(this.#followed.values(), (each) => each.synced(limit)));
    if (synced.includes(false)) return false;
    await this.#parameters.looked();
    return true;
  }

  /** Parameters of the other server's policies. @returns undefined for a kind that it does not serve, or that no policy names */
  parameters(apiVersion: string, kind: string): ReturnType<ParameterKinds['of']> {
    return this.#parameters.of(apiVersion, kind);
  }

  /** @returns undefined for a namespace that is not there, as far as is known */
  namespace(name: string): ApiObject | undefined {
    const found = this.#followed.get('namespaces')?.get('', name);
    if (found !== undefined) {
      this.#lookedUp.delete(name);
      return found;
    }
    const looked = this.#lookedUp.get(name);
    return looked !== undefined && performance.now() < looked.until ? looked.object : undefined;
  }

  /** Asks the other server about a namespace that is not known, for it may just have been made. @throws StatusError InternalError without an answer */
  namespacePhase(name: string): NamespacePhase | undefined | Promise<NamespacePhase | undefined> {
    const known = this.namespace(name);
    return known === undefined ? this.#lookUp(name).then(phaseOf) : phaseOf(known);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#followed.values(), (each) => each.stop()));
    await this.#parameters.stop();
    await this.#client.close();
  }

  /** Once for changes that come together. */
  #keepParameters(): void {
    if (this.#isKeeping) return;
    this.#isKeeping = true;
    queueMicrotask(() => {
      this.#isKeeping = false;
      const policies = [...POLICIES].flatMap((name) => this.#followed.get(name)?.in('') ?? []);
      this.#parameters.keep(policies.flatMap(({ spec }) => (spec?.paramKind as ParameterKind | undefined) ?? []));
    });
  }

  #lookUp(name: string): Promise<ApiObject | undefined> {
    let lookup = this.#lookups.get(name);
    if (lookup === undefined) {
      lookup = this.#ask(name).finally(() => this.#lookups.delete(name));
      this.#lookups.set(name, lookup);
    }
    return lookup;
  }

  async #ask(name: string): Promise<ApiObject | undefined> {
    try {
      const object = (await this.#client
        .resource(this.#namespaces)
        .get(name, { signal: AbortSignal.timeout(WAITING) })) as unknown as ApiObject;
      this.#lookedUp.set(name, { object, until: performance.now() + LOOKED_UP });
      const [oldest] = this.#lookedUp.keys();
      if (this.#lookedUp.size > MAX_LOOKED_UP) this.#lookedUp.delete(oldest as string);
      return object;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      this.#log.warn({ err: error, namespace: name }, 'a namespace cannot be looked up');
      throw newInternalErrorOf('it could not be found out whether the namespace exists');
    }
  }
}

const phaseOf = (namespace: ApiObject | undefined): NamespacePhase | undefined =>
  namespace && (namespace.metadata.deletionTimestamp === undefined && namespace.status?.phase !== 'Terminating' ? 'Active' : 'Terminating');

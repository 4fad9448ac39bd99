/** Parameters of admission policies that another server has: objects of the kinds that its policies name, each followed for as long as one names it. */
import { type FindObjectsOfKind, ParameterError } from '../admission/policies/parameters.ts';
import type { Client } from '../client/resources/client.ts';
import type { Resource } from '../client/resources/resource.ts';
import type { ApiObject } from '../contract/object.ts';
import type { Log } from '../observability/log.ts';
import { RecurringFailures } from '../observability/recurring-failures.ts';
import { type LabelSelector, matches } from '../selectors/label-selector.ts';
import { FollowedInformer } from './followed-informer.ts';

type ObjectsOfKind = NonNullable<ReturnType<FindObjectsOfKind>>;

/** A kind, as policies name it. */
export interface ParameterKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

interface Wanted {
  /** absent: the other server does not serve the kind, as far as is known */
  found?: FollowedParameters;
  /** the look for it that is under way */
  looking: Promise<void> | undefined;
  /** when the last look began, in milliseconds of `performance.now()` */
  begun: number;
  isWanted: boolean;
}

/** Milliseconds between looks for a kind that is not served. */
const AGAIN = 1_000;
/** Milliseconds, as in 1.32. */
const TIMEOUT = 10_000;

export class ParameterKinds {
  readonly #client: Client;
  readonly #log: Pick<Log, 'warn'>;
  readonly #failures = new RecurringFailures();
  /** by apiVersion and kind */
  readonly #wanted = new Map<string, Wanted>();

  constructor(client: Client, log: Pick<Log, 'warn'>) {
    this.#client = client;
    this.#log = log;
  }

  /** Follows these, and no others. */
  keep(kinds: Iterable<ParameterKind>): void {
    const gone = new Set(this.#wanted.keys());
    for (const { apiVersion = '', kind = '' } of kinds) {
      const key = keyOf(apiVersion, kind);
      gone.delete(key);
      if (this.#wanted.has(key)) continue;
      const wanted: Wanted = { looking: undefined, begun: 0, isWanted: true };
      this.#wanted.set(key, wanted);
      this.#look(wanted, apiVersion, kind);
    }
    for (const key of gone) {
      const wanted = this.#wanted.get(key) as Wanted;
      wanted.isWanted = false;
      this.#wanted.delete(key);
      this.#failures.succeeded(key);
      void wanted.found?.stop();
    }
  }

  /** Resolves when each kind was looked for. */
  async looked(): Promise<void> {
    await Promise.all(Array.from(this.#wanted.values(), ({ looking }) => looking));
  }

  /** @returns undefined for a kind that no policy names, or that the other server does not serve */
  of(apiVersion: string, kind: string): ObjectsOfKind | undefined {
    const wanted = this.#wanted.get(keyOf(apiVersion, kind));
    if (wanted === undefined) return undefined;
    if (wanted.found === undefined && performance.now() - wanted.begun > AGAIN) this.#look(wanted, apiVersion, kind);
    return wanted.found;
  }

  async stop(): Promise<void> {
    const all = [...this.#wanted.values()];
    this.#wanted.clear();
    for (const each of all) each.isWanted = false;
    await Promise.all(all.map(({ found }) => found?.stop()));
  }

  #look(wanted: Wanted, apiVersion: string, kind: string): void {
    if (wanted.looking !== undefined) return;
    wanted.begun = performance.now();
    const failed = (error: unknown): void => {
      if (wanted.isWanted && this.#failures.isNew(keyOf(apiVersion, kind), error))
        this.#log.warn({ err: error, apiVersion, kind }, 'parameters of admission policies cannot be followed');
    };
    wanted.looking = this.#find(apiVersion, kind)
      .then((resource) => {
        if (resource !== undefined && wanted.isWanted)
          wanted.found = new FollowedParameters(
            new FollowedInformer(this.#client, resource, failed),
            resource,
            `${apiVersion}, Kind=${kind}`,
          );
      })
      .catch(failed)
      .finally(() => {
        wanted.looking = undefined;
      });
  }

  /** @throws ApiError, ConnectionError */
  async #find(apiVersion: string, kind: string): Promise<Resource | undefined> {
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const { resources = [] } = await this.#client.request<{ resources?: readonly DiscoveredResource[] }>({
      method: 'GET',
      path,
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const found = resources.find((each) => each.kind === kind && !each.name.includes('/'));
    if (found === undefined) return undefined;
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    return { group, version, name: found.name, kind, scope: found.namespaced ? 'Namespaced' : 'Cluster' };
  }
}

/** As a list of resources describes it. */
export interface DiscoveredResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const keyOf = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

class FollowedParameters implements ObjectsOfKind {
  readonly #followed: FollowedInformer;
  readonly #name: string;
  readonly namespaced: boolean;

  constructor(followed: FollowedInformer, { scope }: Resource, name: string) {
    this.#followed = followed;
    this.#name = name;
    this.namespaced = scope === 'Namespaced';
  }

  get(namespace: string, name: string): ApiObject | undefined | Promise<ApiObject | undefined> {
    const read = (): ApiObject | undefined => this.#followed.get(namespace, name);
    return this.#followed.isSynced ? read() : this.#synced().then(read);
  }

  selected(namespace: string, selector: LabelSelector): readonly ApiObject[] | Promise<readonly ApiObject[]> {
    const read = (): readonly ApiObject[] =>
      this.#followed
        .in(namespace)
        .filter(({ metadata: { labels } }) => matches(selector, labels ?? {}))
        .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
    return this.#followed.isSynced ? read() : this.#synced().then(read);
  }

  stop(): Promise<void> {
    return this.#followed.stop();
  }

  /** Waits for a second, as 1.32 does. @throws ParameterError */
  async #synced(): Promise<void> {
    if (!(await this.#followed.synced(AbortSignal.timeout(AGAIN))))
      throw new ParameterError(`paramKind kind \`${this.#name}\` not yet synced to use for admission`);
  }
}

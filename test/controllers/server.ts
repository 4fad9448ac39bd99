/** A server's parts that controllers need, over a store of the test's own and without HTTP. */

import { identity as identityData } from '../../generated/identity.ts';
import { metricsData } from '../../generated/metrics.ts';
import { groupVersions } from '../../generated/routes.ts';
import { type ControllerSettings, Controllers } from '../../runtime/assembly/controllers/controllers.ts';
import { type ApiServer, type ApiServerParts, createApiServer } from '../../runtime/assembly/parts/api-server.ts';
import { createIdentity, type Dialect } from '../../runtime/contract/identity.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import type { ControllerName } from '../../runtime/controllers/chosen-controllers.ts';
import type { OwnerSource } from '../../runtime/controllers/controller/owner-source.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { AddressRange } from '../../runtime/registry/allocation/address-range.ts';
import { StorageAllocator } from '../../runtime/registry/allocation/allocator.ts';
import type { DeleteOptions } from '../../runtime/registry/resource-store/deletion.ts';
import type { UpdateOptions } from '../../runtime/registry/resource-store/resource-store.ts';
import type { Resource } from '../../runtime/registry/resources/resource.ts';
import { ObjectLookup } from '../../runtime/registry/stored-objects/object-lookup.ts';
import { StoredObject } from '../../runtime/registry/stored-objects/stored-object.ts';
import { copyValue } from '../../runtime/schema/copy.ts';
import { prefixEnd } from '../../runtime/storage/storage.ts';
import { builtInRegistry } from '../harness/built-in-registry.ts';
import { lmdbStore } from '../storage/lmdb/lmdb-store.ts';
import { withDamaged } from './damaged-values.ts';

const silent = () => {};

/** Rounds so quick that tests need not wait, and grace periods so long that nothing happens in them; tests say otherwise. */
export const SETTINGS: ControllerSettings = {
  nodeLifecycle: {
    period: 20,
    grace: { usual: 60_000, startup: 60_000 },
    disruption: { rate: 1_000, secondaryRate: 100, largeZone: 50, unhealthyShare: 0.55 },
  },
};

export interface TestClusterOptions {
  /** milliseconds; 0: nothing expires */
  readonly expireAfter?: number;
  readonly settings?: ControllerSettings;
  readonly dialect?: Dialect;
  readonly owners?: OwnerSource;
  /** absent: all gates are on */
  readonly featureEnabled?: (gate: string) => boolean;
  /** keys whose values cannot be read, which a test may change; with it errors are not printed */
  readonly damaged?: ReadonlySet<string>;
  /** absent: everything is admitted */
  readonly admission?: ApiServerParts['admission'];
  /** is told warnings */
  readonly warn?: ApiServerParts['log']['warn'];
}

export class TestCluster {
  readonly server: ApiServer;
  readonly #settings: ControllerSettings;
  readonly #remove: () => Promise<void>;
  #controllers: Controllers | undefined;

  private constructor(server: ApiServer, settings: ControllerSettings, remove: () => Promise<void>) {
    this.server = server;
    this.#settings = settings;
    this.#remove = remove;
  }

  static async create(options: TestClusterOptions = {}): Promise<TestCluster> {
    const { expireAfter = 0, settings = SETTINGS, dialect = 'kubernetes', owners, featureEnabled = () => true, damaged } = options;
    const { admission = { mutate: async () => {}, validate: async () => {} }, warn = silent } = options;
    const identity = createIdentity(identityData, dialect);
    const store = await lmdbStore();
    const storage = damaged === undefined ? store.storage : withDamaged(store.storage, damaged);
    const registry = builtInRegistry(identity);
    const parts: Partial<ApiServerParts> = {
      identity,
      ...(owners && { delegatingOwners: owners }),
      registry,
      storage,
      objects: new ObjectLookup(storage, groupVersions),
      admission,
      log: { debug: silent, info: silent, warn, error: (fields) => (damaged === undefined ? console.error(fields) : undefined) },
      featureEnabled,
      metrics: new Metrics(metricsData),
      allocator: new StorageAllocator(storage, [new AddressRange('10.0.0.0/24')], { first: 30_000, last: 32_767 }),
      allowsPrivileged: true,
      explainsCosts: false,
      deletion: { collectsGarbage: true, collectionWorkers: 1, expireAfter },
    };
    return new TestCluster(createApiServer(parts as ApiServerParts), settings, () => store.remove());
  }

  async start(...names: ControllerName[]): Promise<void> {
    this.#controllers = await Controllers.start(this.server, names, this.#settings);
  }

  async stop(): Promise<void> {
    await this.#controllers?.stop();
    this.#controllers = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.#remove();
  }

  /** @param apiVersion in the dialect `kubernetes` */
  resource(apiVersion: string, name: string): Resource {
    const slash = apiVersion.indexOf('/');
    const resource = this.server.registry.current.resource(
      slash === -1 ? '' : apiVersion.slice(0, slash),
      apiVersion.slice(slash + 1),
      name,
    );
    if (resource === undefined) throw new Error(`there is no ${name} in ${apiVersion}`);
    return resource;
  }

  async create(apiVersion: string, name: string, members: object): Promise<ApiObject> {
    const store = await this.server.store(this.resource(apiVersion, name));
    const { object } = store.hub.decode(members);
    return (await store.create(object, this.server.ruleContext(false), async () => {})).object;
  }

  async edit(
    apiVersion: string,
    name: string,
    key: { namespace?: string; name: string },
    edit: (object: ApiObject) => void,
    target: UpdateOptions['target'] = 'object',
  ): Promise<ApiObject> {
    const store = await this.server.store(this.resource(apiVersion, name));
    const written = await store.update(
      key.namespace ?? '',
      key.name,
      (old) => {
        const object = copyValue(old);
        edit(object);
        return object;
      },
      { target, context: this.server.ruleContext(false), admit: async () => {}, retry: true },
    );
    return written.object;
  }

  async delete(apiVersion: string, name: string, key: { namespace?: string; name: string }, options: DeleteOptions = {}): Promise<void> {
    const store = await this.server.store(this.resource(apiVersion, name));
    await store.deletions.delete(key.namespace ?? '', key.name, options, this.server.ruleContext(false), async () => {});
  }

  /** Objects whose keys start so, such as `configmaps/`. */
  objects(prefix: string): ApiObject[] {
    const found: ApiObject[] = [];
    for (const { value } of this.server.storage.range({ start: prefix, end: prefixEnd(prefix) }))
      found.push(new StoredObject(value).parse());
    return found;
  }

  /** Names of `objects`, with commas between them. */
  names(prefix: string): string {
    return this.objects(prefix)
      .map(({ metadata }) => metadata.name)
      .join();
  }

  /** Waits until only these are left of `objects`. @throws Error with those that are left otherwise, after 10 s */
  left(prefix: string, names: string): Promise<void> {
    return eventually(
      () => this.names(prefix) === names,
      () => `${this.names(prefix)} are left, not ${names}`,
    );
  }
}

/** Waits until `holds` says so. @throws Error with what it is given otherwise, after 10 s */
export async function eventually(holds: () => boolean, problem: () => string): Promise<void> {
  const until = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > until) throw new Error(problem());
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

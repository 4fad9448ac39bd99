/** Says of each APIService whether it can be used: what this server answers itself always can, of other servers their services and an answer tell. */
import type { EndpointSubset, ServicePort } from '../../../generated/core/v1/types.ts';
import { leadsElsewhere, type RemoteVersion, readRemoteVersion } from '../../aggregation/remote-version.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { isNotFound } from '../../status/status.ts';
import { type Change, prefixEnd } from '../../storage/storage.ts';
import { storedObject } from '../conditions/condition-controller.ts';
import { type Condition, hasCondition, withCondition } from '../conditions/conditions.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { serverWriter } from '../writes/server-writer.ts';
import { AvailabilityMetrics } from './availability-metrics.ts';

/** Reads an object of the core group. @returns undefined where there is none */
export type ReadObject = (resource: 'services' | 'endpoints', namespace: string, name: string) => ApiObject | undefined;

/** Checks at once: each may wait for another server. */
const WORKERS = 50;
/** Milliseconds between two checks of what is available, as in 1.32; of what is not, they grow to it from the first one on. */
const INTERVAL = 30_000;
const FIRST_RETRY = 100;
/** Milliseconds from a change of a service or its endpoints to the check that it makes; changes in between are part of it. */
const GATHERING = 20;

/** @returns undefined where APIServices, or what they depend on, are not served */
export function apiServiceAvailability(server: ControllerServer): ApiServiceAvailability | undefined {
  const { registry, identity } = server;
  const resource = registry.current.resource(identity.text('apiregistration.${groupDomain}'), 'v1', 'apiservices');
  const services = registry.current.resource('', 'v1', 'services');
  const endpoints = registry.current.resource('', 'v1', 'endpoints');
  if (resource === undefined || services === undefined || endpoints === undefined) return undefined;
  return new ApiServiceAvailability(server, { resource, services, endpoints });
}

interface Resources {
  readonly resource: Resource;
  readonly services: Resource;
  readonly endpoints: Resource;
}

export class ApiServiceAvailability implements Controller {
  readonly #server: ControllerServer;
  readonly #resources: Resources;
  readonly #prefix: string;
  readonly #others: readonly string[];
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  /** names of APIServices by `namespace/name` of the services that they lead to */
  readonly #byService = new Map<string, Set<string>>();
  readonly #services = new Map<string, string>();
  /** statuses that this controller has written since, by name: they are no reason to look again */
  readonly #written = new Map<string, string>();
  /** aborts the questions under way */
  readonly #ending = new AbortController();
  readonly #metrics: AvailabilityMetrics | undefined;
  /** the number of successive failed checks, by the names of APIServices */
  readonly #failures = new Map<string, number>();

  constructor(server: ControllerServer, resources: Resources) {
    this.#server = server;
    this.#resources = resources;
    this.#prefix = storagePrefix(resources.resource, '');
    this.#others = [storagePrefix(resources.services, ''), storagePrefix(resources.endpoints, '')];
    this.#writer = serverWriter(server);
    this.#metrics = server.metrics && new AvailabilityMetrics(server.metrics);
    this.#queue = new WorkQueue({
      name: 'AvailableConditionController',
      metrics: server.metrics,
      workers: WORKERS,
      process: (name) => this.#process(name),
      failed: (name, error) =>
        server.log.error({ err: error, apiService: name }, 'the availability of an APIService could not be told; it is tried again'),
    });
  }

  async list(): Promise<void> {
    for (const { key, value } of this.#server.storage.range({ start: this.#prefix, end: prefixEnd(this.#prefix) }))
      this.#look(key.slice(this.#prefix.length), value);
  }

  /** Nothing is to be done for nearly all: they are this server's own, and say so. */
  #look(name: string, value: Buffer): void {
    if (this.#services.has(name) || !isLocal(new StoredObject(value))) this.#queue.add(name);
  }

  changed({ key, value }: Change): void {
    if (key.startsWith(this.#prefix)) return this.#look(key.slice(this.#prefix.length), value);
    if (this.#byService.size === 0) return;
    const prefix = this.#others.find((each) => key.startsWith(each));
    if (prefix !== undefined) for (const name of this.#byService.get(key.slice(prefix.length)) ?? []) this.#queue.addAfter(name, GATHERING);
  }

  /** Resolves when nothing is left to do but to look again later. */
  settled(): Promise<void> {
    return this.#queue.idle();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#writer.stop();
    await this.#queue.stop();
  }

  async #process(name: string): Promise<void> {
    const object = storedObject(this.#server.storage, this.#resources.resource, '', name);
    const remote = object && readRemoteVersion(object);
    this.#remember(name, remote);
    if (object === undefined) return;
    if (remote === undefined) return void (await this.#write(object, LOCAL));
    // what it has written itself is no reason to look again
    if (this.#written.get(name) === object.metadata.resourceVersion) return void this.#written.delete(name);
    this.#written.delete(name);
    const condition = await this.#checked(object, remote);
    if (condition === undefined) return;
    this.#metrics?.record(object, condition);
    const written = await this.#write(object, condition);
    if (written !== undefined) this.#written.set(name, written);
    const failures = condition.status === 'True' ? 0 : (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    this.#queue.addAfter(name, failures === 0 ? INTERVAL : Math.min(INTERVAL, FIRST_RETRY * 2 ** (failures - 1)));
  }

  #remember(name: string, remote: RemoteVersion | undefined): void {
    const service = remote && `${remote.service.namespace}/${remote.service.name}`;
    const before = this.#services.get(name);
    if (before === service) return;
    this.#failures.delete(name);
    this.#written.delete(name);
    if (before !== undefined) {
      const names = this.#byService.get(before);
      names?.delete(name);
      if (names?.size === 0) this.#byService.delete(before);
    }
    if (service === undefined) {
      this.#services.delete(name);
      this.#metrics?.forget(name);
      return;
    }
    this.#services.set(name, service);
    const names = this.#byService.get(service) ?? new Set();
    this.#byService.set(service, names.add(name));
  }

  /** @returns undefined where nobody can be asked */
  async #checked(object: ApiObject, remote: RemoteVersion): Promise<Condition | undefined> {
    const { services, endpoints } = this.#resources;
    const { storage, aggregation } = this.#server;
    const told = availability(object, (of, namespace, name) =>
      storedObject(storage, of === 'services' ? services : endpoints, namespace, name),
    );
    if (told !== undefined || aggregation === undefined) return told;
    const { availabilityProblem } = await import('../../aggregation/availability-check.ts');
    const problem = await availabilityProblem(await aggregation.servers(), remote, this.#ending.signal);
    if (this.#ending.signal.aborted) return undefined;
    return problem === undefined ? PASSED : condition('False', 'FailedDiscoveryCheck', problem);
  }

  /** @returns the resourceVersion of the written object; undefined: nothing was written */
  async #write(object: ApiObject, wanted: Condition): Promise<string | undefined> {
    if (hasCondition(object, wanted)) return undefined;
    const { name = '', uid } = object.metadata;
    try {
      const { object: written } = await this.#writer.update({ resource: this.#resources.resource, namespace: '', name }, 'status', (old) =>
        // another one of that name, or one that leads elsewhere by now, has its turn of its own
        old.metadata.uid === uid && isSameSpec(old, object) ? withCondition(old, wanted, Date.now()) : old,
      );
      return written.metadata.resourceVersion;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
  }
}

const LOCAL_REASON = Buffer.from('"reason":"Local"');

/** Whether it says that this server answers, and it does: without parsing. */
const isLocal = (stored: StoredObject): boolean => !leadsElsewhere(stored) && stored.json.includes(LOCAL_REASON);

const isSameSpec = (one: ApiObject, other: ApiObject): boolean => deepEqual(one.spec, other.spec);

const AVAILABLE = 'Available';
const condition = (status: Condition['status'], reason: string, message: string): Condition => ({
  type: AVAILABLE,
  status,
  reason,
  message,
});
const LOCAL = condition('True', 'Local', 'Local APIServices are always available');
const PASSED = condition('True', 'Passed', 'all checks passed');

/** @returns undefined where objects do not decide: the service is there, and only a request could tell more */
export function availability(object: ApiObject, read: ReadObject): Condition | undefined {
  const remote = readRemoteVersion(object);
  if (remote === undefined) return LOCAL;
  const { namespace, name, port } = remote.service;
  const called = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = attempted(() => read('services', namespace, name));
  if (service instanceof Error) return condition('Unknown', 'ServiceAccessError', `${called} cannot be checked due to: ${service.message}`);
  if (service === undefined) return condition('False', 'ServiceNotFound', `${called} is not present`);
  // others lead to their servers in ways that endpoints do not show
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const offered = ((service.spec?.ports ?? []) as ServicePort[]).find((each) => each.port === port);
  if (offered === undefined) return condition('False', 'ServicePortError', `${called} is not listening on port ${port}`);
  const endpoints = attempted(() => read('endpoints', namespace, name));
  if (endpoints instanceof Error)
    return condition('Unknown', 'EndpointsAccessError', `${called} cannot be checked due to: ${endpoints.message}`);
  if (endpoints === undefined) return condition('False', 'EndpointsNotFound', `cannot find endpoints for ${called}`);
  const portName = offered.name ?? '';
  if (isReady(endpoints, portName)) return undefined;
  return condition('False', 'MissingEndpoints', `endpoints for ${called} have no addresses with port name ${JSON.stringify(portName)}`);
}

/** What cannot be read is told of: a damaged object keeps no other from being looked at. */
function attempted<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
}

function isReady({ subsets }: ApiObject, port: string): boolean {
  return ((subsets ?? []) as EndpointSubset[]).some(
    ({ addresses, ports }) => (addresses ?? []).length > 0 && (ports ?? []).some(({ name = '' }) => name === port),
  );
}

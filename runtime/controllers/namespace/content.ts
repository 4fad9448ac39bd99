/** Deletes what is in a namespace, and counts what stays for now. */

import type { Resource } from '../../registry/resources/resource.ts';
import { type ResourceKeys, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import { StatusError } from '../../status/status.ts';
import { prefixEnd } from '../../storage/storage.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import type { ContentReport } from './conditions.ts';
import { RemoteContent } from './remote-content.ts';

/** The seconds that finalizers are given before another look, as in 1.32. */
const FINALIZER_ESTIMATE = 15;
/** The number of objects that are counted in one turn. */
const SLICE = 250;

export interface DeletedContent extends ContentReport {
  /** the number of objects that are left at other servers */
  readonly elsewhere: number;
  /** the seconds after which the remaining objects may be gone; 0 if none remain, or if that is not known */
  readonly estimate: number;
  /** the first resource, if only its objects were deleted, and some remain, so that all other resources wait for it; absent if nothing waits */
  readonly first?: Resource;
}

/** What keeps objects from being removed at once. */
interface Held {
  readonly deletionGracePeriodSeconds?: number;
  readonly finalizers?: readonly string[];
}

interface Remaining {
  readonly count: number;
  /** objects that have it, by finalizer */
  readonly finalizers: ReadonlyMap<string, number>;
  /** longest grace period of an object, in seconds */
  readonly grace: number;
}

export class NamespaceContent {
  readonly #server: ControllerServer;
  readonly #keys: ResourceKeys;
  readonly #writer: ControllerWriter;
  readonly #remote: RemoteContent;
  /** whether pods go before all else (feature gate OrderedNamespaceDeletion): none of them then lives without the policies that guard it */
  readonly #podsFirst: boolean;

  constructor(server: ControllerServer, keys: ResourceKeys, writer: ControllerWriter) {
    this.#server = server;
    this.#keys = keys;
    this.#writer = writer;
    this.#remote = new RemoteContent(server.aggregation, server.identity);
    this.#podsFirst = server.featureEnabled('OrderedNamespaceDeletion');
  }

  /** Resources that have objects in the namespace: for the others nothing is loaded or read. */
  #present(namespace: string): Resource[] {
    return [...this.#keys.resources].filter(
      (resource) => resource.data.scope === 'Namespaced' && resource.data.verbs.includes('delete') && this.#hasObjects(resource, namespace),
    );
  }

  #hasObjects(resource: Resource, namespace: string): boolean {
    const start = storagePrefix(resource, namespace);
    for (const _first of this.#server.storage.range({ start, end: prefixEnd(start), limit: 1 })) return true;
    return false;
  }

  /** Number of objects that the namespace holds here now. @param only of this resource; absent: of all */
  count(namespace: string, only?: Resource): number {
    let sum = 0;
    for (const resource of only === undefined ? this.#present(namespace) : [only]) {
      const start = storagePrefix(resource, namespace);
      sum += this.#server.storage.count({ start, end: prefixEnd(start) });
    }
    return sum;
  }

  /**
   * What is here, and what other servers have.
   * @param deletedFor seconds since the namespace was deleted
   */
  async delete(namespace: string, deletedFor: number): Promise<DeletedContent> {
    const pods = this.#podsFirst ? this.#present(namespace).find(isPods) : undefined;
    if (pods === undefined) return this.#deleteAll(namespace, deletedFor);
    const found = await this.deleteHere(namespace, deletedFor, [pods]);
    if (found.remaining.size === 0 && found.failures.length === 0) return this.#deleteAll(namespace, deletedFor);
    const undiscovered = await this.#remote.undiscovered(namespace);
    return { ...found, elsewhere: 0, first: pods, ...(undiscovered !== undefined && { undiscovered }) };
  }

  async #deleteAll(namespace: string, deletedFor: number): Promise<DeletedContent> {
    const [here, { failures, resources, undiscovered }] = await Promise.all([
      this.deleteHere(namespace, deletedFor),
      this.#remote.delete(namespace),
    ]);
    const found = {
      failures: [...here.failures, ...failures],
      remaining: new Map(here.remaining),
      finalizers: new Map(here.finalizers),
      estimate: here.estimate,
      elsewhere: 0,
      ...(undiscovered !== undefined && { undiscovered }),
    };
    for (const { name, count, finalizers, grace, place, failure } of resources) {
      if (failure !== undefined) {
        found.failures.push(failure);
        continue;
      }
      found.elsewhere += count;
      found.remaining.set(name, count);
      for (const [finalizer, number] of finalizers) found.finalizers.set(finalizer, (found.finalizers.get(finalizer) ?? 0) + number);
      const wait = waitFor({ grace, finalizers }, deletedFor);
      if (wait === 0) found.failures.push(unexpected(place, namespace));
      found.estimate = Math.max(found.estimate, wait);
    }
    return found;
  }

  /** Does the same as `delete` for the objects of this server. @param resources absent for all, in any order */
  async deleteHere(
    namespace: string,
    deletedFor: number,
    resources = this.#present(namespace),
  ): Promise<Omit<DeletedContent, 'elsewhere' | 'first'>> {
    const failures: string[] = [];
    const remaining = new Map<string, number>();
    const finalizers = new Map<string, number>();
    let estimate = 0;
    for (const resource of resources) {
      const failure = await this.#deleteResource(resource, namespace);
      if (failure !== undefined) {
        // what is left of it is not counted, as in 1.32
        failures.push(failure);
        continue;
      }
      const left = await this.#remaining(resource, namespace);
      if (left.count === 0) continue;
      const { group, resource: name } = resource.groupResource;
      remaining.set(`${name}.${group}`, left.count);
      for (const [finalizer, count] of left.finalizers) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + count);
      const wait = waitFor(left, deletedFor);
      if (wait === 0) failures.push(unexpected(placeOf(resource), namespace));
      estimate = Math.max(estimate, wait);
    }
    return { failures, remaining, finalizers, estimate };
  }

  /** @returns what went wrong */
  async #deleteResource(resource: Resource, namespace: string): Promise<string | undefined> {
    try {
      await this.#writer.deleteCollection(resource, namespace, { propagationPolicy: 'Background' });
      return undefined;
    } catch (error) {
      if (error instanceof StatusError) return error.message;
      throw error;
    }
  }

  async #remaining(resource: Resource, namespace: string): Promise<Remaining> {
    const prefix = storagePrefix(resource, namespace);
    const finalizers = new Map<string, number>();
    let count = 0;
    let grace = 0;
    for await (const slice of entrySlices(this.#server.storage, prefix, { size: SLICE }))
      for (const { value } of slice) {
        const metadata = parseNativeJson<Held>(new StoredObject(value).metadata.toString('utf8'));
        count++;
        grace = Math.max(grace, metadata.deletionGracePeriodSeconds ?? 0);
        for (const finalizer of metadata.finalizers ?? []) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
      }
    return { count, finalizers, grace };
  }
}

const isPods = ({ groupResource: { group, resource } }: Resource): boolean => group === '' && resource === 'pods';

/** Seconds that what is left may take. */
function waitFor({ grace, finalizers }: Pick<Remaining, 'grace' | 'finalizers'>, deletedFor: number): number {
  if (grace > deletedFor) return grace;
  return finalizers.size > 0 ? FINALIZER_ESTIMATE : 0;
}

function unexpected(place: string, namespace: string): string {
  return `unexpected items still remain in namespace: ${namespace} for gvr: ${place}`;
}

const placeOf = ({ groupResource, groupVersion: { group, version } }: Resource): string =>
  `${group}/${version}, Resource=${groupResource.resource}`;

/** Deletes what is in a namespace, and counts what stays for now. */

import type { Resource } from '../../registry/resource.ts';
import { type ResourceKeys, storagePrefix } from '../../registry/resource-keys.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import { parseNativeJson } from '../../schema/native-json.ts';
import { StatusError } from '../../status/status.ts';
import { prefixEnd } from '../../storage/storage.ts';
import type { ControllerServer } from '../controller-server.ts';
import type { ControllerWriter } from '../controller-writer.ts';
import { entrySlices } from '../entry-slices.ts';
import type { ContentReport } from './conditions.ts';

/** Seconds that finalizers are given before another look, as in 1.32. */
const FINALIZER_ESTIMATE = 15;
/** Objects counted in one turn. */
const SLICE = 250;

export interface DeletedContent extends ContentReport {
  /** seconds after which what remains may be gone; 0 where nothing remains, or nothing is known of it */
  readonly estimate: number;
}

/** What keeps an object from going at once. */
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

  constructor(server: ControllerServer, keys: ResourceKeys, writer: ControllerWriter) {
    this.#server = server;
    this.#keys = keys;
    this.#writer = writer;
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

  /** Number of objects that the namespace holds now, of all resources. */
  count(namespace: string): number {
    let sum = 0;
    for (const resource of this.#present(namespace)) {
      const start = storagePrefix(resource, namespace);
      sum += this.#server.storage.count({ start, end: prefixEnd(start) });
    }
    return sum;
  }

  /** @param deletedFor seconds since the namespace was deleted */
  async delete(namespace: string, deletedFor: number): Promise<DeletedContent> {
    const failures: string[] = [];
    const remaining = new Map<string, number>();
    const finalizers = new Map<string, number>();
    let estimate = 0;
    for (const resource of this.#present(namespace)) {
      const failure = await this.#deleteResource(resource, namespace);
      if (failure !== undefined) failures.push(failure);
      const left = await this.#remaining(resource, namespace);
      if (left.count === 0) continue;
      const { group, resource: name } = resource.groupResource;
      remaining.set(`${name}.${group}`, left.count);
      for (const [finalizer, count] of left.finalizers) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + count);
      const wait = left.grace > deletedFor ? left.grace : left.finalizers.size > 0 ? FINALIZER_ESTIMATE : 0;
      if (wait === 0 && failure === undefined) failures.push(unexpected(resource, namespace));
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

function unexpected({ groupResource, groupVersion }: Resource, namespace: string): string {
  const { group, version } = groupVersion;
  return `unexpected items still remain in namespace: ${namespace} for gvr: ${group}/${version}, Resource=${groupResource.resource}`;
}

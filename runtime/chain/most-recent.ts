/** Makes requests see everything that was written before them. */
import type { Context, Next } from 'koa';
import { requestOf } from '../endpoints/request/client-request.ts';
import type { RequestInfo } from '../endpoints/request/request-info.ts';
import { unreachableError } from '../registry/resource-store/storage-errors.ts';
import type { RegistrySnapshot } from '../registry/resources/registry-snapshot.ts';
import { StorageUnreachable } from '../storage/errors.ts';
import type { ChainServer } from './chain-parts.ts';

/** Makes a request wait until this process knows everything that was written before it, and until the custom resources that it may be about are served. */
export function mostRecent(server: Pick<ChainServer, 'storage' | 'latestRegistry' | 'definitionsUnderWay' | 'metrics'>) {
  const waits = server.metrics.histogram('apiserver_watch_cache_read_wait_seconds');
  return (context: Context, next: Next): Promise<void> => {
    const request = requestOf(context);
    const barrier = needsMostRecent(request.info, server.storage) ? server.storage.barrier() : undefined;
    const begin = (): Promise<void> => {
      request.registry = server.latestRegistry();
      const reading = server.definitionsUnderWay && definitionsUnderWay(server.definitionsUnderWay, request.info);
      return reading === undefined ? next() : reading.then(served);
    };
    const served = (): Promise<void> => {
      request.throwIfOver();
      request.registry = server.latestRegistry();
      return next();
    };
    if (barrier === undefined) return begin();
    const began = performance.now();
    const arrived = (): Promise<void> => {
      const milliseconds = performance.now() - began;
      request.took('etcd', milliseconds);
      const resource = readResource(server.latestRegistry(), request.info);
      if (resource !== undefined) waits.with({ resource }).observe(milliseconds / 1_000);
      return begin();
    };
    return barrier.then(arrived, failedBarrier);
  };
}

/** @returns the resource that is read, as metrics name it; undefined for another request, and for what is not served */
function readResource(registry: RegistrySnapshot, { verb, group, version, resource }: RequestInfo): string | undefined {
  if (!READS.has(verb) || registry.resource(group, version, resource) === undefined) return undefined;
  return group === '' ? resource : `${resource}.${group}`;
}

const failedBarrier = (error: unknown): never => {
  throw error instanceof StorageUnreachable ? unreachableError(error) : error;
};

/** The paths of documents about all groups. */
const TELLS_OF_ALL = /^\/(?:$|apis?(?:\/|$)|openapi\/)/;

/** @returns a promise while custom resource definitions that the answer may depend on are still being read, which takes long for long ones */
function definitionsUnderWay(
  underWay: (group?: string) => Promise<void> | undefined,
  { isResource, group, path }: RequestInfo,
): Promise<void> | undefined {
  if (isResource) return underWay(group);
  return TELLS_OF_ALL.test(path) ? underWay() : undefined;
}

/**
 * Tells whether a request must see everything that was written before it. Requests that are not for resources need not, and neither do reads that name a
 * version which this process has reached already, unless they continue a list. (Another process may have given a version that this one has not reached.)
 */
function needsMostRecent({ isResource, verb, query }: RequestInfo, storage: Pick<ChainServer['storage'], 'currentRevision'>): boolean {
  if (!isResource) return false;
  const named = READS.has(verb) ? (query.get('resourceVersion') ?? '') : '';
  return named === '' || query.has('continue') || Number(named) > storage.currentRevision();
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Makes requests see everything that was written before them. */
import type { Context, Next } from 'koa';
import { requestOf } from '../endpoints/client-request.ts';
import type { RequestInfo } from '../endpoints/request-info.ts';
import { unreachableError } from '../registry/storage-errors.ts';
import { StorageUnreachable } from '../storage/errors.ts';
import type { ChainServer } from './chain-parts.ts';

/** Waits until what is read here is what was written before, and until what the request may be about is served. */
export function mostRecent(server: Pick<ChainServer, 'storage' | 'latestRegistry' | 'definitionsUnderWay'>) {
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
      request.took('etcd', performance.now() - began);
      return begin();
    };
    return barrier.then(arrived, failedBarrier);
  };
}

const failedBarrier = (error: unknown): never => {
  throw error instanceof StorageUnreachable ? unreachableError(error) : error;
};

/** Paths of documents about all groups. */
const TELLS_OF_ALL = /^\/(?:$|apis?(?:\/|$)|openapi\/)/;

/** Of those long definitions that an answer may depend on. */
function definitionsUnderWay(
  underWay: (group?: string) => Promise<void> | undefined,
  { isResource, group, path }: RequestInfo,
): Promise<void> | undefined {
  if (isResource) return underWay(group);
  return TELLS_OF_ALL.test(path) ? underWay() : undefined;
}

/** Whether an answer must know all that was written before: all but reads that name a version, which another server may have given, and go on with no list. */
function needsMostRecent({ isResource, verb, query }: RequestInfo, storage: Pick<ChainServer['storage'], 'currentRevision'>): boolean {
  if (!isResource) return false;
  const named = READS.has(verb) ? (query.get('resourceVersion') ?? '') : '';
  return named === '' || query.has('continue') || Number(named) > storage.currentRevision();
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

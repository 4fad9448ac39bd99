/** Refuses writes of a resource until the server has published in which version it stores that resource. As in 1.32, this comes after authorization. */
import type { Context, Next } from 'koa';
import type { Identity } from '../contract/identity.ts';
import type { User } from '../contract/request-context.ts';
import { requestOf } from '../endpoints/request/client-request.ts';
import type { RequestInfo } from '../endpoints/request/request-info.ts';
import type { StorageVersionRegistration } from '../registry/storage-versions/storage-version-registration.ts';
import { newServiceUnavailable, resourceText } from '../status/status.ts';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

export function storageVersionBarrier(registration: StorageVersionRegistration, { text }: Pick<Identity, 'text'>) {
  const [ownGroup, leaseGroup, systemNamespace] = [
    text('internal.apiserver.${groupDomain}'),
    text('coordination.${groupDomain}'),
    text('${systemNamespace}'),
  ];
  /** Tells whether a write is needed for the publishing itself, so that it must not be refused. */
  const isNeededFor = ({ group, resource, verb, namespace }: RequestInfo, { name, groups }: User): boolean => {
    if (group === ownGroup) return resource === 'storageversions';
    if (group === leaseGroup) return resource === 'leases' && namespace === systemNamespace;
    const isServer = name === 'system:apiserver' && groups.includes('system:masters');
    return group === '' && resource === 'namespaces' && verb === 'create' && isServer;
  };
  return (context: Context, next: Next): Promise<void> => {
    if (registration.isComplete) return next();
    const { info, user } = requestOf(context);
    if (!info.isResource || READS.has(info.verb) || isNeededFor(info, user)) return next();
    const { group, resource } = info;
    const pending = registration.pending(group, resource);
    if (pending === undefined) return next();
    const { lastError = '<nil>' } = pending;
    throw newServiceUnavailable(
      `wait for storage version registration to complete for resource: ${resourceText({ group, resource })}, last seen error: ${lastError}`,
    );
  };
}

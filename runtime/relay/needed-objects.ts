/** Reads the objects that say where a relayed request goes: pods, nodes, services and their endpoints. */
import type { ApiObject } from '../contract/object.ts';
import { LongObject } from '../registry/stored-objects/long-value.ts';
import { isNotFound, newNotFound } from '../status/status.ts';
import type { RelayServer } from './relay-server.ts';

/** Resources of the core group. */
export type NeededResource = 'endpoints' | 'nodes' | 'pods' | 'services';

/**
 * @param namespace '' for a node
 * @param asked the resource that the request names. As in 1.32 the error names it, whichever object is missing: also when it is the node of a pod.
 * @throws StatusError NotFound
 */
export async function neededObject(
  server: RelayServer,
  resource: NeededResource,
  namespace: string,
  name: string,
  asked: NeededResource,
): Promise<ApiObject> {
  const served = server.registry.current.resource('', 'v1', resource);
  if (served === undefined) throw new Error(`${resource} are not served`);
  const store = await server.store(served);
  try {
    return store.get(namespace, name).object;
  } catch (error) {
    if (error instanceof LongObject) return store.parts(namespace, name, ['spec', 'status', 'subsets']);
    throw isNotFound(error) ? newNotFound({ group: '', resource: asked }, name) : error;
  }
}

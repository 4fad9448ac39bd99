/** Requests to pods, services and nodes that the server passes on (`proxy`). */
import type { ResourceTypes } from '../resources/resource.ts';
import type { ResourceRequests } from '../resources/resource-requests.ts';
import type { Connectable } from './commands.ts';

/**
 * The global `fetch`, by way of the server.
 * @param place such as `client.resource(services).in('default')`, or `client.resource(nodes)`
 * @param name perhaps with a port, such as `web:http`, and a scheme, such as `https:web:443`
 * @param path of the other side, with its query, such as `/metrics?x=1`
 * @returns the answer, whatever its status. @throws ConnectionError; the signal's reason
 */
export function fetchThrough<R extends ResourceTypes>(
  place: Connectable<R, 'proxy'>,
  name: string,
  path: string,
  init?: RequestInit,
): Promise<Response> {
  const requests = place as unknown as ResourceRequests;
  const below = path.startsWith('/') ? path : `/${path}`;
  return requests.client.fetch(`${requests.subresource('proxy').path(name)}${below}`, init);
}

/** Sends requests to pods, services and nodes through the server (`proxy`). */
import type { ResourceTypes } from '../resources/resource.ts';
import type { ResourceRequests } from '../resources/resource-requests.ts';
import type { Connectable } from './commands.ts';

/**
 * Works like the global `fetch`, but the server passes the request on.
 * @param place such as `client.resource(services).in('default')`, or `client.resource(nodes)`
 * @param name may include a port, such as `web:http`, and a scheme, such as `https:web:443`
 * @param path path and query of the target, such as `/metrics?x=1`
 * @returns the answer, whatever its status. @throws TypeError for a path that leads out of the target by `..`; ConnectionError; the signal's reason
 */
export function fetchThrough<R extends ResourceTypes>(
  place: Connectable<R, 'proxy'>,
  name: string,
  path: string,
  init?: RequestInit,
): Promise<Response> {
  const requests = place as unknown as ResourceRequests;
  const root = `${requests.subresource('proxy').path(name)}/`;
  const whole = `${root}${path.replace(/^\//, '')}`;
  if (!new URL(whole, 'http://server').pathname.startsWith(root)) throw new TypeError(`the path ${JSON.stringify(path)} leads elsewhere`);
  return requests.client.fetch(whole, init);
}

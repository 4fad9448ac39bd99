import type { ResourceRequest } from '../resource-request.ts';
import type { Handler } from './resource.ts';

/** A handler whose module is loaded with the first request for it; later ones are handed over at once. */
export function onDemand(load: () => Promise<Handler>): Handler {
  let handler: Handler | undefined;
  const loaded = async (request: ResourceRequest): Promise<void> => {
    handler ??= await load();
    return handler(request);
  };
  return (request) => (handler === undefined ? loaded(request) : handler(request));
}

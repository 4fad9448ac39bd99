import type { Handler, ResourceRequest } from '../../resource-request.ts';

/** A handler whose module is loaded with the first request for it; later ones are handed over at once. */
export function onDemand(load: () => Promise<Handler>): Handler {
  let handler: Handler | undefined;
  const loaded = async (request: ResourceRequest): Promise<void> => {
    handler ??= await load();
    return handler(request);
  };
  return (request) => (handler === undefined ? loaded(request) : handler(request));
}

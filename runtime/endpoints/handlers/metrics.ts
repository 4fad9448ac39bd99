import type { Context } from 'koa';
import type { ApiServer } from '../api-server.ts';

/** GET /metrics: the server's figures as text. */
export function metricsHandler(server: ApiServer) {
  return async (context: Context): Promise<void> => {
    const { contentType, body } = await server.metrics.text();
    context.set('content-type', contentType);
    context.body = body;
  };
}

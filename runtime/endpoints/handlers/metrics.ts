import type { Context } from 'koa';
import type { Metrics } from '../../observability/metrics.ts';

/** Figures as text. */
export function metricsHandler(metrics: Metrics) {
  return async (context: Context): Promise<void> => {
    const { contentType, body } = await metrics.text();
    context.set('content-type', contentType);
    context.body = body;
  };
}

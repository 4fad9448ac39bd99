import type { Context } from 'koa';
import { answerOf } from '../../connections/client-answer.ts';
import type { Metrics } from '../../observability/metrics.ts';

/** Figures as text. */
export function metricsHandler(metrics: Metrics) {
  return async (context: Context): Promise<void> => {
    const { contentType, body } = await metrics.text();
    answerOf(context).send(200, contentType, body);
  };
}

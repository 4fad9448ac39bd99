import type { Context } from 'koa';
import { answerOf } from '../../connections/client-answer.ts';
import type { Figures } from '../../observability/figures.ts';
import type { Metrics } from '../../observability/metrics.ts';

/** Figures of other processes that serve the same. */
export type OtherFigures = () => Promise<readonly Figures[]>;

/** Figures as text. */
export function metricsHandler(metrics: Metrics, others: OtherFigures = async () => []) {
  return async (context: Context): Promise<void> => {
    const { contentType, body } = await metrics.text(await others());
    answerOf(context).send(200, contentType, body);
  };
}

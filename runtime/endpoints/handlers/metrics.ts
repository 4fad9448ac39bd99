import type { Context } from 'koa';
import type { Figures } from '../../observability/figures.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { sendBytes } from '../respond.ts';

/** Figures of other processes that serve the same. */
export type OtherFigures = () => Promise<readonly Figures[]>;

/** Figures as text, which collectors take compressed. */
export function metricsHandler(metrics: Metrics, others: OtherFigures = async () => []) {
  return async (context: Context): Promise<void> => {
    const { contentType, body } = await metrics.text(await others());
    return sendBytes(context, 200, contentType, body);
  };
}

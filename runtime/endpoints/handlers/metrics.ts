import type { Context } from 'koa';
import { answerOf } from '../../connections/client-answer.ts';
import { parseAccept } from '../../negotiation/accept-header.ts';
import type { Figures } from '../../observability/figures.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { turn } from '../../registry/event-loop-turns.ts';
import { sendBytes } from '../respond.ts';

/** Figures of other processes that serve the same. */
export interface OtherFigures {
  ask(): Promise<readonly Figures[]>;
  reset(): void;
}

const NO_OTHERS: OtherFigures = { ask: async () => [], reset: () => {} };

/**
 * Figures as text, which collectors take compressed, whatever the method.
 * @param resets whether a DELETE sets figures back, as in 1.32 where it may be profiled
 */
export function metricsHandler(metrics: Metrics, resets: boolean, others: OtherFigures = NO_OTHERS) {
  return async (context: Context): Promise<void> => {
    if (resets && context.method === 'DELETE') {
      metrics.reset();
      others.reset();
      return answerOf(context).send(200, 'text/plain; charset=utf-8', 'metrics reset\n');
    }
    const figures = await others.ask();
    // a text takes milliseconds, and many may be asked for in one round of the event loop
    await turn();
    const { contentType, body } = await metrics.text(figures);
    return sendBytes(context, 200, `${contentType}; escaping=${escapingFor(context.req.headers.accept)}`, body, 0);
  };
}

/** How names of unusual characters are to be written; no figure has such a name. */
const ESCAPINGS: ReadonlySet<string> = new Set(['allow-utf-8', 'underscores', 'dots', 'values']);

/** @param accept header of that name; what it asks for last before the text counts, as in 1.32 */
function escapingFor(accept = ''): string {
  let escaping = 'values';
  for (const { type, parameters } of parseAccept(accept)) {
    if (ESCAPINGS.has(parameters.escaping ?? '')) escaping = parameters.escaping as string;
    if (type === 'text/plain' && (parameters.version ?? '0.0.4') === '0.0.4') break;
  }
  return escaping;
}

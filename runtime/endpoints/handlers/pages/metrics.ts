import type { Context } from 'koa';
import { answerOf } from '../../../connections/client-answer.ts';
import { turn } from '../../../event-loop/turns.ts';
import { parseAccept } from '../../../negotiation/accept-header.ts';
import type { Figures } from '../../../observability/figures.ts';
import type { Metrics } from '../../../observability/metrics.ts';
import { sendBytes } from '../../answers/respond.ts';

/** The metrics of the other processes of the same server. */
export interface OtherFigures {
  ask(): Promise<readonly Figures[]>;
  reset(): void;
}

const NO_OTHERS: OtherFigures = { ask: async () => [], reset: () => {} };

/**
 * Figures as text or in protobuf, which collectors take compressed, whatever the method.
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
    context.res.setHeader('process-start-time-unix', STARTED);
    const { isProtobuf, escaping } = formFor(context.req.headers.accept);
    if (!isProtobuf) return sendBytes(context, 200, `${contentType}; escaping=${escaping}`, body, 0);
    const { metricFamilies } = await import('../../../observability/metric-families.ts');
    return sendBytes(context, 200, `${PROTOBUF}; proto=${FAMILY}; encoding=delimited; escaping=${escaping}`, metricFamilies(body), 0);
  };
}

/** When this process began, in seconds since 1970, by which collectors know that figures have begun anew. */
const STARTED = String(Math.floor(performance.timeOrigin / 1000));

/** How names of unusual characters are to be written; no figure has such a name. */
const ESCAPINGS: ReadonlySet<string> = new Set(['allow-utf-8', 'underscores', 'dots', 'values']);

const PROTOBUF = 'application/vnd.google.protobuf';
const FAMILY = 'io.prometheus.client.MetricFamily';

interface Form {
  readonly isProtobuf: boolean;
  readonly escaping: string;
}

/** @param accept header of that name; the first form that the server has counts, and what it asks for last before that, as in 1.32 */
function formFor(accept = ''): Form {
  let escaping = 'values';
  for (const { type, parameters } of parseAccept(accept)) {
    if (ESCAPINGS.has(parameters.escaping ?? '')) escaping = parameters.escaping as string;
    if (type === PROTOBUF && parameters.proto === FAMILY && parameters.encoding === 'delimited') return { isProtobuf: true, escaping };
    if (type === 'text/plain' && (parameters.version ?? '0.0.4') === '0.0.4') break;
  }
  return { isProtobuf: false, escaping };
}

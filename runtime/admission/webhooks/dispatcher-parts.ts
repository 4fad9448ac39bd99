import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { CallerParts } from './webhook-caller.ts';
import type { MatcherParts } from './webhook-matcher.ts';

/** What it takes to ask the webhooks that a request is for. */
export interface DispatcherParts extends MatcherParts, CallerParts {
  readonly log: Pick<Log, 'warn'>;
  readonly metrics: Pick<Metrics, 'counter' | 'histogram'>;
}

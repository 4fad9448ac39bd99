/** What services that decide were asked, and what was not asked of them; counted under the names of 1.32. */
import type { Metrics } from '../../observability/metrics.ts';

/** Seconds. */
const CALL_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const CONDITION_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

const PREFIX = 'apiserver_authorization';

/** `timeout`: no answer in time; `error`: none, or one that is no review. */
export type CallResult = 'success' | 'timeout' | 'error';

export type WebhookMetrics = ReturnType<typeof webhookMetrics>;

/** Of all services. */
export function webhookMetrics(metrics: Metrics) {
  const calls = ['name', 'result'];
  const conditions = ['type', 'name'];
  return {
    evaluations: metrics.counter(`${PREFIX}_webhook_evaluations_total`, 'Questions that services were asked, by result.', calls),
    failedOpen: metrics.counter(
      `${PREFIX}_webhook_evaluations_fail_open_total`,
      'Questions without an answer that were left to the next authorizer.',
      calls,
    ),
    duration: metrics.histogram(`${PREFIX}_webhook_duration_seconds`, 'Seconds that an answer of a service took, by result.', CALL_BOUNDS),
    conditionErrors: metrics.counter(
      `${PREFIX}_match_condition_evaluation_errors_total`,
      'Questions whose match conditions could not be evaluated.',
      conditions,
    ),
    exclusions: metrics.counter(
      `${PREFIX}_match_condition_exclusions_total`,
      'Questions that match conditions have kept from a service.',
      conditions,
    ),
    conditionSeconds: metrics.histogram(
      `${PREFIX}_match_condition_evaluation_seconds`,
      'Seconds that the match conditions of a question took.',
      CONDITION_BOUNDS,
    ),
  };
}

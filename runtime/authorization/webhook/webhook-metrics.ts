/** Metrics of requests to webhooks, and of requests that conditions excluded, with the names of 1.32. */
import type { Metrics } from '../../observability/metrics.ts';

const PREFIX = 'apiserver_authorization';

/** `timeout`: no answer in time; `error`: another failure, or an answer that is no review. */
export type CallResult = 'success' | 'timeout' | 'error';

export type WebhookMetrics = ReturnType<typeof webhookMetrics>;

/** Metrics of all webhooks. */
export function webhookMetrics(metrics: Metrics) {
  return {
    evaluations: metrics.counter(`${PREFIX}_webhook_evaluations_total`),
    failedOpen: metrics.counter(`${PREFIX}_webhook_evaluations_fail_open_total`),
    duration: metrics.histogram(`${PREFIX}_webhook_duration_seconds`),
    conditionErrors: metrics.counter(`${PREFIX}_match_condition_evaluation_errors_total`),
    exclusions: metrics.counter(`${PREFIX}_match_condition_exclusions_total`),
    conditionSeconds: metrics.histogram(`${PREFIX}_match_condition_evaluation_seconds`),
  };
}

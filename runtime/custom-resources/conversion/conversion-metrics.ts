/** What conversion webhooks were asked, counted under the names of 1.32. */
import { exponentialBounds, type Metrics } from '../../observability/metrics.ts';

/** Seconds. */
const CALL_BOUNDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];
const CONVERSION_BOUNDS = exponentialBounds(0.001, 2, 15);

/** Why a question has failed: there was no answer, it was no review of success, it had too few or too many objects, or one was not as it must be. */
export type FailureType =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure';

export interface ConversionMetrics {
  /** @param seconds that the question took. @param failure absent: it succeeded */
  asked(seconds: number, failure?: FailureType): void;
  /** @param versions of the objects and the one that is wanted */
  converted(seconds: number, versions: { readonly from: string; readonly to: string }, succeeded: boolean): void;
}

/** @param definition its name */
export function conversionMetrics(metrics: Metrics, definition: string): ConversionMetrics {
  const requests = metrics.counter('apiserver_conversion_webhook_request_total', 'Questions to conversion webhooks, by result.', [
    'result',
    'failure_type',
  ]);
  const seconds = metrics.histogram(
    'apiserver_conversion_webhook_duration_seconds',
    'Seconds that questions to conversion webhooks took, by result.',
    CALL_BOUNDS,
  );
  const conversions = metrics.histogram(
    'apiserver_crd_conversion_webhook_duration_seconds',
    'Seconds that conversions by webhooks took, by definition, versions and result.',
    CONVERSION_BOUNDS,
  );
  return {
    asked(taken, failure) {
      const labels = { result: failure === undefined ? 'success' : 'failure', failure_type: failure ?? '' };
      requests.inc(labels);
      seconds.with(labels).observe(taken);
    },
    converted(taken, { from, to }, succeeded) {
      conversions.with({ crd_name: definition, from_version: from, to_version: to, succeeded: String(succeeded) }).observe(taken);
    },
  };
}

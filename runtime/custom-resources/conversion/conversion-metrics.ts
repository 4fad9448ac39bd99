/** Metrics of conversion webhooks, with the names of 1.32. */
import type { Metrics } from '../../observability/metrics.ts';

/** Why a call has failed: there was no answer, it was not a successful review, the number of objects was wrong, or one of them was invalid. */
export type FailureType =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure';

export interface ConversionMetrics {
  /** Counts a call. @param seconds that it took. @param failure absent: it succeeded */
  asked(seconds: number, failure?: FailureType): void;
  /** @param versions of the objects and the one that is wanted */
  converted(seconds: number, versions: { readonly from: string; readonly to: string }, succeeded: boolean): void;
}

/** @param definition its name */
export function conversionMetrics(metrics: Metrics, definition: string): ConversionMetrics {
  const requests = metrics.counter('apiserver_conversion_webhook_request_total');
  const seconds = metrics.histogram('apiserver_conversion_webhook_duration_seconds');
  const conversions = metrics.histogram('apiserver_crd_conversion_webhook_duration_seconds');
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

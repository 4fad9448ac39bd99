/** Counts the questions of an aggregated server to the one that delegates to it, under the names of 1.32. */
import type { Metrics } from '../observability/metrics.ts';
import type { ExchangeAnswer } from './exchange.ts';

/** Awaits an answer, and counts it. */
export type CountRequest = (exchange: Promise<ExchangeAnswer>) => Promise<ExchangeAnswer>;

/** @param what the question is about: whose a token is, or who may do what */
export function delegatedRequests(metrics: Metrics, what: 'authn' | 'authz'): CountRequest {
  const total = metrics.counter(`apiserver_delegated_${what}_request_total`);
  const duration = metrics.histogram(`apiserver_delegated_${what}_request_duration_seconds`);
  return async (exchange) => {
    const begun = performance.now();
    let code = '<error>';
    try {
      const answer = await exchange;
      code = String(answer.status);
      return answer;
    } finally {
      total.inc({ code });
      duration.with({ code }).observe((performance.now() - begun) / 1_000);
    }
  };
}

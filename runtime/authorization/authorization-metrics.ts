/** Metrics of authorization, with the names of 1.32. */
import type { Metrics } from '../observability/metrics.ts';
import type { Decision } from './authorizer.ts';

type Result = 'allowed' | 'denied' | 'no-opinion' | 'error';

export class AuthorizationMetrics {
  readonly #results: Readonly<Record<Result, (seconds: number) => void>>;

  constructor(metrics: Metrics) {
    const attempts = metrics.counter('authorization_attempts_total');
    const filter = metrics.histogram('apiserver_request_filter_duration_seconds').with({ filter: 'authorization' });
    const durations = metrics.histogram('authorization_duration_seconds');
    const of = (result: Result) => {
      const [count, duration] = [attempts.with({ result }), durations.with({ result })];
      return (seconds: number): void => {
        count.inc();
        duration.observe(seconds);
        filter.observe(seconds);
      };
    };
    this.#results = { allowed: of('allowed'), denied: of('denied'), 'no-opinion': of('no-opinion'), error: of('error') };
  }

  record({ decision, error }: Decision, seconds: number): void {
    if (decision === 'allow') this.#results.allowed(seconds);
    else if (error !== undefined) this.#results.error(seconds);
    else this.#results[decision === 'deny' ? 'denied' : 'no-opinion'](seconds);
  }
}

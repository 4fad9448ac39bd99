/** What came of validations that were not met, or could not be evaluated, counted under the names of 1.32. */
import type { Metrics } from '../../observability/metrics.ts';

export type Enforcement = 'allow' | 'audit' | 'deny' | 'warn';

type PolicyFigures = Pick<Metrics, 'counter' | 'histogram'>;

export class PolicyMetrics {
  readonly #total: ReturnType<PolicyFigures['counter']>;
  readonly #duration: ReturnType<PolicyFigures['histogram']>;

  constructor(metrics: PolicyFigures) {
    this.#total = metrics.counter('apiserver_validating_admission_policy_check_total');
    this.#duration = metrics.histogram('apiserver_validating_admission_policy_check_duration_seconds');
  }

  /** @param message of the failure. @param seconds that the policy took */
  record(policy: string, binding: string, enforcement: Enforcement, message: string, seconds: number): void {
    const labels = { policy, policy_binding: binding, error_type: errorType(message), enforcement_action: enforcement };
    this.#total.with(labels).inc();
    this.#duration.with(labels).observe(seconds);
  }
}

/** As 1.32 tells it, by how the message begins. */
function errorType(message: string): string {
  if (message.startsWith('compilation')) return 'compile_error';
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error';
}

/** Counts failed validations, and those that could not be evaluated, under the names of 1.32. */
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

  /** @param message of the failure @param seconds that evaluating the policy took */
  record(policy: string, binding: string, enforcement: Enforcement, message: string, seconds: number): void {
    const labels = { policy, policy_binding: binding, error_type: errorType(message), enforcement_action: enforcement };
    this.#total.with(labels).inc();
    this.#duration.with(labels).observe(seconds);
  }
}

/** The type of an error by the beginning of its message, as in 1.32. */
function errorType(message: string): string {
  if (message.startsWith('compilation')) return 'compile_error';
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error';
}

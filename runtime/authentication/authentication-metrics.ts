/** How requests were authenticated, counted under the names of 1.32. */
import type { Counter, Distribution, Metrics } from '../observability/metrics.ts';

/** Names that say enough by themselves; how many there are of the others must not be for clients to decide. */
const SHOWN_USERS: ReadonlySet<string> = new Set(['admin', 'client', 'kube_proxy', 'kubelet']);

/** `error`: with credentials that are not good; `failure`: without any, where they are needed. */
export type AuthenticationResult = 'success' | 'error' | 'failure';

export class AuthenticationMetrics {
  readonly #results: Readonly<Record<AuthenticationResult, (seconds: number) => void>>;
  readonly #users: Counter;
  readonly #otherUsers: { inc(): void };

  constructor(metrics: Metrics) {
    this.#users = metrics.counter('authenticated_user_requests');
    this.#otherUsers = this.#users.with({ username: 'other' });
    const attempts = metrics.counter('authentication_attempts');
    const filter = metrics.histogram('apiserver_request_filter_duration_seconds').with({ filter: 'authentication' });
    const durations = metrics.histogram('authentication_duration_seconds');
    const of = (result: AuthenticationResult) => {
      const [count, duration] = [attempts.with({ result }), durations.with({ result })];
      return (seconds: number): void => {
        count.inc();
        duration.observe(seconds);
        filter.observe(seconds);
      };
    };
    this.#results = { success: of('success'), error: of('error'), failure: of('failure') };
  }

  /** @param seconds that it took. @param user '' where there is none */
  record(result: AuthenticationResult, seconds: number, user: string): void {
    this.#results[result](seconds);
    if (result !== 'success') return;
    if (SHOWN_USERS.has(user)) this.#users.inc({ username: user });
    else if (user.includes('@')) this.#users.inc({ username: 'email_id' });
    else this.#otherUsers.inc();
  }
}

/** How long the certificates of clients are still valid, in seconds. */
export function certificateExpirations(metrics: Metrics): Distribution {
  return metrics.histogram('apiserver_client_certificate_expiration_seconds').with({});
}

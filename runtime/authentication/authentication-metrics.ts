/** How requests were authenticated, counted under the names of 1.32. */
import type { Count, Distribution, Metrics } from '../observability/metrics.ts';

/** Names that say enough by themselves; how many there are of the others must not be for clients to decide. */
const SHOWN_USERS = ['admin', 'client', 'kube_proxy', 'kubelet'] as const;

/** `error`: with credentials that are not good; `failure`: without any, where they are needed. */
export type AuthenticationResult = 'success' | 'error' | 'failure';

export class AuthenticationMetrics {
  readonly #results: Readonly<Record<AuthenticationResult, (seconds: number) => void>>;
  readonly #shownUsers: ReadonlyMap<string, Count>;
  readonly #mailUsers: Count;
  readonly #otherUsers: Count;

  constructor(metrics: Metrics) {
    const users = metrics.counter('authenticated_user_requests');
    this.#shownUsers = new Map(SHOWN_USERS.map((username) => [username, users.with({ username })]));
    this.#mailUsers = users.with({ username: 'email_id' });
    this.#otherUsers = users.with({ username: 'other' });
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
    (this.#shownUsers.get(user) ?? (user.includes('@') ? this.#mailUsers : this.#otherUsers)).inc();
  }
}

/** How long the certificates of clients are still valid, in seconds. */
export function certificateExpirations(metrics: Metrics): Distribution {
  return metrics.histogram('apiserver_client_certificate_expiration_seconds').with({});
}

/** Metrics of authentication, with the names of 1.32. */
import type { Count, Distribution, Metrics } from '../observability/metrics.ts';

/** User names that are labels as they are. Other names share the labels `email_id` and `other`, because clients must not decide how many labels there are. */
const SHOWN_USERS = ['admin', 'client', 'kube_proxy', 'kubelet'] as const;

/** `error`: the credentials are invalid; `failure`: there are none, but they are required. */
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

  /** @param seconds duration of the authentication. @param user '' for none */
  record(result: AuthenticationResult, seconds: number, user: string): void {
    this.#results[result](seconds);
    if (result !== 'success') return;
    (this.#shownUsers.get(user) ?? (user.includes('@') ? this.#mailUsers : this.#otherUsers)).inc();
  }
}

/** Remaining validity of client certificates, in seconds. */
export function certificateExpirations(metrics: Metrics): Distribution {
  return metrics.histogram('apiserver_client_certificate_expiration_seconds').with({});
}

/** Counts the decisions of one authorizer in a chain, in the metric of 1.32. */

import type { User } from '../contract/request-context.ts';
import type { Count, Counter, Metrics } from '../observability/metrics.ts';
import type { Waiting } from '../outbound/shared-answer.ts';
import type { AccessAttributes, Authorizer, Decision } from './authorizer.ts';
import type { UserRules } from './user-rules.ts';

/** Number of decisions that ended the chain, by the authorizer that made them. */
export function decisionCounter(metrics: Metrics): Counter {
  return metrics.counter('apiserver_authorization_decisions_total');
}

export class CountedAuthorizer implements Authorizer {
  readonly #authorizer: Authorizer;
  readonly #allowed: Count;
  readonly #denied: Count;

  /** @param type the mode. @param name the authorizer's name in a configuration file */
  constructor(authorizer: Authorizer, decisions: Counter, type: string, name: string) {
    this.#authorizer = authorizer;
    this.#allowed = decisions.with({ type, name, decision: 'allowed' });
    this.#denied = decisions.with({ type, name, decision: 'denied' });
  }

  authorize(attributes: AccessAttributes, waiting?: Waiting): Decision | Promise<Decision> {
    const answer = this.#authorizer.authorize(attributes, waiting);
    return answer instanceof Promise ? answer.then((decision) => this.#counted(decision)) : this.#counted(answer);
  }

  rules(user: User, namespace: string): UserRules | Promise<UserRules> {
    return this.#authorizer.rules(user, namespace);
  }

  #counted(decision: Decision): Decision {
    if (decision.decision === 'allow') this.#allowed.inc();
    else if (decision.decision === 'deny') this.#denied.inc();
    return decision;
  }
}

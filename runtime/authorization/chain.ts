import { aggregateText } from '../contract/aggregate-text.ts';
import type { User } from '../contract/request-context.ts';
import type { Waiting } from '../outbound/shared-answer.ts';
import type { AccessAttributes, Authorizer, Decision } from './authorizer.ts';
import type { UserRules } from './user-rules.ts';

/** Asks each authorizer in turn; the first that allows or denies decides (specification: Authorization, "Modules and chain"). */
export class AuthorizerChain implements Authorizer {
  readonly #authorizers: readonly Authorizer[];
  constructor(authorizers: readonly Authorizer[]) {
    this.#authorizers = authorizers;
  }

  authorize(attributes: AccessAttributes, waiting?: Waiting): Decision | Promise<Decision> {
    return this.#from(0, attributes, [], waiting);
  }

  async rules(user: User, namespace: string): Promise<UserRules> {
    const all = await Promise.all(this.#authorizers.map((authorizer) => authorizer.rules(user, namespace)));
    const error = aggregateText(all.flatMap(({ error }) => error ?? [])) || undefined;
    return {
      resourceRules: all.flatMap(({ resourceRules }) => resourceRules),
      nonResourceRules: all.flatMap(({ nonResourceRules }) => nonResourceRules),
      incomplete: all.some(({ incomplete }) => incomplete),
      ...(error !== undefined && { error }),
    };
  }

  /** Returns a promise only if an authorizer does. @param passed decisions of the authorizers before, none of which had an opinion */
  #from(first: number, attributes: AccessAttributes, passed: Decision[], waiting: Waiting | undefined): Decision | Promise<Decision> {
    for (let index = first; index < this.#authorizers.length; index++) {
      const decision = (this.#authorizers[index] as Authorizer).authorize(attributes, waiting);
      if (decision instanceof Promise) return decision.then((decided) => this.#after(decided, index + 1, attributes, passed, waiting));
      if (decision.decision !== 'noOpinion') return decision;
      passed.push(decision);
    }
    const errors = passed.flatMap(({ error }) => error ?? []);
    const error = aggregateText(errors) || undefined;
    const reason = passed.flatMap(({ reason }) => (reason === '' ? [] : reason)).join('\n');
    return { decision: 'noOpinion', reason, ...(error !== undefined && { error }) };
  }

  #after(
    decision: Decision,
    next: number,
    attributes: AccessAttributes,
    passed: Decision[],
    waiting: Waiting | undefined,
  ): Decision | Promise<Decision> {
    if (decision.decision !== 'noOpinion') return decision;
    passed.push(decision);
    return this.#from(next, attributes, passed, waiting);
  }
}

import type { AuthorizationAttributes, Authorizer, Decision, User } from '../endpoints/api-server.ts';
import type { UserRules } from '../kinds/authorization/self-subject-rules-review.ts';

/** Asks each authorizer in turn; the first that allows or denies decides (specification: Authorization, "Modules and chain"). */
export class AuthorizerChain implements Authorizer {
  readonly #authorizers: readonly Authorizer[];
  constructor(authorizers: readonly Authorizer[]) {
    this.#authorizers = authorizers;
  }

  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision> {
    const reasons: string[] = [];
    for (let index = 0; index < this.#authorizers.length; index++) {
      const decision = (this.#authorizers[index] as Authorizer).authorize(attributes);
      if (decision instanceof Promise) return this.#rest(attributes, decision, index + 1, reasons);
      if (decision.decision !== 'noOpinion') return decision;
      if (decision.reason !== '') reasons.push(decision.reason);
    }
    return { decision: 'noOpinion', reason: reasons.join('\n') };
  }

  async rules(user: User, namespace: string): Promise<UserRules> {
    const all = await Promise.all(this.#authorizers.map((authorizer) => authorizer.rules(user, namespace)));
    const errors = all.map(({ error }) => error).filter((error) => error !== undefined);
    return {
      resourceRules: all.flatMap(({ resourceRules }) => resourceRules),
      nonResourceRules: all.flatMap(({ nonResourceRules }) => nonResourceRules),
      incomplete: all.some(({ incomplete }) => incomplete),
      ...(errors.length === 0 ? {} : { error: errors.join('; ') }),
    };
  }

  async #rest(attributes: AuthorizationAttributes, first: Promise<Decision>, next: number, reasons: string[]): Promise<Decision> {
    let decision = await first;
    for (let index = next; decision.decision === 'noOpinion'; index++) {
      if (decision.reason !== '') reasons.push(decision.reason);
      if (index >= this.#authorizers.length) return { decision: 'noOpinion', reason: reasons.join('\n') };
      decision = await (this.#authorizers[index] as Authorizer).authorize(attributes);
    }
    return decision;
  }
}

/** Authorizes by roles and bindings (specification: Authorization, RBAC). */

import { aggregateText } from '../../contract/aggregate-text.ts';
import type { Identity } from '../../contract/identity.ts';
import type { User } from '../../contract/request-context.ts';
import { inTurns } from '../../event-loop/turns.ts';
import { goQuote } from '../../go-text/quote.ts';
import { grantsOnName, type PolicyRule } from '../../kinds/rbac/rule-matching.ts';
import type { AccessAttributes, Authorizer, Decision } from '../authorizer.ts';
import type { NonResourceRule, ResourceRule, UserRules } from '../user-rules.ts';
import { allowanceBy, type Binding, type RoleIndex } from './role-index.ts';

const NO_OPINION: Decision = { decision: 'noOpinion', reason: '' };
const anyName = (): boolean => true;

export class RbacAuthorizer implements Authorizer {
  readonly #index: RoleIndex;
  readonly #catchUp: () => void;
  readonly #group: string;

  /** @param catchUp brings the index to the store's revision; called before each decision */
  constructor(index: RoleIndex, catchUp: () => void, identity: Identity) {
    this.#index = index;
    this.#catchUp = catchUp;
    this.#group = identity.text('rbac.authorization.${groupDomain}');
  }

  /** A request that would be refused waits until long objects are read, because these can only grant more. */
  authorize(attributes: AccessAttributes): Decision | Promise<Decision> {
    this.#catchUp();
    const decision = this.#judge(attributes);
    const { pending } = this.#index;
    return decision.decision === 'allow' || pending === undefined ? decision : pending.then(() => this.#judge(attributes));
  }

  #judge(attributes: AccessAttributes): Decision {
    const { user, namespace, name, isResource } = attributes;
    const accept = isResource ? (rule: PolicyRule): boolean => grantsOnName(rule, name) : anyName;
    const binding = this.#index.find(user, namespace, attributes, accept);
    if (binding !== undefined) return { decision: 'allow', reason: allowanceBy(binding, user) };
    const problem = this.#problem(this.#index.broken(user, namespace));
    return problem === undefined ? NO_OPINION : { decision: 'noOpinion', reason: `RBAC: ${problem}` };
  }

  async rules(user: User, namespace: string): Promise<UserRules> {
    await this.settled();
    const { rules, broken } = this.#held(user, namespace);
    const error = this.#problem(broken);
    return {
      resourceRules: rules.filter(({ resources }) => (resources ?? []).length > 0).map(resourceRule),
      nonResourceRules: rules.filter(({ nonResourceURLs }) => (nonResourceURLs ?? []).length > 0).map(nonResourceRule),
      incomplete: false,
      ...(error !== undefined && { error }),
    };
  }

  settled(): Promise<unknown> | undefined {
    this.#catchUp();
    return this.#index.pending;
  }

  held(
    user: Pick<User, 'name' | 'groups'>,
    namespace: string,
    resource: string,
  ): { rules: readonly PolicyRule[]; problem?: string | undefined } {
    const { rules, broken } = this.#held(user, namespace);
    return { rules, problem: this.#problem(broken, resource) };
  }

  /** All rules that a user has in a namespace and cluster-wide, and bindings without a role. */
  #held(user: Pick<User, 'name' | 'groups'>, namespace: string): { rules: readonly PolicyRule[]; broken: readonly Binding[] } {
    this.#catchUp();
    const rules: PolicyRule[] = [];
    const broken: Binding[] = [];
    for (const binding of this.#index.bindings(user, namespace)) {
      const found = this.#index.rulesOf(binding);
      if (found === undefined) broken.push(binding);
      else rules.push(...found);
    }
    return { rules, broken };
  }

  /** @returns undefined if there is no such role */
  roleRules(kind: string, name: string, namespace: string): readonly PolicyRule[] | undefined {
    this.#catchUp();
    return this.#index.rulesOf({ roleKind: kind, roleName: name, namespace });
  }

  /** Aggregated cluster roles whose stored rules are outdated, with the rules that they should have. */
  outdatedAggregates(): Promise<{ name: string; rules: PolicyRule[] }[]> {
    this.#catchUp();
    return inTurns(this.#index.outdatedAggregates());
  }

  /** @param resource that the missing roles are said to be of; absent: their own, in the singular */
  #problem(broken: readonly Binding[], resource?: string): string | undefined {
    const missing = aggregateText(
      broken.map(({ roleKind, roleName }) => `${resource ?? roleKind.toLowerCase()}.${this.#group} ${goQuote(roleName)} not found`),
    );
    return missing || undefined;
  }
}

function resourceRule({ verbs, apiGroups = [], resources = [], resourceNames = [] }: PolicyRule): ResourceRule {
  return { verbs, apiGroups, resources, resourceNames };
}

function nonResourceRule({ verbs, nonResourceURLs = [] }: PolicyRule): NonResourceRule {
  return { verbs, nonResourceURLs };
}

/** Authorizes by attributes: each line of a file allows the requests that it matches (specification: Authorization, mode ABAC). */

import type { User } from '../../contract/request-context.ts';
import { coversPath } from '../../kinds/rbac/rule-matching.ts';
import type { AccessAttributes, Authorizer, Decision } from '../authorizer.ts';
import type { UserRules } from '../user-rules.ts';

/** The attributes of one line. `*` matches everything, an empty text nothing. */
export interface AttributePolicy {
  /** '' matches any user if a group is given */
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const ALLOWED: Decision = { decision: 'allow', reason: '' };
const NO_OPINION: Decision = { decision: 'noOpinion', reason: 'No policy matched.' };
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const AUTHENTICATED = 'system:authenticated';

export class AbacAuthorizer implements Authorizer {
  #policies: readonly AttributePolicy[];

  constructor(policies: readonly AttributePolicy[]) {
    this.#policies = policies;
  }

  /** Replaces the policies. */
  use(policies: readonly AttributePolicy[]): void {
    this.#policies = policies;
  }

  authorize(attributes: AccessAttributes): Decision {
    const reads = READS.has(attributes.verb);
    const allows = (policy: AttributePolicy): boolean =>
      (reads || !policy.readonly) &&
      isMeant(policy, attributes.user) &&
      (attributes.isResource ? onResource(policy, attributes) : onPath(policy, attributes));
    return this.#policies.some(allows) ? ALLOWED : NO_OPINION;
  }

  rules(user: User, namespace: string): UserRules {
    const meant = this.#policies.filter((policy) => isMeant(policy, user) && matches(policy.namespace, namespace));
    const verbs = ({ readonly }: AttributePolicy): string[] => (readonly ? [...READS] : ['*']);
    return {
      resourceRules: meant
        .filter(({ resource }) => resource !== '')
        .map((policy) => ({ verbs: verbs(policy), apiGroups: [policy.apiGroup], resources: [policy.resource], resourceNames: [] })),
      nonResourceRules: meant
        .filter(({ nonResourcePath }) => nonResourcePath !== '')
        .map((policy) => ({ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
      incomplete: false,
    };
  }
}

/** `*` means all authenticated users. Others must be named, by user or group. */
function isMeant({ user, group }: AttributePolicy, { name, groups }: User): boolean {
  if (user === '*' || group === '*') return groups.includes(AUTHENTICATED);
  if (user === '' && group === '') return false;
  return (user === '' || user === name) && (group === '' || groups.includes(group));
}

function onResource(policy: AttributePolicy, { group, resource, namespace }: AccessAttributes): boolean {
  return matches(policy.namespace, namespace) && matches(policy.resource, resource) && matches(policy.apiGroup, group);
}

function onPath({ nonResourcePath }: AttributePolicy, { path }: AccessAttributes): boolean {
  return coversPath(nonResourcePath, path);
}

function matches(pattern: string, value: string): boolean {
  return pattern === '*' || pattern === value;
}

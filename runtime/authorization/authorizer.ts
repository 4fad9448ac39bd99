/** What authorizers are asked, and what they answer. */
import type { User } from '../contract/request-context.ts';
import type { Waiting } from '../outbound/shared-answer.ts';
import type { FieldRequirement } from '../selectors/field-selector-text.ts';
import type { LabelRequirement } from '../selectors/label-selector-text.ts';
import type { UserRules } from './user-rules.ts';

/** What an authorizer is asked: about a resource, or, where `isResource` is false, about a verb on a path. Members that do not apply are ''. */
export interface AccessAttributes {
  readonly user: User;
  readonly isResource: boolean;
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  /** `*`: any */
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** absent: not limited */
  readonly fieldSelector?: readonly FieldRequirement[];
  readonly labelSelector?: readonly LabelRequirement[];
}

export interface Decision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
  /** what went wrong on the way to the decision */
  readonly error?: string;
}

export interface Authorizer {
  /** @param waiting who waits, for authorizers that ask others; one that is given up rejects with the reason of its signal */
  authorize(attributes: AccessAttributes, waiting?: Waiting): Decision | Promise<Decision>;
  /** all that a user may do in a namespace, and outside of namespaces */
  rules(user: User, namespace: string): UserRules | Promise<UserRules>;
}

/** The questions and answers of authorizers. */
import type { User } from '../contract/request-context.ts';
import type { Waiting } from '../outbound/shared-answer.ts';
import type { FieldRequirement } from '../selectors/field-selector-text.ts';
import type { LabelRequirement } from '../selectors/label-selector-text.ts';
import type { UserRules } from './user-rules.ts';

/** The question to an authorizer: about a resource, or, if `isResource` is false, about a verb on a path. Members that do not apply are ''. */
export interface AccessAttributes {
  readonly user: User;
  readonly isResource: boolean;
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  /** `*`: any version */
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** the objects that the request is limited to; absent: no limit */
  readonly fieldSelector?: readonly FieldRequirement[];
  readonly labelSelector?: readonly LabelRequirement[];
}

export interface Decision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
  /** an error during the decision, which may still have been made */
  readonly error?: string;
}

export interface Authorizer {
  /** @param waiting whoever waits while an authorizer asks another service. When its signal aborts, the promise rejects with the signal's reason. */
  authorize(attributes: AccessAttributes, waiting?: Waiting): Decision | Promise<Decision>;
  /** everything that a user may do in a namespace, and outside of namespaces */
  rules(user: User, namespace: string): UserRules | Promise<UserRules>;
}

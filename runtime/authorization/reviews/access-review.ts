/**
 * Access reviews ask whether somebody may do something. Whatever the answer, the review itself succeeds. There are kinds for the caller, for any
 * subject, and for any subject in one namespace.
 */
import type {
  SelfSubjectAccessReviewSpec,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '../../../generated/authorization/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { User } from '../../contract/request-context.ts';
import { newBadRequest } from '../../status/status.ts';
import type { Authorizer } from '../authorizer.ts';
import { accessAttributes } from './asked-access.ts';

export type DecidingAuthorizer = Pick<Authorizer, 'authorize'>;

/** @param review must be valid, here and below */
export async function reviewSelfAccess(review: ApiObject, user: User, authorizer: DecidingAuthorizer): Promise<ApiObject> {
  return { ...review, status: await evaluate(review.spec, user, authorizer) };
}

export async function reviewSubjectAccess(review: ApiObject, authorizer: DecidingAuthorizer): Promise<ApiObject> {
  return { ...review, status: await evaluate(review.spec, subjectOf(review.spec), authorizer) };
}

/**
 * @param namespace of the request
 * @throws StatusError BadRequest
 */
export async function reviewLocalAccess(review: ApiObject, namespace: string, authorizer: DecidingAuthorizer): Promise<ApiObject> {
  if (review.metadata.namespace !== namespace) throw newBadRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
  return reviewSubjectAccess(review, authorizer);
}

/** @param spec valid: it has attributes of one of the two forms */
async function evaluate(spec: SelfSubjectAccessReviewSpec, user: User, authorizer: DecidingAuthorizer): Promise<SubjectAccessReviewStatus> {
  const { attributes, problems } = accessAttributes(spec, user);
  const { decision, reason, error } = await authorizer.authorize(attributes);
  const evaluationErrors = error === undefined ? problems : [error, ...problems];
  return {
    allowed: decision === 'allow',
    ...(decision === 'deny' && { denied: true }),
    ...(reason !== '' && { reason }),
    ...(evaluationErrors.length > 0 && { evaluationError: evaluationErrors.join('; ') }),
  };
}

function subjectOf({ user = '', uid = '', groups = [], extra = {} }: SubjectAccessReviewSpec): User {
  return { name: user, uid, groups, extra };
}

/**
 * Access reviews: may someone do something? Whatever the answer, the review itself succeeds. One asks about oneself, about any subject, or
 * about any subject in one namespace.
 */

import { type AccessAuthorizer, accessAttributes } from '../../authorization/access-attributes.ts';
import type { FieldError } from '../../contract/field-error.ts';
import type { RequestUser } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { newBadRequest, newInvalid } from '../../status/status.ts';
import type { Struct } from '../struct.ts';
import { validateLocalReview, validateSelfReview, validateSubjectReview } from './access-review-validation.ts';

/** @throws StatusError Invalid */
export async function reviewSelfAccess(review: ApiObject, user: RequestUser, authorizer: AccessAuthorizer): Promise<ApiObject> {
  refuse(review, validateSelfReview(review));
  return { ...review, status: await evaluate(review.spec, user, authorizer) };
}

/** @throws StatusError Invalid */
export async function reviewSubjectAccess(review: ApiObject, authorizer: AccessAuthorizer): Promise<ApiObject> {
  refuse(review, validateSubjectReview(review));
  return { ...review, status: await evaluate(review.spec, subjectOf(review.spec), authorizer) };
}

/**
 * @param namespace of the request
 * @throws StatusError Invalid, BadRequest
 */
export async function reviewLocalAccess(review: ApiObject, namespace: string, authorizer: AccessAuthorizer): Promise<ApiObject> {
  refuse(review, validateLocalReview(review));
  if (review.metadata.namespace !== namespace) throw newBadRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
  return { ...review, status: await evaluate(review.spec, subjectOf(review.spec), authorizer) };
}

/** @param spec valid: it has attributes of one of the two forms */
async function evaluate(spec: Struct, user: RequestUser, authorizer: AccessAuthorizer): Promise<Struct> {
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

/** An invalid review is reported without a kind, as 1.32 does it. */
function refuse({ apiVersion }: ApiObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw newInvalid({ group: apiVersion.slice(0, apiVersion.indexOf('/')), kind: '' }, '', errors);
}

function subjectOf({ user = '', uid = '', groups = [], extra = {} }: Struct): RequestUser {
  return { name: user, uid, groups, extra };
}

/**
 * Access reviews: may someone do something? Whatever the answer, the review itself succeeds. One asks about oneself, about any subject, or
 * about any subject in one namespace.
 */
import type { FieldError } from '../../contract/field-error.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { FieldRequirement } from '../../selectors/field-selector-text.ts';
import type { LabelRequirement } from '../../selectors/label-selector-text.ts';
import { newBadRequest, newInvalid } from '../../status/status.ts';
import type { User } from '../authentication/user-info.ts';
import type { Struct } from '../struct.ts';
import { validateLocalReview, validateSelfReview, validateSubjectReview } from './access-review-validation.ts';
import { fieldSelectorAttributes, labelSelectorAttributes, type SelectorAttributes } from './selector-attributes.ts';

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

export interface AccessDecision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
  /** what went wrong on the way to the decision */
  readonly error?: string;
}

export interface AccessAuthorizer {
  authorize(attributes: AccessAttributes): AccessDecision | Promise<AccessDecision>;
}

/** @throws StatusError Invalid */
export async function reviewSelfAccess(review: ApiObject, user: User, authorizer: AccessAuthorizer): Promise<ApiObject> {
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
export async function evaluate(spec: Struct, user: User, authorizer: AccessAuthorizer): Promise<Struct> {
  const fields = fieldSelectorAttributes(spec.resourceAttributes?.fieldSelector);
  const labels = labelSelectorAttributes(spec.resourceAttributes?.labelSelector);
  const attributes = spec.resourceAttributes
    ? resourceAttributes(spec.resourceAttributes, user, fields, labels)
    : pathAttributes(spec.nonResourceAttributes, user);
  const { decision, reason, error } = await authorizer.authorize(attributes);
  const problems = [error, problem('fieldSelector', fields), problem('labelSelector', labels)].filter((text) => text !== undefined);
  return {
    allowed: decision === 'allow',
    ...(decision === 'deny' && { denied: true }),
    ...(reason !== '' && { reason }),
    ...(problems.length > 0 && { evaluationError: problems.join('; ') }),
  };
}

/** An invalid review is reported without a kind, as 1.32 does it. */
function refuse({ apiVersion }: ApiObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw newInvalid({ group: apiVersion.slice(0, apiVersion.indexOf('/')), kind: '' }, '', errors);
}

function subjectOf({ user = '', uid = '', groups = [], extra = {} }: Struct): User {
  return { name: user, uid, groups, extra };
}

function resourceAttributes(
  asked: Struct,
  user: User,
  fields: SelectorAttributes<FieldRequirement> | undefined,
  labels: SelectorAttributes<LabelRequirement> | undefined,
): AccessAttributes {
  const { verb = '', group = '', version = '', namespace = '', resource = '', subresource = '', name = '' } = asked;
  return {
    user,
    isResource: true,
    verb,
    path: '',
    group,
    version: version === '' ? '*' : version,
    namespace,
    resource,
    subresource,
    name,
    ...(isLimited(fields) && { fieldSelector: fields.requirements }),
    ...(isLimited(labels) && { labelSelector: labels.requirements }),
  };
}

function isLimited<T>(selector: SelectorAttributes<T> | undefined): selector is SelectorAttributes<T> {
  return selector !== undefined && selector.requirements.length > 0;
}

function pathAttributes({ path = '', verb = '' }: Struct, user: User): AccessAttributes {
  return { user, isResource: false, verb, path, group: '', version: '', namespace: '', resource: '', subresource: '', name: '' };
}

function problem(member: string, selector: SelectorAttributes<unknown> | undefined): string | undefined {
  if (selector === undefined || !selector.failed) return undefined;
  return `spec.resourceAttributes.${member} ${selector.requirements.length > 0 ? 'partially ignored' : 'ignored'} due to parse error`;
}

/**
 * Virtual kinds: a client posts a question and gets it back with its answer; nothing is stored. Handlers go by the names that resources
 * give in `handler`. They get a decoded object whose namespace has been checked against the path, and leave it as it is.
 */
import type { ApiObject } from '../contract/object.ts';
import { reviewSelf } from './authentication/self-subject-review.ts';
import { type AuthenticateToken, reviewToken } from './authentication/token-review.ts';
import type { User } from './authentication/user-info.ts';
import { type AccessAuthorizer, reviewLocalAccess, reviewSelfAccess, reviewSubjectAccess } from './authorization/access-review.ts';
import { type RulesFor, reviewSelfRules } from './authorization/self-subject-rules-review.ts';

export interface ReviewParts {
  readonly authorizer: AccessAuthorizer;
  readonly rulesFor: RulesFor;
  readonly authenticateToken: AuthenticateToken;
  /** audiences of this server */
  readonly apiAudiences: readonly string[];
}

/** Who asks, where, and when. */
export interface ReviewRequest {
  readonly user: User;
  /** '' for a resource without namespaces */
  readonly namespace: string;
  /** milliseconds since 1970 */
  readonly now: number;
}

/** @throws StatusError */
export type ReviewHandler = (review: ApiObject, request: ReviewRequest) => ApiObject | Promise<ApiObject>;

export function reviewHandlers({
  authorizer,
  rulesFor,
  authenticateToken,
  apiAudiences,
}: ReviewParts): Readonly<Record<string, ReviewHandler>> {
  return {
    'authentication/self-subject-review': (review, { user, now }) => reviewSelf(review, user, now),
    'authentication/token-review': (review) => reviewToken(review, authenticateToken, apiAudiences),
    'authorization/self-subject-access-review': (review, { user }) => reviewSelfAccess(review, user, authorizer),
    'authorization/subject-access-review': (review) => reviewSubjectAccess(review, authorizer),
    'authorization/local-subject-access-review': (review, { namespace }) => reviewLocalAccess(review, namespace, authorizer),
    'authorization/self-subject-rules-review': (review, { user }) => reviewSelfRules(review, user, rulesFor),
  };
}

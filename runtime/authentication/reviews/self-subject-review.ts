import type { ApiObject } from '../../contract/object.ts';
import type { User } from '../../contract/request-context.ts';
import { formatTime } from '../../schema/scalar/time.ts';
import { userInfo } from './user-info.ts';

/**
 * Answers a SelfSubjectReview, which tells callers who they are to the server after authentication and impersonation. Apart from its kind and version, the
 * object of the request does not matter.
 * @param now milliseconds since 1970
 */
export function reviewSelf({ kind, apiVersion }: ApiObject, user: User, now: number): ApiObject {
  return {
    kind,
    apiVersion,
    metadata: { creationTimestamp: formatTime(Math.floor(now / 1000)) },
    status: { userInfo: userInfo(user) },
  };
}

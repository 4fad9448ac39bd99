import type { ApiObject } from '../../contract/object.ts';
import { newBadRequest } from '../../status/status.ts';
import { bearerToken } from '../bearer-token.ts';
import type { AuthenticateToken } from '../token-answer.ts';
import { userInfo } from './user-info.ts';

/**
 * Answers a TokenReview, which asks whose token one is. An invalid token is no error: the answer says that it is invalid.
 * @param apiAudiences the audiences of this server, for which the token must be if the review names none
 * @throws StatusError BadRequest if the review has no token
 */
export async function reviewToken(
  review: ApiObject,
  authenticateToken: AuthenticateToken,
  apiAudiences: readonly string[],
): Promise<ApiObject> {
  const { token = '', audiences = [] } = review.spec;
  if (token === '') throw newBadRequest('token is required for TokenReview in authentication');
  const wanted: readonly string[] = audiences.length > 0 ? audiences : apiAudiences;
  // 1.32 reads the token as if it came in a header: a space ends it, so a token that begins with one counts as none.
  const sent = bearerToken(`Bearer ${token}`, () => {});
  if (sent === undefined) return { ...review, status: { user: {} } };
  const answer = await authenticateToken(sent, wanted);
  if ('error' in answer) return { ...review, status: { user: {}, error: answer.error } };
  if (wanted.length > 0 && !answer.audiences.some((audience) => wanted.includes(audience)))
    throw new Error('a token was accepted for audiences that nobody asked for');
  return {
    ...review,
    status: {
      authenticated: true,
      user: userInfo(answer.user),
      ...(answer.audiences.length > 0 && { audiences: answer.audiences }),
    },
  };
}

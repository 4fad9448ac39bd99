/** The users and groups that authentication knows by itself, and how a user gets what all users have. */
import type { User } from '../contract/request-context.ts';

export const AUTHENTICATED_GROUP = 'system:authenticated';
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';

export const ANONYMOUS: User = { name: 'system:anonymous', uid: '', groups: [UNAUTHENTICATED_GROUP], extra: {} };

/** Key of a user's `extra`: which credential it was, for the audit. */
export const CREDENTIAL_ID = 'authentication.${labelDomain}/credential-id';

/** Adds the group of all users, unless the method has said already on which side the user stands. */
export function withAuthenticatedGroup(user: User): User {
  if (user.name === ANONYMOUS.name) return user;
  if (user.groups.includes(AUTHENTICATED_GROUP) || user.groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
}

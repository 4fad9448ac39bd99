/** The built-in users and groups of authentication. */
import type { User } from '../contract/request-context.ts';

export const AUTHENTICATED_GROUP = 'system:authenticated';
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';

export const ANONYMOUS: User = { name: 'system:anonymous', uid: '', groups: [UNAUTHENTICATED_GROUP], extra: {} };

/** The server itself, where it asks itself. @param uid of this process */
export const ownUserOf = (uid: string): User => ({
  name: 'system:apiserver',
  uid,
  groups: [AUTHENTICATED_GROUP, 'system:masters'],
  extra: {},
});

/** Key in a user's `extra` that tells audit which credential was used. */
export const CREDENTIAL_ID = 'authentication.${labelDomain}/credential-id';

/** Adds the group of authenticated users, except to the anonymous user, and to users in that group or in the one of unauthenticated users. */
export function withAuthenticatedGroup(user: User): User {
  if (user.name === ANONYMOUS.name) return user;
  if (user.groups.includes(AUTHENTICATED_GROUP) || user.groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
}

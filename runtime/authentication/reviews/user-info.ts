import type { UserInfo } from '../../../generated/authentication/v1/types.ts';
import type { User } from '../../contract/request-context.ts';

/** Makes the form in which reviews show a user: empty members are left out, and the keys of `extra` are sorted. */
export function userInfo({ name, uid, groups, extra }: User): UserInfo {
  const members = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(members.length > 0 && { extra: Object.fromEntries(members.map(([key, values]) => [key, [...values]])) }),
  };
}

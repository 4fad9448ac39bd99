import type { RequestUser } from '../../contract/kind.ts';
import type { Struct } from '../struct.ts';

/** A user as reviews show one: empty members are left out, keys of `extra` are sorted. */
export function userInfo({ name, uid, groups, extra }: RequestUser): Struct {
  const keys = Object.keys(extra).sort();
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(keys.length > 0 && { extra: Object.fromEntries(keys.map((key) => [key, extra[key]])) }),
  };
}

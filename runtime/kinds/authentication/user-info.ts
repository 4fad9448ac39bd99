import type { Struct } from '../struct.ts';

/** Who asks, or is asked about. */
export interface User {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A user as reviews show one: empty members are left out, keys of `extra` are sorted. */
export function userInfo({ name, uid, groups, extra }: User): Struct {
  const keys = Object.keys(extra).sort();
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(keys.length > 0 && { extra: Object.fromEntries(keys.map((key) => [key, extra[key]])) }),
  };
}

import { isObject } from '../../runtime/schema/json/member.ts';

/** The other value, with parts of the known one in their places, as a patch would have it. @param takesKnown asked for each place */
export function mixed(known: unknown, other: unknown, takesKnown: () => boolean): unknown {
  if (takesKnown()) return known;
  if (isObject(known) && isObject(other))
    return Object.fromEntries(
      Object.entries({ ...known, ...other }).map(([name, value]) => [
        name,
        Object.hasOwn(known, name) ? mixed(known[name], value, takesKnown) : value,
      ]),
    );
  if (Array.isArray(known) && Array.isArray(other))
    return other.map((value, i) => (i < known.length ? mixed(known[i], value, takesKnown) : value));
  return other;
}

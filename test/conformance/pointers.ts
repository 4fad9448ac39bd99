/** JSON pointers (RFC 6901) into answers. */

/** undefined where there is nothing. */
export function valueAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const member of members(pointer)) {
    if (found === null || found === undefined) return undefined;
    found = (found as Record<string, unknown>)[member];
  }
  return found;
}

/** Puts `mark` in place of what the pointer leads to, in place; `*` leads to every member. Where there is nothing, nothing is added. */
export function mark(value: unknown, pointer: string, replacement: string): void {
  const path = members(pointer);
  const last = path.pop();
  if (last === undefined) return;
  let places = [value];
  for (const member of path)
    places = places.flatMap((place) => selected(place, member).map((key) => (place as Record<string, unknown>)[key]));
  for (const place of places) for (const key of selected(place, last)) (place as Record<string, unknown>)[key] = replacement;
}

function selected(place: unknown, member: string): string[] {
  if (place === null || typeof place !== 'object') return [];
  if (member === '*') return Object.keys(place);
  return Object.hasOwn(place, member) ? [member] : [];
}

export function members(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((member) => member.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export const escapeMember = (member: string): string => member.replaceAll('~', '~0').replaceAll('/', '~1');

/** Notices for members that the other version lacks: they are kept in annotations, or lost. */
import { isObject } from '../../../runtime/schema/json/member.ts';
import { type Conversion, through } from '../conversion.ts';
import type { Notice } from './notice.ts';

/** Finds members that do not come back from the other version. */
export function lostMembers({ from, to, before, after }: Conversion): Notice[] {
  const had = before.metadata.annotations ?? {};
  const kept = Object.keys(after.metadata.annotations ?? {}).filter((name) => !Object.hasOwn(had, name));
  const notices = kept.map((name) => ({
    path: `metadata.annotations[${name}]`,
    text: `The annotation keeps what ${to.apiVersion} has no member for.`,
  }));
  const back = namesIn(through(to, from, after), '', new Set());
  const lost = [...namesIn(before, '', new Set())].filter((path) => !back.has(path));
  const outermost = lost.filter((path) => !lost.some((other) => path.startsWith(`${other}.`)));
  return [...notices, ...outermost.map((path) => ({ path, text: `${to.apiVersion} cannot say this: it is left out.` }))];
}

/** @returns dotted names of the members that have a value; lists are not mentioned, so that their order does not matter */
function namesIn(value: unknown, path: string, found: Set<string>): Set<string> {
  if (Array.isArray(value)) for (const element of value) namesIn(element, path, found);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) {
      if (!hasValue(member)) continue;
      const at = path === '' ? name : `${path}.${name}`;
      found.add(at);
      namesIn(member, at, found);
    }
  return found;
}

function hasValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return false;
  return typeof value !== 'object' || Object.isFrozen(value) || Object.keys(value).length > 0;
}

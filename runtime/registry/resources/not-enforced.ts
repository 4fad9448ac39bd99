/** What the writer of an object is told that looks like protection and is none, because what would enforce it is not part of this server. */
import type { NotEnforced } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Resource } from './resource.ts';

export function notEnforcedWarnings({ data: { notEnforced, name } }: Resource, object: ApiObject): string[] {
  if (notEnforced === undefined) return [];
  if (notEnforced === 'objects') return [`this server does not enforce ${name}: the object is stored and has no effect`];
  return thingsOf(notEnforced, object).map((thing) => `this server does not enforce ${thing}: it is stored and has no effect`);
}

function thingsOf({ members, paths }: Exclude<NotEnforced, 'objects'>, object: ApiObject): string[] {
  return [...members.filter((member) => hasMember(object, member)), ...paths.filter((path) => hasPath(object, path))];
}

/** Tells whether an object has a member of a name at any depth. It does not recurse, so objects may be deep. */
function hasMember(object: ApiObject, name: string): boolean {
  const pending: unknown[] = [object];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, name)) return true;
    for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) pending.push(member);
  }
  return false;
}

function hasPath(object: ApiObject, path: string): boolean {
  let value: unknown = object;
  for (const name of path.split('.')) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return value !== undefined && value !== null;
}

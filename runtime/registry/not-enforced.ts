/** What the writer of an object is told that looks like protection and is none, because what would enforce it is not part of this server. */
import type { NotEnforced } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import type { Resource } from './resource.ts';

/** @param old absent for a new object; labels that it has already are not told again */
export function notEnforcedWarnings({ data: { notEnforced, name } }: Resource, object: ApiObject, old: ApiObject | undefined): string[] {
  if (notEnforced === undefined) return [];
  if (notEnforced === 'objects') return [`this server does not enforce ${name}: the object is stored and has no effect`];
  return thingsOf(notEnforced, object, old).map((thing) => `this server does not enforce ${thing}: it is stored and has no effect`);
}

function thingsOf(notEnforced: Exclude<NotEnforced, 'objects'>, object: ApiObject, old: ApiObject | undefined): string[] {
  if ('labels' in notEnforced) return labelsOf(notEnforced.labels, object, old);
  const { members, paths } = notEnforced;
  return [...members.filter((member) => hasMember(object, member)), ...paths.filter((path) => hasPath(object, path))];
}

function labelsOf(beginning: string, { metadata: { labels = {} } }: ApiObject, old: ApiObject | undefined): string[] {
  const before = old?.metadata.labels ?? {};
  return Object.keys(labels)
    .filter((label) => label.startsWith(beginning) && labels[label] !== before[label])
    .map((label) => `the label ${label}`);
}

/** At any depth: it does not recurse. */
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

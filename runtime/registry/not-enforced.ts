/** What the writer of an object is told that looks like protection and is none, because what would enforce it is not part of this server. */
import type { ApiObject } from '../contract/object.ts';
import type { Resource } from './resource.ts';

/** @param old absent for a new object; labels that it has already are not told again */
export function notEnforcedWarnings({ data: { notEnforced, name } }: Resource, object: ApiObject, old: ApiObject | undefined): string[] {
  if (notEnforced === undefined) return [];
  if (notEnforced === 'objects') return [`this server does not enforce ${name}: the object is stored and has no effect`];
  const { labels = {} } = object.metadata;
  const before = old?.metadata.labels ?? {};
  return Object.keys(labels)
    .filter((label) => label.startsWith(notEnforced.labels) && labels[label] !== before[label])
    .map((label) => `this server does not enforce the label ${label}: it is stored and has no effect`);
}

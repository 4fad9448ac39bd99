/** Kinds of meta/v1 that every group version also has as its own. */
import type { GroupVersionKind } from '../document.ts';

const COMMON_KINDS = ['DeleteOptions', 'WatchEvent'];

/** Groups that have no objects, so that these kinds do not exist in them. */
const MACHINERY_GROUPS = ['meta.${groupDomain}', 'apidiscovery.${groupDomain}'];

export const isCommonKind = (kind: string): boolean => COMMON_KINDS.includes(kind);

/** @param groupVersions with placeholders @returns the group version kinds of a common kind, sorted */
export function inEachVersion(
  kind: string,
  groupVersions: readonly { readonly group: string; readonly version: string }[],
): GroupVersionKind[] {
  return groupVersions
    .filter(({ group }) => !MACHINERY_GROUPS.includes(group))
    .map(({ group, version }) => ({ group, kind, version }))
    .sort((a, b) => compare(a.group, b.group) || compare(a.version, b.version));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

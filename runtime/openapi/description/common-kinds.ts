/** Kinds of the machinery that every group version has as a kind of its own. */
import type { GroupVersionKind } from '../document.ts';

const COMMON_KINDS = ['DeleteOptions', 'WatchEvent'];

/** Groups that the server's own machinery speaks: no object of theirs is read or written, so deletions and watches are not of them. */
const MACHINERY_GROUPS = ['meta.${groupDomain}', 'apidiscovery.${groupDomain}'];

export const isCommonKind = (kind: string): boolean => COMMON_KINDS.includes(kind);

/** @param groupVersions with placeholders. @returns what the kind goes under, in order */
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

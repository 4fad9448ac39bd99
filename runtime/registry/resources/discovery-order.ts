import type { GroupVersionData } from '../../contract/kind.ts';
import { compareVersions } from '../../contract/version-priority.ts';

/** Groups by their priority, and versions of a group by theirs. All versions of a group must state the same priority of the group. */
export function discoveryOrder(a: GroupVersionData, b: GroupVersionData): number {
  if (a.groupPriority !== b.groupPriority) return b.groupPriority - a.groupPriority;
  if (a.group !== b.group) return a.group < b.group ? -1 : 1;
  return versionOrder(a, b);
}

/** Versions of one group, whatever priority of the group they state. */
export function versionOrder(a: GroupVersionData, b: GroupVersionData): number {
  return b.versionPriority - a.versionPriority || compareVersions(a.version, b.version);
}

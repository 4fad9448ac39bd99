import type { GroupVersionData } from '../../contract/kind.ts';
import { compareVersions } from '../../contract/version-priority.ts';

/** Groups by their priority, and versions of a group by theirs. */
export function discoveryOrder(a: GroupVersionData, b: GroupVersionData): number {
  if (a.groupPriority !== b.groupPriority) return b.groupPriority - a.groupPriority;
  if (a.group !== b.group) return a.group < b.group ? -1 : 1;
  return b.versionPriority - a.versionPriority || compareVersions(a.version, b.version);
}

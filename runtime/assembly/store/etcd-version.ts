/** Which releases of etcd can be relied upon. */

/**
 * For each minor release of 3, the first patch release whose progress notifications of watches are reliable, as 1.32 requires it for lists
 * from its watch cache.
 */
const FIRST: Readonly<Record<number, number>> = { 4: 31, 5: 13 };
const LAST_LISTED = 5;

/**
 * @param version such as `3.5.16`.
 * @returns whether a watch that has reached a revision has seen all earlier writes; false for a text that is no version
 */
export function tellsProgressTruly(version: string): boolean {
  const [major, minor, patch] = (/^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  if (major === undefined || minor === undefined || patch === undefined) return false;
  if (major !== 3 || minor > LAST_LISTED) return major >= 3;
  return patch >= (FIRST[minor] ?? Number.POSITIVE_INFINITY);
}

/** Releases of etcd by what can be relied upon. */

/** By minor releases of 3: the first that tells how far a watch is no sooner than what it has told, as 1.32 has them for its lists from the watch cache. */
const FIRST: Readonly<Record<number, number>> = { 4: 31, 5: 13 };
const LAST_LISTED = 5;

/** @param version such as `3.5.16`. @returns whether reads that go by a watch are sure to have what was written; false for what is no version */
export function tellsProgressTruly(version: string): boolean {
  const [major, minor, patch] = (/^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  if (major === undefined || minor === undefined || patch === undefined) return false;
  if (major !== 3 || minor > LAST_LISTED) return major >= 3;
  return patch >= (FIRST[minor] ?? Number.POSITIVE_INFINITY);
}

/**
 * From which release on something is there, and until when. Whatever a schema states may say so: a schema or a property by
 * `x-cluster-since` and `x-cluster-until`, an entry of a list by the members `since` and `until`.
 */

import type { JsonObject } from '../read/sources.ts';

export interface Lifespan {
  /** first release that has it; absent: as long as what holds it */
  readonly since?: string;
  /** first release that does not have it any more */
  readonly until?: string;
}

/** @returns less than zero where `a` is the older release */
export function compareReleases(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA - majorB || minorA - minorB;
}

export function isThere({ since, until }: Lifespan, release: string): boolean {
  return (since === undefined || compareReleases(since, release) <= 0) && (until === undefined || compareReleases(release, until) < 0);
}

/** @param marks of a schema, a property or an inline struct */
export function readLifespan(marks: JsonObject): Lifespan {
  const { 'x-cluster-since': since, 'x-cluster-until': until } = marks as Record<string, string | undefined>;
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

/** @returns those of the entries that the release has, without what they say of releases */
export function thereAt<T extends object>(entries: readonly (T & Lifespan)[], release: string): Omit<T, keyof Lifespan>[] {
  return entries.filter((entry) => isThere(entry, release)).map(({ since: _since, until: _until, ...entry }) => entry);
}

/** What an earlier form of something says of itself: it ended with this release. */
export interface Ended {
  readonly until: string;
}

/** @param earlier oldest first. @returns the form that the release had; undefined where it is the one of today */
export function earlierForm<T extends Ended>(earlier: readonly T[] | undefined, release: string): T | undefined {
  return earlier?.find(({ until }) => compareReleases(release, until) < 0);
}

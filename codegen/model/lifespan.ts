/**
 * From which release on something is there, and until when. Whatever a schema states may say so: a schema or a property by
 * `x-cluster-since` and `x-cluster-until`, an entry of a list by the members `since` and `until`.
 */

import { isObject, type JsonObject } from '../read/sources.ts';

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

/**
 * @param value a list or an object; entries of lists and members of objects at any depth may have the members `since` and `until`
 * @returns what of it the release has, without what is said of releases
 */
export function thereAt<T>(value: T, release: string): T {
  if (Array.isArray(value)) return value.filter((entry) => isEntryThere(entry, release)).map((entry) => thereAt(entry, release)) as T;
  if (!isObject(value)) return value;
  const { since: _since, until: _until, ...members } = value;
  const there = Object.entries(members).filter(([, member]) => isEntryThere(member, release));
  return Object.fromEntries(there.map(([name, member]) => [name, thereAt(member, release)])) as T;
}

function isEntryThere(value: unknown, release: string): boolean {
  return !isObject(value) || isThere(value as Lifespan, release);
}

/** @returns the lifespans that stand in a list or an object, at any depth */
export function lifespansIn(value: unknown): Lifespan[] {
  if (Array.isArray(value)) return value.flatMap(lifespansIn);
  if (!isObject(value)) return [];
  const { since, until } = value as Lifespan;
  const own = since === undefined && until === undefined ? [] : [value as Lifespan];
  return [...own, ...Object.values(value).flatMap(lifespansIn)];
}

/** What an earlier form of something says of itself: it ended with this release. */
export interface Ended {
  readonly until: string;
}

/** @param earlier oldest first. @returns the form that the release had; undefined where it is the one of today */
export function earlierForm<T extends Ended>(earlier: readonly T[] | undefined, release: string): T | undefined {
  return earlier?.find(({ until }) => compareReleases(release, until) < 0);
}

/** From which release on something is there, and until when. Releases are named by two numbers, such as "1.22". */

export interface Lifespan {
  /** first release that has it; absent: as long as what holds it */
  readonly since?: string;
  /** first release that does not have it any more */
  readonly until?: string;
}

/** With the releases that have it. */
export type Dated<T> = T & Lifespan;

/** What an earlier form of something says of itself: it ended with this release. */
export interface Ended {
  readonly until: string;
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

/** @param earlier oldest first. @returns the form that the release had; undefined where it is the one of today */
export function earlierForm<T extends Ended>(earlier: readonly T[] | undefined, release: string): T | undefined {
  return earlier?.find(({ until }) => compareReleases(release, until) < 0);
}

/**
 * @param value a list or an object; entries of lists and members of objects at any depth may have the members `since` and `until`
 * @returns what of it the release has, without what is said of releases
 */
export function thereAt<T>(value: T, release: string): T {
  if (Array.isArray(value)) return value.filter((entry) => isEntryThere(entry, release)).map((entry) => thereAt(entry, release)) as T;
  if (!isObject(value)) return value;
  const { since: _since, until: _until, ...members } = value as Lifespan;
  const there = Object.entries(members).filter(([, member]) => isEntryThere(member, release));
  return Object.fromEntries(there.map(([name, member]) => [name, thereAt(member, release)])) as T;
}

function isEntryThere(value: unknown, release: string): boolean {
  return !isObject(value) || isThere(value as Lifespan, release);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells in which releases something exists. Releases are named by two numbers, such as `1.22`. */

export interface Lifespan {
  /** the first release that has it; absent if that is the same as of the thing around it */
  readonly since?: string;
  /** the first release that no longer has it; absent if the current one has it */
  readonly until?: string;
}

/** Something with the releases that have it. */
export type Dated<T> = T & Lifespan;

/** An earlier form of something. */
export interface Ended {
  /** the first release that no longer has this form */
  readonly until: string;
}

/** Compares releases for sorting. @returns less than zero if `a` is the older release */
export function compareReleases(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA - majorB || minorA - minorB;
}

export function isThere({ since, until }: Lifespan, release: string): boolean {
  return (since === undefined || compareReleases(since, release) <= 0) && (until === undefined || compareReleases(release, until) < 0);
}

/** Finds the form that a release had. @param earlier the earlier forms, oldest first. @returns undefined if that is the form of today */
export function earlierForm<T extends Ended>(earlier: readonly T[] | undefined, release: string): T | undefined {
  return earlier?.find(({ until }) => compareReleases(release, until) < 0);
}

/**
 * Selects the parts that a release has.
 * @param value a list or an object; entries of lists and members of objects at any depth may have the members `since` and `until`
 * @returns a copy with only those parts, and without `since` and `until`
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

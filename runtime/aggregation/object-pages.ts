/** Pages of a list of another server's objects, summed up for whoever deletes these objects. */

/** The sum of one or more pages. */
export interface ListedObjects {
  readonly count: number;
  /** names of the first objects of each page */
  readonly names: readonly string[];
  /** longest grace period, in seconds */
  readonly grace: number;
  /** number of objects with each finalizer */
  readonly finalizers: ReadonlyMap<string, number>;
  /** token for the next page; '' on the last page */
  readonly next: string;
}

/** Most finalizers that are counted. More than that are not meaningful, and would only take memory. */
export const MOST_FINALIZERS = 1_000;

/** @param a the pages before `b` */
export function joinedPages(a: ListedObjects, b: ListedObjects): ListedObjects {
  const finalizers = new Map(a.finalizers);
  for (const [finalizer, count] of b.finalizers)
    if (finalizers.has(finalizer) || finalizers.size < MOST_FINALIZERS) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + count);
  return {
    count: a.count + b.count,
    names: a.names.concat(b.names),
    grace: Math.max(a.grace, b.grace),
    finalizers,
    next: b.next,
  };
}

export const NO_OBJECTS: ListedObjects = { count: 0, names: [], grace: 0, finalizers: new Map(), next: '' };

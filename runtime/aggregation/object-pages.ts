/** Pages of a list of another server's objects, put together by who deletes these. */

/** A page, or several. */
export interface ListedObjects {
  readonly count: number;
  /** of those that come first */
  readonly names: readonly string[];
  /** longest grace period, in seconds */
  readonly grace: number;
  /** objects that have it, by finalizer */
  readonly finalizers: ReadonlyMap<string, number>;
  /** token of the next page; '': there is none */
  readonly next: string;
}

/** That are counted: there can be no more by any sense. */
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

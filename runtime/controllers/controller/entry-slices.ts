/** Goes through many entries of the store, with turns for other work in between. */
import { turn } from '../../event-loop/turns.ts';
import { type Entry, prefixEnd, type Storage } from '../../storage/storage.ts';

export interface SliceOptions {
  /** entries read in one turn, at least 1 */
  readonly size: number;
  /** reads the past; absent: each slice as it is when its turn comes */
  readonly atRevision?: number;
}

/**
 * All entries whose keys start with `prefix`, in the order of keys. Iterate each slice in one synchronous turn, before the next one is asked for;
 * values are valid as those of `Storage.range`. What of a slice was not taken begins the next one.
 * @throws RevisionCompacted, RevisionInFuture
 */
export async function* entrySlices(storage: Storage, prefix: string, options: SliceOptions): AsyncGenerator<Iterable<Entry>> {
  const { size, ...range } = options;
  const end = prefixEnd(prefix);
  let start = prefix;
  let isLast = false;
  function* slice(): Generator<Entry> {
    let left = size;
    for (const entry of storage.range({ ...range, start, end, limit: size })) {
      left--;
      start = `${entry.key}\0`;
      yield entry;
    }
    isLast = left > 0;
  }
  for (;;) {
    yield slice();
    if (isLast) return;
    await turn();
  }
}

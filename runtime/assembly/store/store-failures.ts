/** Logs failures of background work on the store, each damaged value once. */
import type { Log } from '../../observability/log.ts';
import { StorageUnwritable, ValueDamaged } from '../../storage/errors.ts';

/** How many damaged values are remembered so that they are not logged again. */
const MOST_TOLD = 1_000;

/** @param what message of the log entries. @returns a function that takes the error of each failed attempt */
export function storeFailures(log: Log, what: string): (error: unknown) => void {
  const told = new Set<number>();
  return (error) => {
    // the store itself reports a disk that is full or failing
    if (error instanceof StorageUnwritable) return;
    if (error instanceof ValueDamaged) {
      if (told.has(error.revision)) return;
      if (told.size < MOST_TOLD) told.add(error.revision);
    }
    log.error({ err: error }, what);
  };
}

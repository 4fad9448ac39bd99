/** Tells of work behind the writes that fails, once where it goes on to fail by the same. */
import type { Log } from '../observability/log.ts';
import { StorageUnwritable, ValueDamaged } from '../storage/errors.ts';

/** Damaged values that are known to have been told, at most. */
const MOST_TOLD = 1_000;

/** @param what to say of each. @returns hears why the work failed, as often as it is tried */
export function storeFailures(log: Log, what: string): (error: unknown) => void {
  const told = new Set<number>();
  return (error) => {
    // of a disk that is full, or fails, the store tells
    if (error instanceof StorageUnwritable) return;
    if (error instanceof ValueDamaged) {
      if (told.has(error.revision)) return;
      if (told.size < MOST_TOLD) told.add(error.revision);
    }
    log.error({ err: error }, what);
  };
}

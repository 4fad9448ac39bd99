/** An allocator for objects that are in no cluster, such as those of files. They get neither addresses nor ports. */
import type { Allocator } from './allocation.ts';

/** Makes an allocator whose functions throw an error. @param problem the text of the error */
export function noAllocator(problem: string): Allocator {
  const refuse = (): never => {
    throw new Error(problem);
  };
  return {
    prefixes: [],
    addressRanges: new Map(),
    portRange: '',
    take: refuse,
    record: refuse,
    release: refuse,
    outside: refuse,
    keysOf: refuse,
  };
}

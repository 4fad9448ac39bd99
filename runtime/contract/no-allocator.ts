/** For objects that are in no cluster, as those of files: nothing is given out to them. */
import type { Allocator } from './allocation.ts';

/** @param problem what is told whoever takes something all the same */
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

/**
 * The part of a trace that calls of the store belong to, for what is done beneath it: the store knows no requests. It is set while the call is made, and for nothing
 * that is done in a later turn, so that no other request is taken for this one.
 */
import type { Part } from '../contract/trace.ts';

let current: Part | undefined;

/** @returns undefined where nothing is traced */
export const partUnderWay = (): Part | undefined => current;

/** Does work, whose calls of the store are parts of `part` until it returns. */
export function withinPart<T>(part: Part, work: () => T): T {
  const outer = current;
  current = part;
  try {
    return work();
  } finally {
    current = outer;
  }
}

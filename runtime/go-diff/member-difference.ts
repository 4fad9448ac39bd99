/** Differences of the structs of the wire, shown as those of the server's own. */
import type { StructType } from '../contract/descriptor.ts';
import { difference } from './difference.ts';
import { goStruct } from './wire-types.ts';

/** @returns '' for equal values; undefined for values that are too large to be compared here */
export function memberDifference(type: StructType, old: unknown, now: unknown): string | undefined {
  return difference(goStruct(type), old, now);
}

/** Random bytes for what has to be different each time: asking the system for a few takes as long as encrypting a small text, so they are asked for together. */
import { randomFillSync } from 'node:crypto';

/** Random bytes that are asked for at once: one question costs as much as hundreds of bytes. */
const POOL = 8 * 1024;

/** Filled when something is first encrypted. */
const pool = Buffer.alloc(POOL);
let used = POOL;

/** @param length at most a hundred. @returns bytes that nobody else is given, and that tell nothing of those that others are given */
export function randomly(length: number): Buffer {
  if (used + length > POOL) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + length));
  used += length;
  return bytes;
}

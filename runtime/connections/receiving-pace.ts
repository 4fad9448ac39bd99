/**
 * How much of long bodies is taken in one round of the event loop. Of a client that is fast Node takes up to 2 MiB in a round, and the same of every other
 * one: deciphering and keeping so much holds up whoever else asks.
 */

/** What can be told to wait, such as a request. */
export interface Receivable {
  pause(): unknown;
  resume(): unknown;
}

/** Bytes of one round, of all bodies together: some hundred microseconds. Each connection may have one more chunk under way, of 64 KiB. */
const MOST_IN_ROUND = 256 * 1024;

let taken = 0;
/** what is read again in the next round */
let paused: Receivable[] = [];

/**
 * Must be called for each chunk of a long body. If too much was received in one round, the body is paused until the next one.
 * @param bytes the length of the chunk
 */
export function paceReceiving(from: Receivable, bytes: number): void {
  if (taken === 0) setImmediate(beginRound);
  taken += bytes;
  if (taken < MOST_IN_ROUND) return;
  from.pause();
  paused.push(from);
}

function beginRound(): void {
  taken = 0;
  const resumed = paused;
  paused = [];
  for (const each of resumed) each.resume();
}

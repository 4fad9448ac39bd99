/** The standard error or the standard output as the log writes to it: at once, so that the last line before a crash is there, and without harm where it takes nothing. */
import { writeSync } from 'node:fs';

/** Lines that wait for room at most, in bytes; behind them lines are lost. */
const MOST_WAITING = 64 * 1024;
/** Milliseconds until lines that could not be written are tried again. */
const AGAIN = 1_000;
/** Milliseconds after which a line that could not be written means that nothing is, as in 1.32. */
const BLOCKED = 120_000;

export interface StandardStream {
  write(line: string): void;
  /** Why nothing is written any more; undefined while lines are. */
  problem(): string | undefined;
}

/** What cannot be written, as on a full disk, is tried again: no server ends for its log. */
export function standardStream(descriptor: 1 | 2): StandardStream {
  let waiting = '';
  let again: NodeJS.Timeout | undefined;
  /** since when lines wait, of `performance.now()` */
  let since: number | undefined;
  const flush = (): void => {
    clearTimeout(again);
    waiting = unwritten(descriptor, waiting);
    since = waiting === '' ? undefined : (since ?? performance.now());
    if (waiting !== '') again = setTimeout(flush, AGAIN).unref();
  };
  return {
    write(line) {
      if (waiting.length + line.length <= MOST_WAITING) waiting += line;
      flush();
    },
    problem: () => (since !== undefined && performance.now() - since >= BLOCKED ? 'logging blocked' : undefined),
  };
}

/** Writes at once. @returns what is left where that fails */
function unwritten(descriptor: number, text: string): string {
  let left = Buffer.from(text);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(descriptor, left));
    } catch (error) {
      // a pipe whose reader is slow: its lines are waited for, as the system does for a file
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') Atomics.wait(PAUSE, 0, 0, 1);
      else return left.toString();
    }
  }
  return '';
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

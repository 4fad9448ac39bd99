import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import * as assert from 'uvu/assert';

/** Has every later write of this process to an open write-ahead log fail. Linux alone says which file has which number. */
export function breakLog(log: string): void {
  const open = readdirSync('/proc/self/fd').filter((fd) => targetOf(`/proc/self/fd/${fd}`) === log);
  assert.is(open.length, 1);
  // its number goes to one that only reads
  closeSync(Number(open[0]));
  assert.is(openSync(log, 'r'), Number(open[0]));
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

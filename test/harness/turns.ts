/** How long a server's turns take, of a process that has loaded `turn-monitor.js`. */
import path from 'node:path';
import * as assert from 'uvu/assert';
import { projectRoot, type TestServer } from './server.ts';

/** For `preload` of a server whose turns are to be looked at. */
export const TURN_MONITOR = path.join(projectRoot, 'test/harness/turn-monitor.js');

/**
 * How much longer than ten milliseconds of a machine that does nothing else a turn may be found to have taken. The collector of garbage takes as long, and
 * may come in the middle of any turn. Without another thread turns take a hundred times as long.
 */
const SCATTER = 3;

/** The longest turn since the log was so long, as a multiple of ten milliseconds on a quiet machine; 0: none was long. */
function longestTurn(server: TestServer, logged: number): { readonly ratio: number; readonly text: string } {
  const found = server
    .log()
    .slice(logged)
    .matchAll(/a turn took ([\d.]+) ms, and the yardstick ([\d.]+) ms/g);
  let longest = { ratio: 0, text: '' };
  for (const [text, taken, yardstick] of found) {
    const ratio = Number(taken) / Number(yardstick);
    if (ratio > longest.ratio) longest = { ratio, text };
  }
  return longest;
}

/** No turn of the serving threads takes long meanwhile. */
export async function assertShortTurns<T>(server: TestServer, action: () => Promise<T>): Promise<T> {
  const logged = server.log().length;
  const result = await action();
  const { ratio, text } = longestTurn(server, logged);
  assert.ok(ratio < SCATTER, text);
  return result;
}

/** How long a server's turns take, of a process that has loaded `turn-monitor.js`. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { projectRoot, type TestServer } from './server.ts';

/** For `preload` of a server whose turns are to be looked at. */
export const TURN_MONITOR = path.join(projectRoot, 'test/harness/turn-monitor.js');

/**
 * How much longer than ten milliseconds of a machine that does nothing else a turn may be found to have taken, without the collector of garbage, whose
 * pauses come in the middle of any turn. Two are for pieces of work that end in one round. Without another thread turns take a hundred times as long.
 */
const SCATTER = 2;

/** From which a turn is long at once, however it is the next time: what a machine does besides has not made one so long. */
const FAR = 2 * SCATTER;

/** Milliseconds after which a turn is told of. */
const TOLD = 50;

/** The longest turn since the log was so long, as a multiple of ten milliseconds on a quiet machine, without the collector; 0: none was long. */
function longestTurn(server: TestServer, logged: number): { readonly ratio: number; readonly text: string } {
  const found = server
    .log()
    .slice(logged)
    .matchAll(/a turn took ([\d.]+) ms, [\d.]+ ms of it the system, ([\d.]+) ms of it the collector, and the yardstick ([\d.]+) ms/g);
  let longest = { ratio: 0, text: '' };
  for (const [text, taken, collected, yardstick] of found) {
    const ratio = (Number(taken) - Number(collected)) / Number(yardstick);
    if (ratio > longest.ratio) longest = { ratio, text };
  }
  return longest;
}

/** Milliseconds without a long turn, after which what a start brings with it is done. */
const QUIET = 500;

/** Milliseconds after which a server that still logs something does so for ever. */
const NEVER_QUIET = 120_000;

/** Resolves when a server has loaded and listed what it does behind its start. @throws Error with the end of its log if it is never quiet */
export async function untilQuiet(server: TestServer): Promise<void> {
  const end = performance.now() + NEVER_QUIET;
  for (let logged = -1; logged !== server.log().length; ) {
    if (performance.now() > end) throw new Error(`the server is never quiet: ${server.log().slice(-2_000)}`);
    logged = server.log().length;
    await sleep(QUIET);
  }
}

/** Times that what can be done again is done before its turns are found to be long: what a machine does besides comes and goes, and work stays. */
export const REPEATED = 3;

/**
 * No turn of the serving threads takes long meanwhile. TURNS=1 in the environment prints the longest one.
 * @param action told how often it has been done before: 0 the first time
 * @param attempts how often it may be done; 1 for what is not the same work the second time. The last result is given
 */
export async function assertShortTurns<T>(server: TestServer, action: (attempt: number) => Promise<T>, attempts = 1): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const logged = server.log().length;
    const result = await action(attempt);
    await sleep(TOLD);
    const { ratio, text } = longestTurn(server, logged);
    if (process.env.TURNS === '1') console.log(`\n${ratio.toFixed(2)}: ${text}`);
    if (ratio < SCATTER) return result;
    assert.ok(ratio < FAR && attempt + 1 < attempts, text);
  }
}

/** Serving processes that are killed while a run goes on. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestServer } from '../../harness/server.ts';
import type { Random } from './random.ts';

/** Milliseconds between two deaths: the next one may come before the last one is replaced. */
const INTERVAL = 1_200;

/** @returns how many were killed */
export async function killWorkers({ pid }: TestServer, random: Random, over: () => boolean): Promise<number> {
  let killed = 0;
  for (;;) {
    await sleep(INTERVAL);
    if (over()) return killed;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const workers = children.split(' ').filter(Boolean).map(Number);
    // one always serves
    if (workers.length < 2) continue;
    process.kill(random.of(workers), 'SIGKILL');
    killed++;
  }
}

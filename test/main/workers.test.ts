/** The process that hands connections out to workers; how whole servers do it is tested end to end. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Workers } from '../../runtime/main/workers.ts';

const test = suite('the supervisor of workers');
const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** Workers are started with the arguments of this process. */
async function withWorkers(script: string, use: (workers: Workers) => Promise<void>): Promise<void> {
  const { argv } = process;
  process.argv = [argv[0] as string, join(import.meta.dirname, script)];
  try {
    await use(await Workers.start({ count: 1, address: '127.0.0.1', port: 0, log, setLogLevels: silent, startProgress: silent }));
  } finally {
    process.argv = argv;
  }
}

test('a connection that nobody took is closed as soon as the last worker leaves', () =>
  withWorkers('leaving-worker.ts', async (workers) => {
    const client = connect(workers.port, '127.0.0.1').on('error', () => {});
    const [said] = await once(client, 'data');
    const worker = Number(String(said));
    const closed = once(client, 'close').then(() => 'closed');
    const stopped = workers.stop().then(() => 'stopped');
    try {
      const first = await Promise.race([closed, stopped, sleep(10_000, 'neither', { ref: false })]);
      assert.is(first, 'closed');
    } finally {
      process.kill(worker, 'SIGKILL');
      client.destroy();
      await stopped;
    }
  }));

test.run();

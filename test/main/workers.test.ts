/** The process that hands connections out to workers; how whole servers do it is tested end to end. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Workers, withThreads } from '../../runtime/main/workers.ts';

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

test('a connection that does not come to its worker is handed out anew', () =>
  withWorkers('losing-worker.ts', async (workers) => {
    const client = connect(workers.port, '127.0.0.1').on('error', () => {});
    const said = once(client, 'data').then(([text]) => String(text));
    try {
      assert.is(await Promise.race([said, sleep(30_000, 'nothing', { ref: false })]), '1\n');
    } finally {
      client.destroy();
      await workers.stop();
    }
  }));

test('a worker that still starts does not keep the end waiting', () =>
  withWorkers('starting-worker.ts', async (workers) => {
    const client = connect(workers.port, '127.0.0.1').on('error', () => {});
    const closed = once(client, 'close').then(() => 'closed');
    const stopped = workers.stop().then(() => 'stopped');
    const first = await Promise.race([stopped, sleep(30_000, 'goes on', { ref: false })]);
    client.destroy();
    assert.is(first, 'stopped');
    assert.is(await closed, 'closed');
  }));

for (const { name, flags = [], workers, processors, threads } of [
  { name: 'as many as Node has where there are processors for them', workers: 4, processors: 16, threads: ['--v8-pool-size=4'] },
  { name: 'the processors by the workers where there are less', workers: 3, processors: 8, threads: ['--v8-pool-size=2'] },
  { name: 'one where the workers are as many as the processors', workers: 2, processors: 2, threads: ['--v8-pool-size=1'] },
  { name: 'one where the workers are more', workers: 8, processors: 2, threads: ['--v8-pool-size=1'] },
  { name: 'what the flags of Node say', flags: ['--v8-pool-size=3'], workers: 2, processors: 2, threads: ['--v8-pool-size=3'] },
  {
    name: 'what the flags of Node say with underscores',
    flags: ['--v8_pool_size=3'],
    workers: 2,
    processors: 2,
    threads: ['--v8_pool_size=3'],
  },
  { name: 'beside other flags', flags: ['--title=x'], workers: 2, processors: 4, threads: ['--title=x', '--v8-pool-size=2'] },
])
  test(`threads of V8 of each worker: ${name}`, () => assert.equal(withThreads(flags, workers, processors, {}), threads));

test('threads of V8 of each worker: what the options of Node in the environment say', () =>
  assert.equal(withThreads([], 2, 2, { NODE_OPTIONS: '--title=x --v8-pool-size=3' }), []));

test.run();

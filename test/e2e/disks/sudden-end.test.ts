/** Processes that end at once, whatever they have under way: nobody waits for them, and they keep nothing that others need. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('sudden ends');

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const WRITERS = 16;
/** What a clean end waits for, before requests under way have another 10 s. */
const LONG_END = '--shutdown-delay-duration=1m';
/** Milliseconds; far above what it takes, for machines under load, and below what a clean end takes. */
const AT_ONCE = 20_000;

/** Writes all the time until nobody answers. Resolves when all writers have written something. */
async function writeOn(server: TestServer): Promise<void> {
  const write = async (client: Client, begun: () => void, failed: (error: unknown) => void): Promise<void> => {
    try {
      for (;;) {
        assert.is((await client.post(CONFIGMAPS, { metadata: { generateName: 'w-' } })).status, 201);
        begun();
      }
    } catch (error) {
      failed(error);
      client.close();
    }
  };
  await Promise.all(
    Array.from({ length: WRITERS }, () => new Promise<void>((begun, failed) => void write(new Client(server), begun, failed))),
  );
}

async function until(holds: () => boolean): Promise<boolean> {
  for (const end = Date.now() + AT_ONCE; Date.now() < end; await sleep(20)) if (holds()) return true;
  return false;
}

function workers({ pid }: TestServer): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

/** A process that has ended and that nobody has asked for its end has no files. */
const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}/fd/0`);

test('workers of a killed supervisor, for another server may have their directory by then', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'sudden-end-'));
  try {
    const first = await startServer({ dialect: 'kubernetes', directory, flags: ['--workers=2', LONG_END] });
    const left = workers(first);
    assert.is(left.length, 2);
    try {
      await writeOn(first);
      process.kill(first.pid, 'SIGKILL');
      await until(() => !left.some(isRunning));
      assert.equal(left.filter(isRunning), []);
    } finally {
      for (const pid of left.filter(isRunning)) process.kill(pid, 'SIGKILL');
      await first.kill();
    }
    const second = await startServer({ dialect: 'kubernetes', directory });
    assert.is((await new Client(second).get(`${CONFIGMAPS}?limit=1`)).status, 200);
    assert.is(await second.stop(), 0);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
});

test('a server that is asked for it a second time', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: [LONG_END] });
  try {
    await writeOn(server);
    const client = new Client(server);
    process.kill(server.pid, 'SIGTERM');
    // It says that it is not ready any more, and goes on.
    for (const end = Date.now() + AT_ONCE; (await client.get('/readyz')).status === 200; ) assert.ok(Date.now() < end, 'it does not end');
    assert.is((await client.get(`${CONFIGMAPS}?limit=1`)).status, 200, 'it did not wait for what is under way');
    assert.ok(server.running());
    process.kill(server.pid, 'SIGTERM');
    assert.ok(await until(() => !server.running()));
    client.close();
  } finally {
    await server.kill();
  }
});

const FAULTY = `data:text/javascript,${encodeURIComponent("process.on('SIGUSR2', () => { throw new Error('nobody catches this'); });")}`;

test('a server with a fault of its own, which it tells of', async () => {
  const server = await startServer({ dialect: 'kubernetes', preload: FAULTY });
  try {
    await writeOn(server);
    process.kill(server.pid, 'SIGUSR2');
    assert.ok(await until(() => !server.running()));
    assert.match(server.faults().join('\n'), 'nobody catches this');
  } finally {
    await server.kill();
  }
});

test.run();

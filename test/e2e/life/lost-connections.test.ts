/** Workers that have no file descriptor left for a connection: it waits until one of them has. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer } from '../../harness/server.ts';

const test = suite('lost connections');
/** Linux has a program for the limits of running processes. */
const canLimit = spawnSync('prlimit', ['--version']).status === 0;
const CLIENTS = 6;
/** Milliseconds; what a supervisor waits before it asks for connections, and some more. */
const LATE = 1_500;

function limitDescriptors(pid: number, most: number): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`]);
  assert.is(status, 0, String(stderr));
}

/** The number that the next one of the process would have. */
function nextDescriptor(pid: number): number {
  const taken = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let next = 0;
  while (taken.has(next)) next++;
  return next;
}

if (canLimit)
  test('those that do not come to a worker are answered when they can be', async () => {
    const server = await startServer({ dialect: 'kubernetes', flags: ['--workers=2'] });
    const clients = Array.from({ length: CLIENTS }, () => new Client(server));
    try {
      const workers = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
      for (const worker of workers) limitDescriptors(worker, nextDescriptor(worker));
      const statuses = Promise.all(clients.map(async (client) => (await client.get('/version')).status));
      await sleep(LATE);
      for (const worker of workers) limitDescriptors(worker, 1_024);
      assert.equal(
        await statuses,
        clients.map(() => 200),
      );
    } finally {
      for (const client of clients) client.close();
      await server.stop();
    }
  });
else test('cannot be had here', () => assert.not.ok(canLimit));

test.run();

/** By SIGUSR1 Node opens a debugger, which has no password; none of the processes does. */
import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../../harness/eventually.ts';
import { startServer } from '../../harness/server.ts';

const test = suite('a signal for a debugger');

test('opens none, and changes nothing', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: ['--workers=2'] });
  try {
    const workers = execFileSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    assert.is(workers.length, 2);
    const processes = [server.pid, ...workers.map(Number)];
    for (const pid of processes) process.kill(pid, 'SIGUSR1');
    await eventually('all tell of it', async () => server.log().split('SIGUSR1 has no effect').length > processes.length);
    assert.not.match(server.log(), /Debugger listening/);
  } finally {
    assert.is(await server.stop(), 0);
  }
});

test.run();

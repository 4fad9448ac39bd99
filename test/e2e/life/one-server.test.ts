/** Two servers on one data directory: the second is refused, and the lock of the first ends with it. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../../harness/eventually.ts';
import { refusedStart, ServerStartError, startServer } from '../../harness/server.ts';

const test = suite('one server for each data directory');

for (const flags of [[], ['--workers=2']])
  test(`a second server is refused${flags.map((flag) => `, with ${flag}`)}`, async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'one-server-'));
    const start = () => startServer({ dialect: 'cluster', directory, flags });
    try {
      const first = await start();
      try {
        const error = await start().then(
          () => undefined,
          (failure: unknown) => failure,
        );
        if (!(error instanceof ServerStartError)) throw error ?? new Error('the second server started');
        assert.is(error.exitCode, 1);
        const data = path.join(directory, 'data');
        assert.ok(error.output.includes(`the data directory ${data} is in use by the process ${first.pid};`), error.output);
        assert.ok(first.running());
      } finally {
        await first.kill();
      }
      // The file with the id of the killed process is still there, and means nothing.
      assert.is(readFileSync(path.join(directory, 'data', 'server.pid'), 'utf8'), `${first.pid}\n`);
      const next = await start();
      assert.is(await next.stop(), 0);
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
  });

test('a lock that somebody has removed is made again, and a second server is refused', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'one-server-'));
  const first = await startServer({ dialect: 'cluster', directory });
  try {
    await rm(path.join(directory, 'data', 'server.lock'));
    await eventually('it is there again', async () => existsSync(path.join(directory, 'data', 'server.lock')));
    await eventually('that is told', async () => first.log().includes('the lock of the data directory was removed while it was held'));
    assert.match((await refusedStart({ dialect: 'cluster', directory })).output, /is in use by the process/);
  } finally {
    assert.is(await first.stop(), 0);
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
});

test.run();

/** Two servers on one data directory: the second is refused, and the lock of the first ends with it. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ServerStartError, startServer } from '../../harness/server.ts';

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

test.run();

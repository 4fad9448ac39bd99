/** A log that nothing can be written to, as on a disk that is full, or fails: the server goes on without it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FailingDisk } from '../../harness/failing-disk.ts';
import { programFile, projectRoot } from '../../harness/programs.ts';

const test = suite('a log');
/** each write to it fails with ENOSPC; Linux has it */
const FULL = '/dev/full';

function status(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    asked.on('error', reject).end();
  });
}

const disk = FailingDisk.make();
if (typeof disk === 'string') console.log(`SKIPPED: ${disk}`);
else test.after(() => disk.remove());

/** Where the log goes: a file, and the environment of what writes to it. */
type Log = readonly [file: string, env?: Readonly<Record<string, string>>];
const LOGS: Readonly<Record<string, (directory: string) => Log>> = {
  ...(existsSync(FULL) && { 'is full': () => [FULL] }),
  ...(typeof disk !== 'string' && {
    fails(directory: string) {
      const file = path.join(directory, 'log');
      disk.fail(`write ${file}`);
      return [file, disk.env];
    },
  }),
};

for (const [what, make] of Object.entries(LOGS))
  for (const workers of [1, 2])
    test(`that ${what} does not end ${workers === 1 ? 'one process' : 'workers'} that would write to it`, async () => {
      const directory = mkdtempSync(path.join(tmpdir(), 'full-log-'));
      const [file, env] = make(directory);
      const log = openSync(file, 'w');
      const flags = ['--secure-port=0', `--data-dir=${path.join(directory, 'data')}`, `--workers=${workers}`, '-v=3'];
      const server = spawn(process.execPath, [programFile('cluster-apiserver'), ...flags], {
        cwd: projectRoot,
        stdio: ['ignore', 'pipe', log],
        env: { ...process.env, ...env },
      });
      const ended = once(server, 'exit');
      try {
        const lines = createInterface(server.stdout as Readable);
        const [line] = (await Promise.race([once(lines, 'line'), ended.then(() => ['it ended'])])) as [string];
        assert.match(line, / is ready at https:/);
        const url = line.replace(/.* at /, '');
        // each is a line of the log
        for (let i = 0; i < 5; i++) assert.is(await status(`${url}/readyz`), 200);
        server.kill('SIGTERM');
        assert.equal(await ended, [0, null]);
        if (file !== FULL) assert.is(statSync(file).size, 0);
      } finally {
        server.kill('SIGKILL');
        await ended;
        closeSync(log);
        rmSync(directory, { recursive: true, force: true });
      }
    });

test.run();

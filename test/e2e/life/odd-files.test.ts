/** Pipes, devices, folders, links and long files in the place of the files of a data directory: a start neither waits for them, nor crashes, nor takes them for others. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram } from '../../harness/program.ts';
import { refusedStart, type ServerOptions, startServer } from '../../harness/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'odd-files-'));
const left = path.join(folder, 'left');
const test = suite('odd files');
test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

const optionsOf = (directory: string, workers = 1): ServerOptions => ({
  dialect: 'kubernetes',
  directory,
  flags: [`--workers=${workers}`],
});
const start = (directory: string, workers?: number) => startServer(optionsOf(directory, workers));
let copies = 0;

test.before(async () => {
  mkdirSync(left);
  await (await start(left)).stop();
});

const pipe = (file: string): void => void execFileSync('mkfifo', [file]);
const KINDS: Readonly<Record<string, (file: string) => void>> = {
  'a pipe': pipe,
  'an endless device': (file) => symlinkSync('/dev/zero', file),
  'a folder': (file) => mkdirSync(file),
  'a link to itself': (file) => symlinkSync(file, file),
};

/** @returns a copy of what a server has left, with something else in the place of a file */
function copyWith(name: string, make: (file: string) => void): { readonly directory: string; readonly file: string } {
  const directory = path.join(folder, String(++copies));
  cpSync(left, directory, { recursive: true });
  const file = path.join(directory, 'data', name);
  rmSync(file);
  make(file);
  return { directory, file };
}

/** @returns what the server says that does not start. @throws Error where it starts, or takes too long */
async function refusal(directory: string, workers?: number): Promise<string> {
  const { exitCode, output } = await refusedStart(optionsOf(directory, workers));
  assert.is(exitCode, 1, output);
  assert.not.match(output, /^\s+at /m);
  return output;
}

for (const [kind, make] of Object.entries(KINDS)) {
  test(`${kind} in the place of what is needed is told, by its name`, async () => {
    for (const name of ['pki/server.key', 'store/ahead.log', 'store/lock.mdb', 'store/data.mdb']) {
      const { directory, file } = copyWith(name, make);
      const output = await refusal(directory);
      assert.ok(output.includes(file), `${name}: ${output}`);
      rmSync(directory, { recursive: true });
    }
  });

  test(`${kind} in the place of what tells little keeps nobody from starting`, async () => {
    for (const name of ['server.pid', 'store/closed.json']) {
      const { directory } = copyWith(name, make);
      assert.is(await (await start(directory)).stop(), 0, name);
      rmSync(directory, { recursive: true });
    }
  });
}

test('workers are refused as one process is, and commands as servers are', async () => {
  const { directory, file } = copyWith('store/lock.mdb', pipe);
  const output = await refusal(directory, 2);
  assert.ok(output.includes(`${file} cannot be used: it is not a regular file`), output);
  const { code, out } = await runProgram('check', `--data-dir=${path.join(directory, 'data')}`);
  assert.is(code, 0, out);
  const log = copyWith('store/ahead.log', pipe);
  const checked = await runProgram('check', `--data-dir=${path.join(log.directory, 'data')}`);
  assert.is(checked.code, 3, checked.out);
  assert.ok(checked.out.includes(`${log.file} is not a regular file`), checked.out);
});

test('the client configuration is written in the place of whatever is no folder', async () => {
  const { directory } = copyWith('admin.conf', pipe);
  assert.is(await (await start(directory)).stop(), 0);
});

test('a file that is far too long is not read', async () => {
  const { directory, file } = copyWith('pki/ca.crt', () => {});
  cpSync(path.join(left, 'data/pki/ca.crt'), file);
  truncateSync(file, 3 * 2 ** 30);
  assert.match(await refusal(directory), /ca\.crt cannot be read: it has 3221225472 bytes, where 1048576 are the most that it may have/);
});

test.run();

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lockDirectory } from '../../runtime/server/directory-lock.ts';

const test = suite('the lock of a data directory');
const folder = mkdtempSync(path.join(tmpdir(), 'directory-lock-'));
test.after(() => rmSync(folder, { recursive: true }));

test('is taken and given back', () => {
  lockDirectory(folder)();
  lockDirectory(folder)();
});

test('is named with its path when it is damaged, and can be taken when it was removed', () => {
  const file = path.join(folder, 'server.lock');
  writeFileSync(file, 'not what a lock holds, and longer than a header is'.repeat(20));
  assert.throws(
    () => lockDirectory(folder),
    (error: Error) => error.message.startsWith(`the lock ${file} cannot be used: `),
  );
  rmSync(file);
  lockDirectory(folder)();
});

test('what is no file is told in words, and nobody waits for it', () => {
  const own = mkdtempSync(path.join(folder, 'odd-'));
  const file = path.join(own, 'server.lock');
  for (const make of [() => mkdirSync(file), () => execFileSync('mkfifo', [file])]) {
    make();
    assert.throws(
      () => lockDirectory(own),
      (error: Error) => error.message.startsWith(`the lock ${file} cannot be used: it is not a regular file; `),
    );
    rmSync(file, { recursive: true });
  }
  execFileSync('mkfifo', [path.join(own, 'server.pid')]);
  const unlock = lockDirectory(own);
  assert.throws(() => lockDirectory(own), /in use by another process/);
  unlock();
});

test.run();

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepLocked, lockDirectory } from '../../runtime/server/directory-lock.ts';
import { eventually } from '../harness/eventually.ts';

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

test('is taken again where it was removed; where another process has taken it, that is told once', async () => {
  const own = mkdtempSync(path.join(folder, 'kept-'));
  const told: string[] = [];
  const unlocks = [lockDirectory(own)];
  const end = keepLocked(own, { retaken: () => told.push('retaken'), lost: ({ message }) => told.push(message) }, 10);
  await sleep(50);
  assert.equal(told, []);
  rmSync(path.join(own, 'server.lock'));
  await eventually('it is there again', async () => told.length > 0);
  assert.equal(told, ['retaken']);
  assert.throws(() => lockDirectory(own), /is in use by the process/);
  rmSync(path.join(own, 'server.lock'));
  unlocks.push(lockDirectory(own));
  await eventually('it is told', async () => told.length > 1);
  await sleep(50);
  assert.is(told.length, 2);
  assert.ok(told[1]?.startsWith(`the data directory ${own} is in use by `), told[1]);
  end();
  for (const unlock of unlocks) unlock();
});

test('of a folder that is gone is left alone', async () => {
  const own = mkdtempSync(path.join(folder, 'gone-'));
  const told: string[] = [];
  const unlock = lockDirectory(own);
  const end = keepLocked(own, { retaken: () => told.push('retaken'), lost: ({ message }) => told.push(message) }, 10);
  rmSync(own, { recursive: true });
  await sleep(50);
  assert.equal(told, []);
  end();
  unlock();
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

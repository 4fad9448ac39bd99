import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

test.run();

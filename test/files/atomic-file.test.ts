import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FileUnwritable, writeFileAtomically } from '../../runtime/files/atomic-file.ts';

const test = suite('files that are replaced as a whole');
const folder = mkdtempSync(path.join(tmpdir(), 'atomic-file-'));
test.after(() => rmSync(folder, { recursive: true }));

/** @returns what is made durable, and renamed, in that order */
function stepsOf(act: () => void): string[] {
  const { fsyncSync, renameSync } = fs;
  const steps: string[] = [];
  fs.fsyncSync = (file) => {
    steps.push(fs.fstatSync(file).isDirectory() ? 'folder' : `file of ${fs.fstatSync(file).size} bytes`);
    fsyncSync(file);
  };
  fs.renameSync = (from, to) => {
    steps.push('rename');
    renameSync(from, to);
  };
  syncBuiltinESMExports();
  try {
    act();
  } finally {
    Object.assign(fs, { fsyncSync, renameSync });
    syncBuiltinESMExports();
  }
  return steps;
}

test('the text is on the disk before it has the name, and the name before the call returns', () => {
  const file = path.join(folder, 'key');
  const steps = stepsOf(() => writeFileAtomically(file, 'secret', 0o600));
  assert.equal(steps, ['file of 6 bytes', 'rename', 'folder']);
  assert.is(readFileSync(file, 'utf8'), 'secret');
  assert.is(statSync(file).mode & 0o777, 0o600);
});

test('one that is there is replaced, and nothing is left beside it', () => {
  const file = path.join(folder, 'replaced');
  for (const text of ['one', 'another']) writeFileAtomically(file, text, 0o644);
  assert.is(readFileSync(file, 'utf8'), 'another');
  assert.equal(
    readdirSync(folder).filter((name) => name.startsWith('replaced')),
    ['replaced'],
  );
});

test('where it cannot be written nothing is left, and the error names it', () => {
  const taken = path.join(folder, 'taken');
  fs.mkdirSync(path.join(taken, 'full'), { recursive: true });
  for (const file of [taken, path.join(folder, 'missing', 'file')]) {
    try {
      writeFileAtomically(file, 'text', 0o600);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, FileUnwritable);
      assert.match((error as Error).message, `${file} cannot be written: `);
      assert.not.ok((error as FileUnwritable).isOfDisk);
    }
  }
  assert.equal(
    readdirSync(folder).filter((name) => name.startsWith('taken')),
    ['taken'],
  );
});

test.run();

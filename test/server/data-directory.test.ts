import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeDataDirectory } from '../../runtime/server/data-directory.ts';

const test = suite('the data directory');
const folder = mkdtempSync(path.join(tmpdir(), 'data-directory-'));
test.after(() => rmSync(folder, { recursive: true }));

test('is made with the folders above it, for its owner alone, and may be there', () => {
  const directory = path.join(folder, 'a/b/c');
  makeDataDirectory(directory);
  assert.is(statSync(directory).mode & 0o777, 0o700);
  makeDataDirectory(directory);
});

const file = path.join(folder, 'file');
writeFileSync(file, '');
const refused: readonly (readonly [name: string, directory: string, reason: RegExp])[] = [
  ['a file', file, /: it is no folder; --data-dir chooses another$/],
  ['below a file', path.join(file, 'x'), /cannot be used: /],
  // as root as well as for others
  ['where the system lets nobody make a folder', '/proc/nothing/data', /cannot be used: /],
];
for (const [name, directory, reason] of refused)
  test(`is not ${name}`, () => {
    assert.throws(
      () => makeDataDirectory(directory),
      (error: Error) => error.message.startsWith(`the data directory ${directory} cannot be used: `) && reason.test(error.message),
    );
  });

test.run();

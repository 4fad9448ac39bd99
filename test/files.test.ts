/** What a folder has, its tests have as well. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LONG_FILES } from './run.ts';

const test = suite('files and their tests');
/** Folders each of whose files has a test of its own. */
const FOLDERS: readonly (readonly [folder: string, recursive: boolean])[] = [
  ['endpoints/handlers', true],
  ['admission', false],
  ['relay', false],
];
/** Files that only say of what shape things are. */
const SHAPES = new Set([
  'admission/request/attributes.ts',
  'admission/plugin-interface/plugin.ts',
  'relay/relay-server.ts',
  'relay/exchange-error.ts',
]);

for (const [folder, recursive] of FOLDERS)
  test(`each file of runtime/${folder} has a test of its name`, () => {
    const files = readdirSync(path.join('runtime', folder), { recursive, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const missing = files.filter(
      (file) => !SHAPES.has(`${folder}/${file}`) && !existsSync(path.join('test', folder, file.replace(/\.ts$/, '.test.ts'))),
    );
    assert.equal(missing, []);
    assert.ok(files.length > 5);
  });

test('each file that is said to take long is there', () => {
  const named = readFileSync(LONG_FILES, 'utf8').trimEnd().split('\n');
  assert.equal(
    named.filter((file) => !existsSync(file)),
    [],
  );
  assert.equal(named, named.toSorted());
});

test.run();

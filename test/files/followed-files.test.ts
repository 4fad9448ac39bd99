/** All followed files are read when somebody asks, those that nobody looks at otherwise among them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FileWatch } from '../../runtime/files/file-watch.ts';
import { FollowedFiles } from '../../runtime/files/followed-files.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'followed-files-'));
const test = suite('files that are read again');
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('are counted by what became of them, and told in their order', async () => {
  const followedFiles = new FollowedFiles();
  const told: string[] = [];
  const watches = ['a', 'b', 'c'].map((name) => {
    const file = path.join(folder, name);
    writeFileSync(file, 'good');
    return new FileWatch({
      file,
      text: 'good',
      followedFiles,
      async changed(text) {
        if (text === 'bad') throw new Error('it is bad');
        told.push(`${name} ${text}`);
      },
      failed: (error) => told.push(`${name}: ${(error as Error).message}`),
    });
  });
  assert.equal(await followedFiles.readAgain(), { changed: 0, same: 3, failed: 0 });
  writeFileSync(path.join(folder, 'a'), 'bad');
  writeFileSync(path.join(folder, 'b'), 'better');
  assert.equal(await followedFiles.readAgain(), { changed: 1, same: 1, failed: 1 });
  // what is not used is tried again, what is used is not
  assert.equal(await followedFiles.readAgain(), { changed: 0, same: 2, failed: 1 });
  rmSync(path.join(folder, 'c'));
  watches[0]?.close();
  const { changed, same, failed } = await followedFiles.readAgain();
  assert.equal([changed, same, failed], [0, 1, 1]);
  assert.equal(told.slice(0, 3), ['a: it is bad', 'b better', 'a: it is bad']);
  assert.match(told[3] as string, /^c: .*c/);
  for (const watch of watches) watch.close();
  assert.equal(await followedFiles.readAgain(), { changed: 0, same: 0, failed: 0 });
});

test('are not read before somebody asks where nobody is to look', async () => {
  const followedFiles = new FollowedFiles();
  const file = path.join(folder, 'asked');
  writeFileSync(file, 'one');
  const told: string[] = [];
  const watch = new FileWatch({ file, text: 'one', followedFiles, changed: async (text) => void told.push(text), failed: () => {} });
  writeFileSync(file, 'two');
  // longer than writers have to be done
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(told, []);
  await followedFiles.readAgain();
  assert.equal(told, ['two']);
  watch.close();
});

test.run();

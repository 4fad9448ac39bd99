import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareTree, writeTree } from '../../../codegen/write/write.ts';

const write = suite<{ parent: string; folder: string }>('writing a tree');
write.before.each((context) => {
  context.parent = mkdtempSync(path.join(tmpdir(), 'cluster-schema-'));
  context.folder = path.join(context.parent, 'generated');
});
write.after.each(({ parent }) => rmSync(parent, { recursive: true }));

write('makes it', ({ folder }) => {
  const files = new Map([
    ['a/v1/kinds.ts', 'one'],
    ['routes.ts', 'two'],
  ]);
  writeTree(folder, files);
  assert.is(readFileSync(path.join(folder, 'a/v1/kinds.ts'), 'utf8'), 'one');
  assert.equal(compareTree(folder, files), []);
});
write('takes away what is no longer generated, and leaves nothing beside it', ({ parent, folder }) => {
  writeTree(folder, new Map([['a/v1/kinds.ts', 'one']]));
  writeFileSync(path.join(folder, 'stray'), '');
  const done = writeTree(folder, new Map([['b/v1/kinds.ts', 'one']]));
  assert.equal(readdirSync(folder), ['b']);
  assert.equal(readdirSync(parent), ['generated']);
  assert.equal(
    done.map(({ file, state }) => `${file} ${state}`),
    ['a/v1/kinds.ts extra', 'b/v1/kinds.ts missing', 'stray extra'],
  );
});
write('leaves alone what stays the same', ({ folder }) => {
  const kinds = path.join(folder, 'a/v1/kinds.ts');
  writeTree(folder, new Map([['a/v1/kinds.ts', 'one']]));
  utimesSync(kinds, 1, 1);
  assert.equal(writeTree(folder, new Map([['a/v1/kinds.ts', 'one']])), []);
  assert.is(statSync(kinds).mtimeMs, 1000);
});
write('goes on after one that was broken off', ({ folder }) => {
  writeTree(folder, new Map([['a/v1/kinds.ts.new', 'ha']]));
  writeTree(folder, new Map([['a/v1/kinds.ts', 'whole']]));
  assert.equal(readdirSync(path.join(folder, 'a/v1')), ['kinds.ts']);
});
write.run();

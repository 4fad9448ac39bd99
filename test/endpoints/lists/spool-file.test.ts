import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSpoolFile, removeLeftSpoolFiles } from '../../../runtime/endpoints/lists/spool-file.ts';

const test = suite<{ directory: string }>('files of spools');
test.before.each((context) => {
  context.directory = mkdtempSync(join(tmpdir(), 'spool-file-'));
});
test.after.each(({ directory }) => rmSync(directory, { recursive: true }));

const LEFT = 'spool-0123456789abcdef';

test('what a crash left is removed, and nothing else', ({ directory }) => {
  const others = ['spool-mine', 'spool-0123456789abcdef.txt', 'my-spool-0123456789abcdef', 'admin.conf'];
  for (const name of [LEFT, 'spool-fedcba9876543210', ...others]) writeFileSync(join(directory, name), '');
  mkdirSync(join(directory, 'store'));
  removeLeftSpoolFiles(directory);
  assert.equal(readdirSync(directory).sort(), [...others, 'store'].sort());
});

test('files that others are making at that moment can be written and read, and have no name', async ({ directory }) => {
  let making = true;
  const removing = (async () => {
    while (making) {
      removeLeftSpoolFiles(directory);
      await new Promise(setImmediate);
    }
  })();
  const files = await Promise.all(Array.from({ length: 300 }, () => openSpoolFile(directory))).finally(() => (making = false));
  await removing;
  assert.equal(readdirSync(directory), []);
  for (const file of files) {
    assert.is((await file.stat()).mode & 0o777, 0o600, 'by nobody else');
    await file.write('text', 0);
    assert.is((await file.read(Buffer.alloc(4), 0, 4, 0)).buffer.toString(), 'text');
    await file.close();
  }
});

test.run();

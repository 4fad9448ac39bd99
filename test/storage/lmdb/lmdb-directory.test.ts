import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DirectoryInUse, lockDirectory } from '../../../runtime/server/directory-lock.ts';
import { createWhole } from '../../../runtime/storage/lmdb/files/directory.ts';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { IncompatibleStorage } from '../../../runtime/storage/lmdb/store-files/format.ts';
import { openEnvironment } from '../../../runtime/storage/lmdb/tables/environment.ts';
import { bytes, thrown } from '../contract/store.ts';

const test = suite<{ folder: string }>('data directory');

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'directory-'));
});
test.after.each(async ({ folder }) => {
  await rm(folder, { recursive: true });
});

const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

test('is created with the folders above it, for its owner alone', async ({ folder }) => {
  const directory = join(folder, 'a', 'b.c', 'store');
  const storage = openLmdbStorage({ directory, dialect: 'test' });
  await storage.create('pods/a', bytes('1'));
  await storage.close();
  assert.is(await mode(directory), '700');
  assert.equal((await readdir(directory)).sort(), ['closed.json', 'data.mdb', 'lock.mdb', 'store.json']);
  for (const file of await readdir(directory)) assert.is(await mode(join(directory, file)), '600', file);
});

test('one that is there keeps its mode', async ({ folder }) => {
  const before = await mode(folder);
  await openLmdbStorage({ directory: folder, dialect: 'test' }).close();
  assert.is(await mode(folder), before);
});

test('keeps its dialect', async ({ folder }) => {
  const storage = openLmdbStorage({ directory: folder, dialect: 'one' });
  await storage.create('pods/a', bytes('1'));
  await storage.close();
  const error = thrown(() => openLmdbStorage({ directory: folder, dialect: 'two' }));
  assert.instance(error, IncompatibleStorage);
  assert.match((error as Error).message, `${folder} holds objects of the dialect "one" and cannot be served as "two"`);
  const again = openLmdbStorage({ directory: folder, dialect: 'one' });
  assert.is(String(again.get('pods/a')?.value), '1');
  await again.close();
});

for (const format of [5, 9])
  test(`of format ${format} is refused`, async ({ folder }) => {
    const environment = openEnvironment({
      directory: folder,
      addressSpace: 2 ** 30,
      checkFormat: (record) => record.put(`{"format":${format},"dialect":"test"}`),
      defers: false,
    });
    await environment.close();
    const error = thrown(() => openLmdbStorage({ directory: folder, dialect: 'test' }));
    assert.instance(error, IncompatibleStorage);
    assert.match((error as Error).message, `has storage format ${format}; this program reads format 6`);
  });

test('can be opened twice in one process', async ({ folder }) => {
  const first = openLmdbStorage({ directory: folder, dialect: 'test' });
  const second = openLmdbStorage({ directory: folder, dialect: 'test' });
  await first.create('pods/a', bytes('1'));
  assert.is(String(second.get('pods/a')?.value), '1');
  await Promise.all([first.create('pods/b', bytes('2')), second.create('pods/c', bytes('3'))]);
  await first.close();
  assert.is(second.currentRevision(), 3);
  await second.update('pods/a', 1, bytes('4'));
  assert.is(second.count({ start: '', end: '' }), 3);
  await second.close();
});

test('one that is created as a whole is not removed by who creates the same one meanwhile', async ({ folder }) => {
  const path = join(folder, 'whole');
  let finish = (): void => {};
  const filled = new Promise<void>((resolve) => (finish = resolve));
  const first = createWhole(
    path,
    async (part) => {
      await writeFile(join(part, 'one'), '1');
      await filled;
      await writeFile(join(part, 'two'), '2');
    },
    lockDirectory,
  );
  try {
    await createWhole(path, (part) => writeFile(join(part, 'other'), ''), lockDirectory);
    assert.unreachable('two create the same directory');
  } catch (error) {
    assert.instance(error, DirectoryInUse);
  }
  finish();
  await first;
  assert.equal((await readdir(path)).sort(), ['one', 'two']);
  assert.equal(await readdir(folder), ['whole']);
});

test('one that is created as a whole has nothing of an attempt that was killed', async ({ folder }) => {
  await mkdir(join(folder, 'whole.part', 'made'), { recursive: true });
  for (const left of ['left', 'made/left']) await writeFile(join(folder, 'whole.part', left), '');
  await createWhole(join(folder, 'whole'), (part) => writeFile(join(part, 'one'), '1'), lockDirectory);
  assert.equal(await readdir(join(folder, 'whole')), ['one']);
  assert.equal(await readdir(folder), ['whole']);
});

test.run();

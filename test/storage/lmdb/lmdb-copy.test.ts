import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LmdbStorage } from '../../../runtime/storage/lmdb/embedded-storage.ts';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { all, bytes, rejection, scanned, told, words } from '../contract/store.ts';
import { checkConsistency } from './lmdb-check.ts';

const test = suite<{ folder: string }>('a copy of a store on the disk');

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'copy-'));
});
test.after.each(({ folder }) => rm(folder, { recursive: true }));

const open = (directory: string, exclusive: boolean): LmdbStorage =>
  openLmdbStorage({ directory, dialect: 'test', terms: words, exclusive });

async function fill(storage: LmdbStorage): Promise<void> {
  await storage.create('pods/a', bytes('one'));
  await storage.update('pods/a', 1, bytes('two'));
  await storage.create('pods/b', bytes('three'));
  await storage.delete('pods/b', 3, bytes('gone'));
  await storage.create('pods/c', bytes('four'));
}

for (const exclusive of [false, true]) {
  const named = exclusive ? 'of one process, which defers lone writes,' : 'of several processes';
  test(`${named} has all that was written, and goes its own way`, async ({ folder }) => {
    const [place, copied] = [join(folder, 'store'), join(folder, 'copies', 'copy')];
    const storage = open(place, exclusive);
    await fill(storage);
    await storage.copyTo(copied);
    await storage.create('pods/later', bytes('of the first'));
    const copy = open(copied, exclusive);
    assert.is(copy.currentRevision(), 5);
    assert.equal(told(copy.changes(0, '')), [...told(storage.changes(0, ''))].slice(0, 5));
    assert.equal([all(copy, 3), all(copy)], [all(storage, 3), all(storage, 5)]);
    assert.is(await copy.create('pods/own', bytes('five')), 6);
    assert.equal([storage.get('pods/own'), copy.get('pods/later')], [undefined, undefined]);
    await copy.index();
    const find = { start: 'pods/', end: 'pods0', requirements: [['five']] };
    assert.equal(
      scanned(copy, find, ({ key }) => key),
      ['pods/own'],
    );
    await Promise.all([storage.close(), copy.close()]);
    const again = open(copied, exclusive);
    assert.is(again.count({ start: '', end: '' }), 3);
    await again.close();
    for (const directory of [place, copied]) assert.equal(await checkConsistency(directory), []);
    assert.is(((await stat(copied)).mode & 0o777).toString(8), '700');
  });

  test(`${named} is of one moment, whatever is written meanwhile`, async ({ folder }) => {
    const storage = open(join(folder, 'store'), exclusive);
    await Promise.all(Array.from({ length: 2_000 }, (_, i) => storage.create(`pods/${i}`, bytes('x'.repeat(500)))));
    let isCopied = false;
    const copies = storage.copyTo(join(folder, 'copy')).finally(() => {
      isCopied = true;
    });
    let written = 0;
    while (!isCopied || written < 10) await storage.create(`pods/more-${written++}`, bytes('y'));
    await copies;
    await storage.close();
    const copy = open(join(folder, 'copy'), exclusive);
    const revision = copy.currentRevision();
    assert.ok(revision >= 2_000 && revision <= 2_000 + written, String(revision));
    assert.is(copy.count({ start: '', end: '' }), revision);
    await copy.close();
    assert.equal(await checkConsistency(join(folder, 'copy')), []);
  });
}

test('is made before the store closes', async ({ folder }) => {
  const storage = open(join(folder, 'store'), true);
  await fill(storage);
  const copies = storage.copyTo(join(folder, 'copy'));
  await storage.close();
  assert.ok(existsSync(join(folder, 'copy')));
  await copies;
  assert.match(String(await rejection(storage.copyTo(join(folder, 'late')))), /is closed/);
});

test('takes the place of an attempt that ended at once', async ({ folder }) => {
  const part = join(folder, 'copy.part');
  await mkdir(part);
  await writeFile(join(part, 'data.mdb'), 'half of it');
  const storage = open(join(folder, 'store'), true);
  await fill(storage);
  await storage.copyTo(join(folder, 'copy'));
  await storage.close();
  assert.equal((await readdir(folder)).sort(), ['copy', 'store']);
  const copy = open(join(folder, 'copy'), true);
  assert.is(copy.currentRevision(), 5);
  await copy.close();
});

test('is not made where there is something, and leaves that alone', async ({ folder }) => {
  const storage = open(join(folder, 'store'), true);
  await fill(storage);
  for (const [place, problem] of [
    ['store', /is there already/],
    ['file', /is there already/],
    ['file/copy', /ENOTDIR|EEXIST|not a directory/],
  ] as const) {
    await writeFile(join(folder, 'file'), 'mine');
    assert.match(String(await rejection(storage.copyTo(join(folder, place)))), problem);
  }
  assert.is(storage.currentRevision(), 5);
  await storage.close();
  assert.equal((await readdir(folder)).sort(), ['file', 'store']);
});

test.run();

/** What is told of a store's files before LMDB opens them: nothing of them changes by that, so that what is put right is the store again. */
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DamagedStorage } from '../../../runtime/storage/lmdb/files/damage.ts';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { IncompatibleStorage } from '../../../runtime/storage/lmdb/store-files/format.ts';
import { tryOpening } from '../../../runtime/storage/lmdb/store-files/opening-trial.ts';
import { dataFile } from '../../../runtime/storage/lmdb/store-files/store-files.ts';
import { openEnvironment } from '../../../runtime/storage/lmdb/tables/environment.ts';
import { checkStore } from '../../../runtime/storage/lmdb/verification/store-check.ts';
import { all, bytes, words } from '../contract/store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'own-store-'));
const test = suite('the files of a store, before they are opened');
test.after(() => rmSync(folder, { recursive: true }));

let names = 0;
const newFolder = (): string => path.join(folder, String(++names));

/** The files of a store whose process ended at once behind some writes, each of a transaction of LMDB. */
async function written(keys: readonly string[]): Promise<string> {
  const [directory, left] = [newFolder(), newFolder()];
  const storage = openLmdbStorage({ directory, dialect: 'test', terms: words, exclusive: true });
  for (const key of keys) {
    await storage.create(key, bytes('a value'));
    await storage.index();
  }
  cpSync(directory, left, { recursive: true, preserveTimestamps: true });
  await storage.close();
  return left;
}

const filesOf = (directory: string): string[] =>
  readdirSync(directory)
    .sort()
    .map((name) => `${name} ${readFileSync(path.join(directory, name)).toString('base64')}`);

const refusal = (directory: string, dialect = 'test'): Promise<Error> =>
  tryOpening(directory, dialect).then(
    () => assert.unreachable() as never,
    (error: Error) => error,
  );

test('data of another store is refused, and the own data that is put back is served', async () => {
  const directory = await written(['pods/a']);
  const other = await written(Array.from({ length: 9 }, (_, i) => `pods/other-${i}`));
  const own = path.join(newFolder());
  copyFileSync(dataFile(directory), own);
  copyFileSync(dataFile(other), dataFile(directory));
  const before = filesOf(directory);
  const error = await refusal(directory);
  assert.instance(error, DamagedStorage);
  assert.match(error.message, /ahead\.log has writes of another time, or of another store, than data\.mdb beside it\. Nothing was changed/);
  assert.equal(filesOf(directory), before);
  copyFileSync(own, dataFile(directory));
  await tryOpening(directory, 'test');
  const storage = openLmdbStorage({ directory, dialect: 'test', terms: words });
  assert.is(all(storage).length, 1);
  await storage.close();
});

test('another dialect is refused, and nothing changes', async () => {
  const directory = await written(['pods/a']);
  const before = filesOf(directory);
  const error = await refusal(directory, 'other');
  assert.instance(error, IncompatibleStorage);
  assert.match(error.message, `${directory} holds objects of the dialect "test" and cannot be served as "other": use another directory`);
  assert.equal(filesOf(directory), before);
});

for (const [format, writer] of [
  [5, 'an earlier release'],
  [7, 'a later release'],
] as const)
  test(`a store of ${writer} is refused, also by who looks through it, and nothing changes`, async () => {
    const directory = newFolder();
    await openLmdbStorage({ directory, dialect: 'test' }).close();
    const record = `{"format":${format},"dialect":"test"}`;
    await openEnvironment({ directory, addressSpace: 2 ** 30, checkFormat: ({ put }) => put(record), defers: false }).close();
    const before = filesOf(directory);
    const expected = `${directory} has storage format ${format}; this program reads format 6: ${writer} has written it. Use that release, or restore`;
    const error = await refusal(directory);
    assert.instance(error, IncompatibleStorage);
    assert.match(error.message, expected);
    const listener = { damaged: () => assert.unreachable(), noted: () => {}, progress: () => {} };
    assert.throws(
      () => checkStore(directory, words, listener),
      (thrown: Error) => thrown instanceof IncompatibleStorage && thrown.message.includes(expected),
    );
    assert.equal(filesOf(directory), before);
  });

test('what it says of its format is damaged: who looks through it is told', async () => {
  const directory = newFolder();
  await openLmdbStorage({ directory, dialect: 'test' }).close();
  await openEnvironment({ directory, addressSpace: 2 ** 30, checkFormat: ({ put }) => put('{"format":"6"}'), defers: false }).close();
  assert.match((await refusal(directory)).message, 'is damaged: it says "{\\"format\\":\\"6\\"}" of its format');
  const found: string[] = [];
  checkStore(directory, words, { damaged: (_file, what) => found.push(what), noted: () => {}, progress: () => {} });
  assert.equal(found, ['is damaged: it says "{\\"format\\":\\"6\\"}" of its format']);
});

test.run();

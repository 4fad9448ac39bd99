/** What is saved of a store whose write-ahead log is damaged: every write that can be read, those behind the damage too. */
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { type RecoveredStore, recoverStore } from '../../../runtime/storage/lmdb/recovery/recover-store.ts';
import { all, bytes, words } from '../contract/store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'log-recovery-'));
const test = suite('recovery from a log');
test.after(() => rmSync(folder, { recursive: true }));

const WRITES = 60;
let copies = 0;

/** What a process leaves that is killed behind some writes: LMDB has the first of them, the log the others. */
let left = '';
test.before(async () => {
  const directory = path.join(folder, 'store');
  const storage = openLmdbStorage({ directory, dialect: 'test', terms: words, exclusive: true });
  await storage.create('a/first', bytes('in LMDB'));
  await storage.index();
  left = path.join(folder, 'left');
  mkdirSync(left);
  // LMDB as it is now: it gets the rest when it likes to
  for (const name of ['data.mdb', 'store.json']) copyFileSync(path.join(directory, name), path.join(left, name));
  for (let i = 2; i <= WRITES; i++) await storage.create(`a/${i}`, bytes(`the value ${i}.`));
  await storage.update('a/2', 2, bytes('again'));
  await storage.delete('a/3', 3, bytes('gone'));
  copyFileSync(log(directory), log(left));
  await storage.close();
});

interface Recovered extends RecoveredStore {
  readonly entries: readonly string[];
  readonly told: string;
}

async function recovered(harm: (directory: string) => void): Promise<Recovered> {
  const from = path.join(folder, `from-${++copies}`);
  cpSync(left, from, { recursive: true });
  harm(from);
  const to = path.join(folder, `to-${copies}`);
  mkdirSync(to);
  const told: string[] = [];
  const found = await recoverStore(from, to, 'test', {
    damaged: (file, text) => told.push(`${path.basename(file)} ${text}`),
    progress: () => {},
  });
  const storage = openLmdbStorage({ directory: to, dialect: 'test', terms: words, exclusive: true });
  const entries = all(storage);
  assert.is(storage.currentRevision(), found.revision);
  await storage.close();
  return { ...found, entries, told: told.join('\n') };
}

const log = (directory: string): string => path.join(directory, 'ahead.log');
const data = (directory: string): string => path.join(directory, 'data.mdb');
const change = (file: string, how: (bytes: Buffer) => void): void => {
  const bytes = readFileSync(file);
  how(bytes);
  writeFileSync(file, bytes);
};

/** All but those of some revisions. */
const entriesWithout = (...lost: readonly number[]): string[] =>
  [
    'a/first@1=in LMDB',
    `a/2@${WRITES + 1}=again`,
    ...Array.from({ length: WRITES - 3 }, (_, i) => `a/${i + 4}@${i + 4}=the value ${i + 4}.`),
  ]
    .filter((entry) => !lost.some((revision) => entry.includes(`@${revision}=`)))
    .sort();

test('a whole one is saved whole, what is deleted in it too', async () => {
  const { entries, lost, missing, told, saved } = await recovered(() => {});
  assert.equal([...entries].sort(), entriesWithout());
  assert.equal([lost, missing, told], [[], [], '']);
  assert.is(saved, WRITES - 1);
});

test('writes behind a flipped byte are saved, and the one that has it is told', async () => {
  const { entries, missing, revision } = await recovered((directory) =>
    change(log(directory), (bytes) => bytes.write('X', bytes.indexOf('the value 5.'))),
  );
  assert.equal([...entries].sort(), entriesWithout(5));
  assert.equal(missing, [{ first: 5, last: 5 }]);
  assert.ok(revision > WRITES + 2);
});

test('so is what stands before and behind a block that was overwritten', async () => {
  const { entries, missing } = await recovered((directory) => change(log(directory), (bytes) => bytes.fill(0, 4_096, 8_192)));
  const [range] = missing;
  assert.is(missing.length, 1);
  const { first, last } = range as { first: number; last: number };
  assert.ok(first > 4 && last < WRITES, `${first} to ${last}`);
  assert.equal([...entries].sort(), entriesWithout(...Array.from({ length: last - first + 1 }, (_, i) => first + i)));
});

test('what was cut off is told', async () => {
  const { entries, told, missing } = await recovered((directory) => truncateSync(log(directory), 10_000));
  assert.equal(missing, []);
  assert.match(told, /^ahead\.log has 10000 bytes, where it always has 1048576/);
  assert.ok(entries.length > 1 && entries.length < WRITES);
});

test('a missing one is told, and no revision that it may have had is given again', async () => {
  const { entries, told, revision } = await recovered((directory) => rmSync(log(directory)));
  assert.match(told, /^ahead\.log is missing/);
  assert.equal(entries, ['a/first@1=in LMDB']);
  assert.ok(revision > WRITES + 2);
});

test('without LMDB the log alone is saved', async () => {
  const { entries, told, saved } = await recovered((directory) => rmSync(data(directory)));
  assert.match(told, /^data\.mdb is missing/);
  assert.equal([...entries].sort(), entriesWithout());
  assert.is(saved, WRITES - 1);
});

test('a log of another store is told, and nothing of it is taken', async () => {
  const directory = path.join(folder, 'other');
  const storage = openLmdbStorage({ directory, dialect: 'test', terms: words, exclusive: true });
  for (let i = 1; i <= 2 * WRITES; i++) await storage.create(`b/${i}`, bytes('x'));
  await storage.close();
  assert.ok(existsSync(log(directory)));
  const { entries, told, revision } = await recovered((copy) => cpSync(log(directory), log(copy)));
  assert.equal(entries, ['a/first@1=in LMDB']);
  assert.match(told, /ahead\.log has writes of another time, or of another store, than data\.mdb beside it/);
  assert.match(told, /ahead\.log has \d+ writes up to revision 120, none of which is taken/);
  assert.ok(revision > 2 * WRITES);
});

test.run();

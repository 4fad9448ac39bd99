/** Single files of a store that are put back from an earlier moment: what was acknowledged since is missed, and told, whoever wrote it and however they ended. */
import fs, { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LmdbStorage } from '../../../runtime/storage/lmdb/embedded-storage.ts';
import { DamagedStorage } from '../../../runtime/storage/lmdb/files/damage.ts';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { type RecoveredStore, recoverStore } from '../../../runtime/storage/lmdb/recovery/recover-store.ts';
import { conditionOf, dataFile } from '../../../runtime/storage/lmdb/store-files/store-files.ts';
import { checkStore } from '../../../runtime/storage/lmdb/verification/store-check.ts';
import { all, bytes, words } from '../contract/store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'rolled-back-'));
const test = suite('files of a store that are put back');
test.after(() => rmSync(folder, { recursive: true }));

const open = (directory: string, exclusive = true): LmdbStorage => {
  conditionOf(directory);
  return openLmdbStorage({ directory, dialect: 'test', terms: words, exclusive });
};

/** A store at one moment, as it would be found if its process had ended then. */
interface Moment {
  readonly what: string;
  readonly directory: string;
  readonly entries: readonly string[];
}

let names = 0;
const newFolder = (): string => path.join(folder, String(++names));

function copyOf(directory: string): string {
  const copy = newFolder();
  cpSync(directory, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** What single writes, large batches, restarts and workers leave, one after the other. */
async function moments(): Promise<Moment[]> {
  const directory = newFolder();
  mkdirSync(directory);
  let storage = open(directory);
  let keys = 0;
  const found: Moment[] = [];
  const create = async (): Promise<void> => void (await storage.create(`a/${keys++}`, bytes('a value')));
  const note = (what: string): void => void found.push({ what, directory: copyOf(directory), entries: all(storage) });
  const reopen = async (what: string, exclusive: boolean): Promise<void> => {
    const entries = all(storage);
    await storage.close();
    found.push({ what, directory: copyOf(directory), entries });
    storage = open(directory, exclusive);
  };
  await create();
  await storage.index();
  note('of one write');
  await Promise.all(Array.from({ length: 40 }, create));
  note('of a batch that LMDB got at once');
  await create();
  await reopen('that was closed', true);
  await create();
  await storage.index();
  note('of a second process');
  await Promise.all(Array.from({ length: 40 }, create));
  await reopen('that was closed before workers', false);
  await create();
  note('of workers');
  await reopen('that workers have closed', true);
  await create();
  await reopen('that was closed at last', true);
  await storage.close();
  return found;
}

/** @returns the entries that are served; undefined: the store is refused, with what it says */
async function served(directory: string, exclusive: boolean): Promise<readonly string[] | undefined> {
  let storage: LmdbStorage;
  try {
    storage = open(directory, exclusive);
  } catch (error) {
    assert.instance(error, DamagedStorage);
    return undefined;
  }
  const entries = all(storage);
  await storage.close();
  return entries;
}

test('older data, or an older log, in the place of the newer one is refused, or nothing is missing', async () => {
  const found = await moments();
  for (const [older, { what, directory: from, entries }] of found.entries())
    for (const { what: later, directory, entries: newest } of found.slice(older + 1))
      for (const exclusive of [true, false]) {
        const copy = copyOf(directory);
        copyFileSync(dataFile(from), dataFile(copy));
        const shown = await served(copy, exclusive);
        const isWhole = shown === undefined || shown.length === newest.length;
        assert.ok(isWhole, `data ${what} in a store ${later}: ${shown?.length} of ${newest.length} entries (${entries.length})`);
        rmSync(copy, { recursive: true });
      }
});

test('the data is named, with the transactions and what can be done; check tells it too, and the whole older store is one', async () => {
  const found = await moments();
  const [first, last] = [found[0] as Moment, found.at(-1) as Moment];
  const copy = copyOf(last.directory);
  copyFileSync(dataFile(first.directory), dataFile(copy));
  const older = /data\.mdb ends with transaction \d+, where lock\.mdb beside it is of a store that went on to \d+: it is an older copy/;
  assert.throws(
    () => open(copy),
    (error: Error) => older.test(error.message) && /put the whole folder back from a backup/.test(error.message),
  );
  const told: string[] = [];
  checkStore(copy, words, { damaged: (file, text) => told.push(`${path.basename(file)} ${text}`), noted: () => {}, progress: () => {} });
  assert.ok(
    told.some((line) => older.test(line)),
    told.join('\n'),
  );
  assert.equal(await served(copyOf(first.directory), true), first.entries);
});

/** What is recovered of a store, and what is told of its files. */
async function recoveredOf(from: string): Promise<{ readonly found: RecoveredStore; readonly told: readonly string[] }> {
  const told: string[] = [];
  const to = newFolder();
  mkdirSync(to);
  const damaged = (file: string, text: string): void => void told.push(`${path.basename(file)} ${text}`);
  const found = await recoverStore(from, to, 'test', { damaged, progress: () => {} });
  return { found, told };
}

test('what is recovered of older data is told not to be the latest, and of each whole moment it is', async () => {
  const found = await moments();
  const last = (found.at(-1) as Moment).directory;
  for (const { what, directory } of found) {
    const whole = await recoveredOf(directory);
    assert.equal([whole.found.isLatest, whole.found.lost, whole.told], [true, [], []], what);
    if (directory === last) break;
    const copy = copyOf(last);
    copyFileSync(dataFile(directory), dataFile(copy));
    const older = await recoveredOf(copy);
    assert.is(older.found.isLatest, false, `data ${what}`);
    const line = /data\.mdb ends with transaction \d+, where lock\.mdb beside it is of a store that went on to \d+$/;
    assert.ok(
      older.told.some((each) => line.test(each)),
      older.told.join('\n'),
    );
    rmSync(path.join(copy, 'lock.mdb'));
    assert.is((await recoveredOf(copy)).found.isLatest, true, 'nothing tells of a later one');
  }
});

test('a log that cannot be written in several starts is no damage', async () => {
  const directory = newFolder();
  mkdirSync(directory);
  const log = path.join(directory, 'ahead.log');
  const alone = open(directory);
  await alone.create('a/1', bytes('in the log'));
  await alone.close();
  await open(directory, false).close();
  const { openSync } = fs;
  fs.openSync = (file, flags, mode) => {
    if (file === log && typeof flags === 'number' && (flags & fs.constants.O_WRONLY) !== 0)
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    return openSync(file, flags, mode);
  };
  syncBuiltinESMExports();
  try {
    for (let i = 2; i < 6; i++) {
      const storage = open(directory);
      await storage.create(`a/${i}`, bytes('in LMDB alone'));
      await storage.close();
    }
  } finally {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  }
  const storage = open(directory);
  assert.is(all(storage).length, 5);
  await storage.create('a/6', bytes('in the log again'));
  await storage.close();
  assert.is((await served(directory, true))?.length, 6);
});

test.run();

/** Few writes at a time, of a process that has the store for itself, and what a crash at any moment leaves of them: the files as they are then. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionCompacted, StorageError } from '../../../runtime/storage/errors.ts';
import type { LmdbStorage } from '../../../runtime/storage/lmdb/embedded-storage.ts';
import { DamagedStorage } from '../../../runtime/storage/lmdb/files/damage.ts';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import type { Storage } from '../../../runtime/storage/storage.ts';
import { all, bytes, rejection, scanned, thrown, told, withStore, words } from '../contract/store.ts';
import { breakLog } from './broken-log.ts';
import { checkConsistency } from './lmdb-check.ts';
import { type LmdbTestStore, lmdbStore } from './lmdb-store.ts';

const test = suite('an exclusive store');
const folder = mkdtempSync(path.join(tmpdir(), 'exclusive-'));
test.after(() => rmSync(folder, { recursive: true }));

const exclusively = (title: string, body: (store: LmdbTestStore) => Promise<void>): void =>
  test(title, () => withStore(() => lmdbStore({ exclusive: true }), body));

/** Stops the clock meanwhile, so that no batch is cut off after some milliseconds while this process waits for a processor. */
async function withoutTimePassing<T>(body: () => Promise<T>): Promise<T> {
  const { now } = performance;
  const moment = now.call(performance);
  performance.now = () => moment;
  try {
    return await body();
  } finally {
    performance.now = now;
  }
}

/** All that can be read of a store. */
function everything(storage: LmdbStorage): object {
  return {
    revision: storage.currentRevision(),
    size: storage.size(),
    entries: all(storage),
    count: storage.count({ start: '', end: '' }),
    changes: told(storage.changes(storage.compactedRevision(), '')),
  };
}

let copies = 0;

/** What a crash would leave now, opened. @param harm done to the files before */
async function afterCrash<T>(directory: string, read: (storage: LmdbStorage) => T, harm: (copy: string) => void = () => {}): Promise<T> {
  const copy = path.join(folder, String(++copies));
  cpSync(directory, copy, { recursive: true });
  rmSync(path.join(copy, 'lock.mdb'), { force: true });
  harm(copy);
  const storage = openLmdbStorage({ directory: copy, dialect: 'test', terms: words, exclusive: copies % 2 === 0 });
  const found = read(storage);
  // what is below the compacted revision may wait for a compaction
  await storage.compact(storage.compactedRevision());
  await storage.close();
  assert.equal(await checkConsistency(copy), []);
  rmSync(copy, { recursive: true });
  return found;
}

exclusively('each is there after a crash, as it is for who reads single keys before', async ({ storage, directory }) => {
  const value = (i: number) => bytes(`value ${i}`);
  for (let i = 1; i <= 70; i++) {
    await storage.create(`a/${i}`, value(i));
    assert.is(storage.currentRevision(), i);
    assert.is(storage.revisionOf(`a/${i}`), i);
    assert.is(String(storage.get(`a/${i}`)?.value), `value ${i}`);
    if (i % 7 !== 0) continue;
    assert.is(await afterCrash(directory, (copy) => all(copy).length), i);
  }
});

exclusively('what is updated and deleted is so after a crash', async ({ storage, directory }) => {
  await storage.create('a/1', bytes('one'));
  await storage.create('a/2', bytes('two'));
  await storage.update('a/1', 1, bytes('three'));
  await storage.delete('a/2', 2, bytes('gone'));
  await storage.create('a/2', bytes('again'));
  assert.is(storage.get('a/3'), undefined);
  const found = await afterCrash(directory, everything);
  assert.equal(found, everything(storage));
  assert.equal(all(storage), ['a/1@3=three', 'a/2@5=again']);
});

const logOf = (directory: string): Buffer => readFileSync(path.join(directory, 'ahead.log'));

interface LeftBehind {
  readonly directory: string;
  readonly writes: number;
}

/** Writes what is in the log alone if the process ends then: LMDB is left as it was before, however long the writes take. */
async function writeAhead({ storage, directory }: LmdbTestStore, segment = 'a'): Promise<LeftBehind> {
  const left = path.join(folder, `left-${++copies}`);
  mkdirSync(left);
  for (const name of ['data.mdb', 'store.json']) cpSync(path.join(directory, name), path.join(left, name));
  for (let i = 1; i <= 3; i++) await storage.create(`${segment}/${i}`, bytes(`the value ${i}.`));
  cpSync(path.join(directory, 'ahead.log'), path.join(left, 'ahead.log'));
  assert.ok(logOf(left).includes('the value 3.'));
  return { directory: left, writes: 3 };
}

exclusively('a write that has not reached the disk whole is not there, and nothing else is lost', async (store) => {
  const { directory, writes } = await writeAhead(store);
  const cut = (copy: string): void => {
    const file = path.join(copy, 'ahead.log');
    const log = readFileSync(file);
    log.fill(0, log.indexOf(`the value ${writes}.`));
    writeFileSync(file, log);
  };
  assert.equal(await afterCrash(directory, (copy) => all(copy), cut), ['a/1@1=the value 1.', 'a/2@2=the value 2.']);
  // it may have been given, and seen, before it was damaged
  assert.ok((await afterCrash(directory, (copy) => copy.currentRevision(), cut)) > writes + 128);
  await afterCrash(
    directory,
    (copy) =>
      assert.instance(
        thrown(() => copy.changes(writes - 1, '')),
        RevisionCompacted,
      ),
    cut,
  );
  assert.is(await afterCrash(directory, (copy) => copy.currentRevision()), writes);
});

exclusively('a log of another store is refused, whoever opens it', async ({ storage, directory }) => {
  await storage.create('a/1', bytes('one'));
  const own = await lmdbStore({ exclusive: true });
  await own.storage.close();
  const other = path.join(folder, String(++copies));
  cpSync(own.directory, other, { recursive: true });
  cpSync(path.join(directory, 'ahead.log'), path.join(other, 'ahead.log'));
  for (const exclusive of [true, false]) isRefused(other, exclusive, /ahead.log has writes of another time, or of another store,/);
  await own.remove();
});

exclusively('who reads a range waits for no commit of LMDB', async ({ storage, directory }) => {
  await storage.create('a/1', bytes('one'));
  await storage.index();
  const file = (): Buffer => readFileSync(path.join(directory, 'data.mdb'));
  const before = file();
  await storage.create('a/2', bytes('two'));
  await storage.update('a/1', 1, bytes('again'));
  assert.equal(all(storage), ['a/1@3=again', 'a/2@2=two']);
  assert.is(storage.count({ start: 'a/', end: 'a0' }), 2);
  assert.ok(file().equals(before), 'it had LMDB get what was written');
});

exclusively('an older file that is put back is refused beside the newer log', async ({ storage, directory }) => {
  const write = async (from: number): Promise<void> => {
    for (let i = from; i < from + 5; i++) await storage.create(`a/${i}`, bytes('x'));
  };
  await write(1);
  await storage.index();
  const older = path.join(folder, 'older.mdb');
  cpSync(path.join(directory, 'data.mdb'), older);
  await write(6);
  await storage.index();
  await write(11);
  const copy = path.join(folder, String(++copies));
  cpSync(directory, copy, { recursive: true });
  cpSync(older, path.join(copy, 'data.mdb'));
  // what it has may go on from what LMDB was given meanwhile
  for (const exclusive of [true, false]) isRefused(copy, exclusive, /ahead.log goes on with revision 11 from another state than data.mdb/);
});

exclusively('so is an older log beside the newer file', async ({ storage, directory }) => {
  await storage.create('a/1', bytes('x'));
  const older = path.join(folder, 'older.log');
  cpSync(path.join(directory, 'ahead.log'), older);
  await storage.create('a/2', bytes('x'));
  await storage.index();
  const copy = path.join(folder, String(++copies));
  cpSync(directory, copy, { recursive: true });
  cpSync(older, path.join(copy, 'ahead.log'));
  for (const exclusive of [true, false])
    isRefused(copy, exclusive, /ahead.log ends with revision 1, where data.mdb beside it says that it reached 2/);
});

/** Opening fails, and changes no file. */
function isRefused(directory: string, exclusive: boolean, found: RegExp): void {
  const files = (): Buffer[] =>
    ['data.mdb', 'ahead.log']
      .map((name) => path.join(directory, name))
      .filter(existsSync)
      .map((file) => readFileSync(file));
  const before = files();
  const error = thrown(() => openLmdbStorage({ directory, dialect: 'test', terms: words, exclusive }));
  assert.instance(error, DamagedStorage);
  assert.match((error as Error).message, found);
  assert.match((error as Error).message, /put the whole folder back from a backup/);
  assert.equal(files(), before);
}

for (const { what, harm, found } of [
  {
    what: 'with a flipped byte in the second of 60 writes',
    harm: (log: Buffer) => log.write('X', log.indexOf('the value 2.')),
    found: /ahead.log is damaged at byte \d+, behind revision 1: .* whole ones follow, as of revision 3/,
  },
  { what: 'truncated', harm: (log: Buffer) => log.subarray(0, 20_000), found: /ahead.log has 20000 bytes/ },
  { what: 'emptied', harm: (log: Buffer) => log.subarray(0, 0), found: /ahead.log has 0 bytes/ },
  { what: 'removed', harm: () => undefined, found: /ahead.log is missing/ },
])
  exclusively(`a log that is ${what} is refused, whoever opens it`, async ({ storage, directory }) => {
    for (let i = 1; i <= 60; i++) await storage.create(`a/${i}`, bytes(`the value ${i}.`));
    for (const exclusive of [true, false]) {
      const copy = path.join(folder, String(++copies));
      cpSync(directory, copy, { recursive: true });
      const log = logOf(copy);
      const harmed = harm(log);
      if (harmed === undefined) rmSync(path.join(copy, 'ahead.log'));
      else writeFileSync(path.join(copy, 'ahead.log'), typeof harmed === 'number' ? log : harmed);
      isRefused(copy, exclusive, found);
    }
  });

exclusively('postings begin anew behind what the log had', async (store) => {
  await store.storage.create('a/1', bytes('red'));
  await store.storage.index();
  const { directory: copy, writes } = await writeAhead(store, 'b');
  const storage = openLmdbStorage({ directory: copy, dialect: 'test', terms: { ...words, definition: 'other' }, exclusive: true });
  const found = scanned(storage, { start: 'a/', end: 'a0', requirements: [['red']] }, ({ key }) => key);
  assert.equal(found, ['a/1']);
  assert.is(storage.count({ start: 'b/', end: 'b0' }), writes);
  await storage.close();
});

exclusively('where no log can be made, writes go to LMDB', async ({ storage, directory }) => {
  mkdirSync(path.join(directory, 'ahead.log.new'));
  for (let i = 1; i <= 5; i++) assert.is(await storage.create(`a/${i}`, bytes(`value ${i}`)), i);
  assert.instance(await rejection(storage.create('a/5', bytes('again'))), Error);
  assert.is(storage.count({ start: '', end: '' }), 5);
  assert.is(await afterCrash(directory, (copy) => all(copy).length), 5);
});

for (const count of [1, 5]) {
  exclusively(
    `where the log cannot be written any more, ${count} at a time go to LMDB, and it is told once`,
    async ({ reopen, directory }) => {
      const reasons: unknown[] = [];
      const storage = await reopen({ onDeferralEnd: (reason) => reasons.push(reason) });
      await storage.create('a/0', bytes('before'));
      breakLog(path.join(directory, 'ahead.log'));
      const keys = Array.from({ length: count }, (_, i) => `a/${i + 1}`);
      await Promise.all(keys.map((key) => storage.create(key, bytes('x'))));
      await storage.update('a/1', 2, bytes('y'));
      assert.is(reasons.length, 1);
      assert.match(String(reasons[0]), `${directory}/ahead.log cannot be written: EBADF`);
      assert.is(storage.count({ start: '', end: '' }), count + 1);
      const expected = everything(storage);
      assert.equal(await afterCrash(directory, everything), expected);
    },
  );
}

exclusively('a list while a flush fails has what was acknowledged', async ({ storage, directory }) => {
  await storage.create('a/1', bytes('one'));
  assert.is(storage.count({ start: '', end: '' }), 1);
  breakLog(path.join(directory, 'ahead.log'));
  const failing = storage.create('a/2', bytes('two'));
  assert.equal(all(storage), ['a/1@1=one']);
  assert.is(await failing, 2);
  assert.equal(all(storage), ['a/1@1=one', 'a/2@2=two']);
});

exclusively('writes that come together are flushed together, each by itself', async ({ storage, directory }) => {
  await withoutTimePassing(() =>
    Promise.all(
      ['a/1', 'a/2', 'a/1', 'a/3'].map((key) =>
        storage.create(key, bytes(`of ${key}`)).catch((error) => assert.instance(error, StorageError)),
      ),
    ),
  );
  const log = logOf(directory);
  for (const key of ['a/1', 'a/2', 'a/3']) assert.ok(log.includes(`of ${key}`));
  assert.equal(await afterCrash(directory, (copy) => all(copy)), ['a/1@1=of a/1', 'a/2@2=of a/2', 'a/3@3=of a/3']);
  const cut = (copy: string): void => {
    const cutLog = Buffer.from(log);
    cutLog.fill(0, cutLog.indexOf('of a/2'));
    writeFileSync(path.join(copy, 'ahead.log'), cutLog);
  };
  assert.equal(await afterCrash(directory, (copy) => all(copy), cut), ['a/1@1=of a/1']);
});

exclusively(
  'who reads a range while writes are flushed sees what was acknowledged before, or all of them',
  async ({ storage, directory }) => {
    await withoutTimePassing(async () => {
      for (let round = 0; round < 40; round++) {
        const before = storage.currentRevision();
        const writes = Promise.all([0, 1, 2].map((i) => storage.create(`a/${round}-${i}`, bytes('x'))));
        for (let turns = 0; turns < round % 5; turns++) await new Promise(setImmediate);
        const seen = storage.count({ start: '', end: '' });
        assert.is(storage.currentRevision(), seen);
        assert.ok(seen === before || seen === before + 3, `${seen} of ${before + 3}`);
        assert.equal(await writes, [before + 1, before + 2, before + 3]);
        assert.is(storage.currentRevision(), before + 3);
      }
    });
    assert.is(await afterCrash(directory, (copy) => copy.count({ start: '', end: '' })), 120);
  },
);

exclusively('long values and short ones keep their order', async ({ storage, directory }) => {
  const lengths = [10, 100_000, 20, 64 * 1024, 64 * 1024 + 1, 3_000_000, 30];
  for (const [i, length] of lengths.entries()) await storage.create(`a/${i}`, bytes('x'.repeat(length)));
  const lengthsOf = (from: Storage): number[] => Array.from(from.changes(0, ''), ({ value }) => value.length);
  assert.equal(lengthsOf(storage), lengths);
  assert.equal(await afterCrash(directory, lengthsOf), lengths);
});

exclusively('a store of one process may be opened by several', async (store) => {
  await store.storage.create('a/1', bytes('one'));
  const found = await afterCrash(store.directory, everything);
  const shared = await store.reopen({ exclusive: false });
  assert.equal(everything(shared), found);
  await shared.create('a/2', bytes('two'));
  const own = await store.reopen({ exclusive: true });
  await own.create('a/3', bytes('three'));
  assert.equal(await afterCrash(store.directory, (copy) => all(copy)), ['a/1@1=one', 'a/2@2=two', 'a/3@3=three']);
});

/** Opens a store and keeps it open until its input ends. */
const HOLDER = `
  const { openLmdbStorage } = await import(process.argv[1]);
  const storage = openLmdbStorage({ directory: process.argv[2], dialect: 'test' });
  storage.currentRevision();
  console.log('open');
  process.stdin.resume().on('end', () => storage.close());
`;
const STORAGE = new URL('../../../runtime/storage/lmdb/lmdb-storage.ts', import.meta.url).href;

test('nothing is deferred where another process still has the file open', () =>
  withStore(
    () => lmdbStore(),
    async (store) => {
      const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, STORAGE, store.directory], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      try {
        await once(holder.stdout, 'data');
        const storage = await store.reopen({ exclusive: true });
        await storage.create('a/1', bytes('one'));
        assert.not.ok(existsSync(path.join(store.directory, 'ahead.log')));
      } finally {
        holder.stdin.end();
        await once(holder, 'exit');
      }
      const alone = await store.reopen({ exclusive: true });
      await alone.create('a/2', bytes('two'));
      assert.ok(existsSync(path.join(store.directory, 'ahead.log')));
    },
  ));

type Step =
  | { readonly do: 'write'; readonly key: number; readonly length: number }
  | { readonly do: 'delete'; readonly key: number }
  | { readonly do: 'writeMany'; readonly key: number }
  | { readonly do: 'list' | 'crash' | 'compact' | 'index' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('write' as const), key: fc.nat(5), length: fc.integer({ min: 1, max: 70_000 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), key: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('writeMany' as const), key: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('list' as const, 'compact' as const, 'index' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
);

async function put(storage: Storage, key: string, value: string): Promise<void> {
  const revision = storage.revisionOf(key);
  if (revision === undefined) await storage.create(key, bytes(value));
  else await storage.update(key, revision, bytes(value));
}

async function take({ storage, directory }: LmdbTestStore, next: Step, number: number): Promise<void> {
  switch (next.do) {
    case 'write':
      return put(storage, `a/${next.key}`, String(number).repeat(next.length));
    case 'delete': {
      const revision = storage.revisionOf(`a/${next.key}`);
      if (revision !== undefined) await storage.delete(`a/${next.key}`, revision, bytes('gone'));
      return;
    }
    case 'writeMany':
      await Promise.all(Array.from({ length: 3 }, (_, i) => put(storage, `b/${next.key}-${i}`, `${number}`)));
      return;
    case 'list':
      all(storage);
      return;
    case 'compact':
      return storage.compact(storage.currentRevision());
    case 'index':
      return storage.index();
    case 'crash': {
      // the crash first: what is read of the store itself has LMDB get what it lacks
      const left = await afterCrash(directory, everything);
      assert.equal(left, everything(storage));
    }
  }
}

test('after a crash at any moment of any history everything is there', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) =>
      withStore(
        () => lmdbStore({ exclusive: true }),
        async (store) => {
          for (const [number, next] of steps.entries()) await take(store, next, number);
          await take(store, { do: 'crash' }, steps.length);
        },
      ),
    ),
    { numRuns: 25 },
  ));

test.run();

/** A disk that takes no more: what was acknowledged is there for every read, and everything goes on when there is room. */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionCompacted, StorageFull } from '../../../runtime/storage/errors.ts';
import type { LmdbStorage } from '../../../runtime/storage/lmdb/embedded-storage.ts';
import { openLmdbStorage } from '../../../runtime/storage/lmdb/lmdb-storage.ts';
import { canLimitFiles, limitFiles } from '../../harness/small-disk.ts';
import { all, bytes, scanned, thrown, told, withStore, words } from '../contract/store.ts';
import { type LmdbTestStore, lmdbStore } from './lmdb-store.ts';

const test = suite('a full disk');

const fill = (directory: string): void => limitFiles(process.pid, statSync(path.join(directory, 'data.mdb')).size);
const makeRoom = (): void => limitFiles(process.pid, undefined);

/** The term of a long value that begins with r. */
const LONG_RED = '72';

/** What every way to read gives, in few letters. */
function everything(storage: LmdbStorage): Readonly<Record<string, string>> {
  const read = readAll(storage);
  return Object.fromEntries(
    Object.entries(read).map(([what, found]) => [what, createHash('sha1').update(JSON.stringify(found)).digest('hex')]),
  );
}

function readAll(storage: LmdbStorage): object {
  const range = { start: 'a/', end: 'a0' };
  const before = Math.max(storage.compactedRevision(), storage.currentRevision() - 7);
  return {
    revision: storage.currentRevision(),
    size: storage.size(),
    entries: all(storage),
    few: Array.from(storage.range({ ...range, limit: 3 }), ({ key }) => key),
    counts: [storage.count({ start: '', end: '' }), storage.count(range), storage.count({ ...range, atRevision: before })],
    before: all(storage, before),
    changes: told(storage.changes(storage.compactedRevision(), '')),
    changesOfOne: told(storage.changes(storage.compactedRevision(), 'a/')),
    // and perhaps more
    red: scanned(
      storage,
      { ...range, requirements: [['red', LONG_RED]] },
      ({ key, revision, value }) => `${key}@${revision}=${value}`,
    ).filter((entry) => entry.includes('=red')),
    singles: all(storage).map((entry) => String(storage.get(entry.slice(0, entry.indexOf('@')))?.value)),
  };
}

interface Written {
  /** `key=value` by revisions */
  readonly acknowledged: Map<number, string>;
  readonly refused: unknown[];
}

/** Creates, updates and deletes until nothing is taken any more, and a while on. */
async function writeOn(storage: LmdbStorage): Promise<Written> {
  const written: Written = { acknowledged: new Map(), refused: [] };
  for (let i = 0; written.refused.length < 5; i++) {
    assert.ok(i < 300, 'the disk is not full');
    const key = `a/${i % 37}`;
    const value = `red ${i} ${'x'.repeat((i * 97) % 2_500)}`;
    const latest = storage.revisionOf(key);
    try {
      if (latest === undefined) written.acknowledged.set(await storage.create(key, bytes(value)), `${key}=${value}`);
      else if (i % 5 === 0) written.acknowledged.set(await storage.delete(key, latest, bytes('gone')), `${key}=gone`);
      else written.acknowledged.set(await storage.update(key, latest, bytes(value)), `${key}=${value}`);
    } catch (error) {
      written.refused.push(error);
    }
  }
  return written;
}

function assertThere(storage: LmdbStorage, { acknowledged, refused }: Written): void {
  assert.ok(acknowledged.size > 0);
  for (const error of refused) {
    assert.instance(error, StorageFull);
    assert.match((error as Error).message, /data\.mdb cannot be written: no room is left on its disk \(E[A-Z]+\)$/);
  }
  const found = new Map(Array.from(storage.changes(0, ''), ({ key, revision, value }) => [revision, `${key}=${value}`]));
  for (const [revision, change] of acknowledged) assert.is(found.get(revision), change);
}

async function begin({ storage, directory }: LmdbTestStore): Promise<void> {
  for (let i = 0; i < 30; i++) await storage.create(`a/${i}`, bytes(`red ${i} ${'y'.repeat(2_000)}`));
  for (const key of ['b/1', 'b/2', 'a/9/9']) await storage.create(key, bytes('blue'));
  await storage.index();
  fill(directory);
}

for (const exclusive of canLimitFiles ? [true, false] : []) {
  const whose = exclusive ? 'of one process' : 'of several processes';
  const onFull = (title: string, body: (store: LmdbTestStore, troubles: (string | undefined)[]) => Promise<void>): void =>
    test(`${whose}: ${title}`, async () => {
      const troubles: (string | undefined)[] = [];
      try {
        await withStore(
          () => lmdbStore({ exclusive, onTrouble: (reason) => troubles.push(reason?.message) }),
          async (store) => {
            await begin(store);
            await body(store, troubles);
            makeRoom();
          },
        );
      } finally {
        makeRoom();
      }
    });

  onFull('all that was acknowledged is read in every way, and what is refused says why', async ({ storage, directory }, troubles) => {
    const written = await writeOn(storage);
    const full = everything(storage);
    assertThere(storage, written);
    assert.equal(everything(storage), full, 'reading changes nothing');
    assert.is(new Set(troubles).size, 1);
    assert.match(String(troubles[0]), `${directory}/data.mdb cannot be written: no room is left on its disk`);
    makeRoom();
    assert.ok((await storage.create('c/1', bytes('room'))) > Math.max(...written.acknowledged.keys()));
    assert.is(troubles.at(-1), undefined);
    await storage.delete('c/1', storage.currentRevision(), bytes('gone'));
    assertThere(storage, written);
  });

  onFull('what reads see on it is what they see when there is room', async ({ storage }) => {
    await writeOn(storage);
    const full = everything(storage);
    makeRoom();
    await storage.index();
    assert.equal(everything(storage), full);
  });

  onFull('the work behind the writes waits, and goes on', async ({ storage }) => {
    await writeOn(storage);
    // some may still find room among the pages that are free
    const works = [storage.index(), storage.compact(storage.currentRevision()), storage.probe()];
    for (const { reason = new StorageFull('') } of (await Promise.allSettled(works)) as { reason?: unknown }[])
      assert.instance(reason, StorageFull);
    makeRoom();
    await storage.index();
    await storage.compact(storage.currentRevision());
    assert.instance(
      thrown(() => storage.changes(0, '')),
      RevisionCompacted,
    );
    await storage.probe();
  });

  onFull('it comes back by itself, though nobody writes', async ({ storage }, troubles) => {
    await writeOn(storage);
    const full = everything(storage);
    makeRoom();
    // where nothing is deferred there is nothing to come back to
    for (let i = 0; exclusive && troubles.at(-1) !== undefined; i++) {
      assert.ok(i < 200, 'it does not come back');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal(everything(storage), full);
  });

  onFull('a store that is opened on it has all, takes nothing, and goes on when there is room', async (store) => {
    const written = await writeOn(store.storage);
    const full = everything(store.storage);
    const again = await store.reopen();
    assert.equal(everything(again), full);
    assertThere(again, written);
    const more = await writeOn(again);
    const entries = all(again);
    makeRoom();
    const revision = await again.create('c/1', bytes('room'));
    assert.ok(revision > Math.max(...written.acknowledged.keys(), ...more.acknowledged.keys()));
    await again.delete('c/1', revision, bytes('gone'));
    const last = await store.reopen();
    assertThere(last, written);
    assert.ok(all(last).join() === entries.join());
  });
}

/** What a process leaves that is killed behind some writes, the last of which is torn: LMDB has the first one and its postings, the log the others. */
async function leaveTornLog(from: string, left: string): Promise<void> {
  const storage = openLmdbStorage({ directory: from, dialect: 'test', terms: words, exclusive: true });
  await storage.create('a/first', bytes('red'));
  await storage.index();
  for (const name of ['data.mdb', 'store.json']) copyFileSync(path.join(from, name), path.join(left, name));
  for (let i = 2; i <= 20; i++) await storage.create(`a/${i}`, bytes(`red ${i} ${'y'.repeat(2_000)}`));
  const log = readFileSync(path.join(from, 'ahead.log'));
  log.write('X', log.indexOf('red 20 '));
  writeFileSync(path.join(left, 'ahead.log'), log);
  await storage.close();
}

if (canLimitFiles)
  test('what LMDB could not take when the store was opened does not undo that postings begin anew', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'full-disk-'));
    const [from, left] = ['from', 'left'].map((name) => path.join(folder, name)) as [string, string];
    mkdirSync(left);
    try {
      await leaveTornLog(from, left);
      fill(left);
      // the disk recovers between what was deferred and the postings
      let wasTorn = false;
      const onTornLog = (): void => {
        wasTorn = true;
        makeRoom();
      };
      const terms = { ...words, definition: 'other' };
      const storage = openLmdbStorage({ directory: left, dialect: 'test', terms, exclusive: true, onTornLog });
      assert.ok(wasTorn);
      await storage.create('b/1', bytes('blue'));
      await storage.index();
      const found = scanned(storage, { start: 'a/', end: 'a0', requirements: [['red']] }, ({ key }) => key);
      assert.equal(found, ['a/first']);
      await storage.close();
    } finally {
      makeRoom();
      rmSync(folder, { recursive: true });
    }
  });

if (!canLimitFiles) test('cannot be made here', () => assert.not(canLimitFiles));

test.run();

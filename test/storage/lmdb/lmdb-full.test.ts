import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StorageFull } from '../../../runtime/storage/errors.ts';
import type { LmdbStorage } from '../../../runtime/storage/lmdb/embedded-storage.ts';
import { bytes, rejection, withStore } from '../contract/store.ts';
import { type LmdbTestStore, lmdbStore } from './lmdb-store.ts';

const full = suite('a full store');
const CAPACITY = 1024 * 1024;
const value = bytes('x'.repeat(3_000));

const test = (title: string, body: (context: { store: LmdbTestStore; storage: LmdbStorage }) => Promise<void>): void =>
  full(title, () =>
    withStore(
      () => lmdbStore({ mapSize: CAPACITY }),
      (store) => body({ store, storage: store.storage }),
    ),
  );

/** @returns how many keys fitted */
async function fill(storage: LmdbStorage): Promise<number> {
  for (let i = 0; ; i++) {
    try {
      await storage.create(`pods/${i}`, value);
    } catch (error) {
      assert.instance(error, StorageFull);
      return i;
    }
  }
}

test('refuses more, and everything else goes on', async ({ storage }) => {
  const fitted = await fill(storage);
  assert.ok(fitted > 150 && fitted < 350, `${fitted} values of 3 KB`);
  assert.instance(await rejection(storage.update('pods/0', 1, value)), StorageFull);
  assert.instance(await rejection(storage.probe()), StorageFull);
  assert.is(storage.currentRevision(), fitted);
  assert.is(storage.count({ start: '', end: '' }), fitted);
  assert.is([...storage.changes(0, 'pods/')].length, fitted);
  for (let i = 0; i < fitted; i++) await storage.delete(`pods/${i}`, i + 1, value);
  assert.is(storage.currentRevision(), 2 * fitted);
  assert.instance(await rejection(storage.create('pods/a', value)), StorageFull, 'history takes the room');
  await storage.compact(storage.currentRevision());
  assert.equal(storage.size(), { liveBytes: 0, historyBytes: 0 });
  await storage.probe();
  assert.is(await fill(storage), fitted);
});

test('a value larger than the store is refused at once', async ({ storage }) => {
  const error = await rejection(storage.create('pods/a', bytes('x'.repeat(CAPACITY))));
  assert.instance(error, StorageFull);
  await storage.create('pods/a', value);
});

test('refuses those that do not fit, not those beside them', async ({ storage }) => {
  const results = await Promise.allSettled(Array.from({ length: 500 }, (_, i) => storage.create(`pods/${i}`, value)));
  const fitted = results.filter(({ status }) => status === 'fulfilled').length;
  assert.ok(fitted > 150 && fitted < 350, `${fitted} values of 3 KB`);
  assert.is(storage.count({ start: '', end: '' }), fitted);
});

test('the size tells living values from history', async ({ storage }) => {
  await storage.create('pods/a', value);
  const { liveBytes: one } = storage.size();
  assert.ok(one > 3_000 && one < 6_000);
  await storage.update('pods/a', 1, value);
  assert.equal(storage.size(), { liveBytes: one, historyBytes: one });
  await storage.delete('pods/a', 2, value);
  assert.equal(storage.size(), { liveBytes: 0, historyBytes: 3 * one });
  await storage.create('pods/a', value);
  assert.equal(storage.size(), { liveBytes: one, historyBytes: 3 * one });
  await storage.compact(2);
  assert.equal(storage.size(), { liveBytes: one, historyBytes: 2 * one });
  await storage.compact(4);
  assert.equal(storage.size(), { liveBytes: one, historyBytes: 0 });
});

test('can be opened with more room', async ({ storage, store }) => {
  const fitted = await fill(storage);
  const larger = await store.reopen({ mapSize: 4 * CAPACITY });
  await larger.create('pods/more', value);
  assert.is(larger.count({ start: '', end: '' }), fitted + 1);
});

full.run();

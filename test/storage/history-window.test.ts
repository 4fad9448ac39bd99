import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HistoryWindow } from '../../runtime/storage/history-window.ts';
import type { LmdbStorage } from '../../runtime/storage/lmdb/lmdb-storage.ts';
import { bytes, withStore } from './contract/store.ts';
import { lmdbStore } from './lmdb-store.ts';

const test = suite('history window');
const WINDOW = 1_000;
const LIMITS = { window: WINDOW, maxBytes: 0 };

test('compacts to the newest revision that is older than the window', () =>
  withStore(
    () => lmdbStore(),
    async ({ storage }) => {
      const window = new HistoryWindow(storage as LmdbStorage, LIMITS, (error) => {
        throw error;
      });
      const compactedAfter = async (now: number): Promise<number> => {
        window.tick(now);
        await window.stop();
        return storage.compactedRevision();
      };
      await storage.create('pods/a', bytes('1'));
      assert.is(await compactedAfter(0), 0);
      await storage.create('pods/b', bytes('2'));
      assert.is(await compactedAfter(600), 0);
      await storage.create('pods/c', bytes('3'));
      assert.is(await compactedAfter(1_200), 1);
      assert.is(await compactedAfter(1_599), 1);
      assert.is(await compactedAfter(1_600), 2);
      assert.is(await compactedAfter(10_000), 3);
    },
  ));

test('tells of a compaction that failed', () =>
  withStore(
    () => lmdbStore(),
    async (store) => {
      const { storage } = store;
      const errors: unknown[] = [];
      const window = new HistoryWindow(storage as LmdbStorage, LIMITS, (error) => errors.push(error));
      await storage.create('pods/a', bytes('1'));
      window.tick(0);
      window.tick(2 * WINDOW);
      await storage.close();
      await window.stop();
      assert.is(errors.length, 1);
      const again = await store.reopen();
      await again.compact(again.compactedRevision());
    },
  ));

test('lets the oldest go where history is too large, however young it is', () =>
  withStore(
    () => lmdbStore(),
    async (store) => {
      const storage = store.storage as LmdbStorage;
      const maxBytes = 200_000;
      const window = new HistoryWindow(storage, { window: 3_600_000, maxBytes }, (error) => {
        throw error;
      });
      let revision = await storage.create('pods/a', bytes('x'));
      for (let i = 0; i < 60; i++) {
        revision = await storage.update('pods/a', revision, bytes('x'.repeat(10_000)));
        window.tick(i);
        await window.stop();
        assert.ok(storage.size().historyBytes <= maxBytes, `${storage.size().historyBytes} bytes of history`);
      }
      const kept = revision - storage.compactedRevision();
      assert.ok(kept >= 5 && kept < 25, `${kept} revisions are kept`);
    },
  ));

test('a single step beyond the size takes everything that is superseded', () =>
  withStore(
    () => lmdbStore(),
    async (store) => {
      const storage = store.storage as LmdbStorage;
      const window = new HistoryWindow(storage, { window: 3_600_000, maxBytes: 1_000 }, (error) => {
        throw error;
      });
      window.tick(0);
      const first = await storage.create('pods/a', bytes('x'.repeat(50_000)));
      await storage.update('pods/a', first, bytes('y'));
      window.tick(1);
      await window.stop();
      assert.equal([storage.compactedRevision(), storage.size().historyBytes], [2, 0]);
    },
  ));

test.run();

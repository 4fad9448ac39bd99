import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HistoryWindow } from '../../runtime/storage/history-window.ts';
import { bytes, withStore } from './contract/store.ts';
import { lmdbStore } from './lmdb-store.ts';

const test = suite('history window');
const WINDOW = 1_000;

test('compacts to the newest revision that is older than the window', () =>
  withStore(
    () => lmdbStore(),
    async ({ storage }) => {
      const window = new HistoryWindow(storage, WINDOW, (error) => {
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
      const window = new HistoryWindow(storage, WINDOW, (error) => errors.push(error));
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

test.run();

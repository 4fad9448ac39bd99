import { mock } from 'node:test';
import { setImmediate as round } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../generated/metrics.ts';
import { tellOfHistory } from '../../runtime/assembly/store/kept-history.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { HistoryWindow } from '../../runtime/storage/history-window.ts';
import type { LmdbStorage } from '../../runtime/storage/lmdb/embedded-storage.ts';
import type { ServedStorage } from '../../runtime/storage/storage.ts';
import { HOUR, withMachineClock } from '../harness/machine-clock.ts';
import { bytes, withStore } from './contract/store.ts';
import { lmdbStore } from './lmdb/lmdb-store.ts';

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

/** A store that is written all the time, followed by a history window of five minutes. */
class Written {
  revision = 1;
  compacted = 0;
  readonly window: HistoryWindow;

  constructor() {
    const storage = {
      size: () => ({ historyBytes: 0 }),
      currentRevision: () => this.revision,
      compactedRevision: () => this.compacted,
      compact: async (revision: number) => {
        this.compacted = revision;
      },
      onCommit: () => () => {},
    } as unknown as ServedStorage;
    this.window = new HistoryWindow(storage, { window: 300_000, maxBytes: 0 }, (error) => {
      throw error;
    });
  }

  /** Revisions that are kept, where there is one each second. */
  get kept(): number {
    return this.revision - this.compacted;
  }
}

test('one compaction is under way at a time, and what was due meanwhile is behind it', async () => {
  const [asked, ends]: [number[], (() => void)[]] = [[], []];
  const store = { revision: 1, compacted: 0 };
  const storage = {
    size: () => ({ historyBytes: 0 }),
    currentRevision: () => store.revision++,
    compactedRevision: () => store.compacted,
    compact: (revision: number) => {
      asked.push(revision);
      return new Promise<void>((resolve) => ends.push(resolve)).then(() => {
        store.compacted = revision;
      });
    },
  } as unknown as ServedStorage;
  const window = new HistoryWindow(storage, LIMITS, (error) => {
    throw error;
  });
  for (const now of [0, 500, 1_000, 1_500, 1_700]) window.tick(now);
  assert.equal(asked, [1]);
  ends.shift()?.();
  await window.stop();
  window.tick(2_000);
  assert.equal(asked, [1, 3]);
  ends.shift()?.();
  await window.stop();
  assert.is(window.compactions, 2);
});

test('a store at rest is not looked at, until something is written', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const store = { revision: 1, compacted: 1, looks: 0 };
    let written = (): void => {};
    const storage = {
      size: () => ({ historyBytes: 0 * store.looks++ }),
      currentRevision: () => store.revision,
      compactedRevision: () => store.compacted,
      onCommit: (listener: () => void) => {
        written = listener;
        return () => {};
      },
    } as unknown as ServedStorage;
    const window = new HistoryWindow(storage, { window: 300_000, maxBytes: 0 }, (error) => {
      throw error;
    });
    window.start();
    mock.timers.tick(10_000);
    assert.is(store.looks, 1);
    store.revision++;
    written();
    mock.timers.tick(10_000);
    assert.ok(store.looks > 1);
    await window.stop();
  } finally {
    mock.timers.reset();
  }
});

for (const hours of [-6, 0, 6])
  test(`keeps history for its window where the clock is set by ${hours} hours, and says how old it is`, () =>
    withMachineClock(async (clock) => {
      mock.timers.enable({ apis: ['setTimeout'] });
      try {
        const written = new Written();
        const metrics = new Metrics(metricsData);
        const end = tellOfHistory(metrics, written.window);
        const writeFor = async (seconds: number): Promise<void> => {
          for (let i = 0; i < seconds; i++) {
            written.revision++;
            clock.pass(1_000);
            mock.timers.tick(1_000);
            await round();
          }
        };
        written.window.start();
        await writeFor(900);
        clock.set(hours * HOUR);
        await writeFor(10);
        assert.ok(written.kept >= 300, `${written.kept} s are kept right behind it`);
        await writeFor(600);
        assert.ok(written.kept >= 300 && written.kept < 360, `${written.kept} s are kept`);
        const [, age] = /^apiserver_store_oldest_history_seconds (\S+)$/m.exec((await metrics.text()).body) ?? [];
        assert.ok(Number(age) >= 240 && Number(age) < 360, `the oldest is of ${age} s`);
        end();
        await written.window.stop();
      } finally {
        mock.timers.reset();
      }
    }));

test.run();

import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChangeSignal } from '../../runtime/controllers/change-signal.ts';
import { lmdbStore } from '../storage/lmdb-store.ts';

const test = suite('change signals');
const bytes = () => ({ bytes: Buffer.from('{}'), revisionOffset: -1 });

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !holds(); i++) await sleep(10);
  assert.ok(holds());
}

test('come at the start and for changes of their resources alone, again after a failure, and end', async () => {
  const store = await lmdbStore();
  try {
    const { storage } = store;
    const seen: number[] = [];
    const failures: unknown[] = [];
    let running = 0;
    const signal = new ChangeSignal({
      storage,
      prefixes: ['a/', 'b/'],
      changed: async () => {
        assert.is(++running, 1);
        seen.push([...storage.range({ start: 'a/', end: 'c/' })].length);
        await sleep(5);
        running--;
        if (seen.length === 2) throw new Error('once');
      },
      failed: (error) => failures.push(error),
    });
    signal.start();
    await until(() => seen.length === 1);
    await storage.create('c/1', bytes());
    await sleep(100);
    assert.equal(seen, [0]);
    await Promise.all([1, 2, 3].map((i) => storage.create(`b/${i}`, bytes())));
    await until(() => failures.length === 1 && seen.length === 3);
    assert.equal(seen, [0, 3, 3]);
    await signal.stop();
    await storage.create('a/1', bytes());
    await sleep(100);
    assert.is(seen.length, 3);
  } finally {
    await store.remove();
  }
});

test.run();

import * as assert from 'uvu/assert';
import { all, bytes, rejection, type StoreFactory, type StoreSuite, storeSuite, thrown, told } from './store.ts';

export function lifecycleCases(name: string, open: StoreFactory): StoreSuite {
  const test = storeSuite(`${name}: closing and opening`, open);

  test('what was written is there again', async ({ storage, store }) => {
    await storage.create('pods/a', bytes('1'));
    await storage.update('pods/a', 1, bytes('2'));
    await storage.create('pods/b', bytes('3'));
    await storage.delete('pods/b', 3, bytes(store.keepsLastValues ? '3' : '4'));
    await storage.update('pods/a', 2, bytes('5'));
    await storage.compact(2);
    const changes = told(storage.changes(2, ''));
    const again = await store.reopen();
    assert.is(again.currentRevision(), 5);
    assert.is(again.compactedRevision(), 2);
    assert.equal(all(again), ['pods/a@5=5']);
    assert.equal(all(again, 3), ['pods/a@2=2', 'pods/b@3=3']);
    assert.equal(told(again.changes(2, '')), changes);
    assert.is(await again.create('pods/b', bytes('6')), 6);
  });

  test('closing waits for writes under way', async ({ storage, store }) => {
    const writes = Promise.allSettled(Array.from({ length: 500 }, (_, i) => storage.create(`pods/${i}`, bytes('x'.repeat(1_000)))));
    await storage.close();
    for (const { status } of await writes) assert.is(status, 'fulfilled');
    const again = await store.reopen();
    assert.is(again.count({ start: '', end: '' }), 500);
  });

  test('later calls throw', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    const closing = storage.close();
    for (const during of [true, false]) {
      if (!during) await closing;
      for (const call of [
        () => storage.currentRevision(),
        () => storage.compactedRevision(),
        () => storage.get('pods/a'),
        () => storage.range({ start: '', end: '' }),
        () => storage.count({ start: '', end: '' }),
        () => storage.changes(0, ''),
        () => storage.onCommit(() => {}),
      ]) {
        assert.instance(thrown(call), Error);
      }
      for (const call of [
        () => storage.create('pods/b', bytes('2')),
        () => storage.update('pods/a', 1, bytes('2')),
        () => storage.delete('pods/a', 1, bytes('2')),
        () => storage.compact(1),
        () => storage.probe(),
      ]) {
        assert.instance(await rejection(call()), Error);
      }
    }
  });

  test('an iteration that outlives the store throws', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    const entries = storage.range({ start: '', end: '' })[Symbol.iterator]();
    const changes = storage.changes(0, '')[Symbol.iterator]();
    await storage.close();
    assert.instance(
      thrown(() => entries.next()),
      Error,
    );
    assert.instance(
      thrown(() => changes.next()),
      Error,
    );
  });

  test('closing twice is closing once', async ({ storage }) => {
    await Promise.all([storage.close(), storage.close()]);
    await storage.close();
  });

  return test;
}

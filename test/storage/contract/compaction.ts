import * as assert from 'uvu/assert';
import { RevisionCompacted } from '../../../runtime/storage/errors.ts';
import { all, bytes, rejection, type StoreFactory, type StoreSuite, storeSuite, thrown, told } from './store.ts';

export function compactionCases(name: string, open: StoreFactory): StoreSuite {
  const test = storeSuite(`${name}: compaction`, open);

  test('what the revision shows stays, what came before goes', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    await storage.create('pods/b', bytes('2'));
    await storage.update('pods/a', 1, bytes('3'));
    await storage.delete('pods/b', 2, bytes('4'));
    await storage.update('pods/a', 3, bytes('5'));
    await storage.compact(3);
    assert.is(storage.compactedRevision(), 3);
    assert.is(storage.currentRevision(), 5);
    assert.equal(all(storage, 3), ['pods/a@3=3', 'pods/b@2=2']);
    assert.equal(all(storage, 4), ['pods/a@3=3']);
    assert.equal(all(storage), ['pods/a@5=5']);
    for (const revision of [0, 1, 2]) {
      assert.instance(
        thrown(() => all(storage, revision)),
        RevisionCompacted,
      );
    }
    await storage.compact(5);
    assert.equal(all(storage), ['pods/a@5=5']);
  });

  for (const at of [2, 3, 4, 5]) {
    test(`a deleted key whose removal is revision 2 can be created again beside a compaction at ${at}`, async ({ storage }) => {
      await storage.create('pods/a', bytes('1'));
      await storage.delete('pods/a', 1, bytes('gone'));
      await storage.create('pods/b', bytes('3'));
      if (at === 3) await storage.compact(3);
      await storage.create('pods/a', bytes('4'));
      await storage.delete('pods/a', 4, bytes('gone'));
      if (at !== 3) await storage.compact(at);
      assert.equal(all(storage), ['pods/b@3=3']);
      assert.equal(all(storage, at), at === 2 ? [] : at === 4 ? ['pods/a@4=4', 'pods/b@3=3'] : ['pods/b@3=3']);
      assert.is(await storage.create('pods/a', bytes('6')), 6);
      assert.equal(told(storage.changes(5, 'pods/')), ['create pods/a@6=6']);
      await storage.compact(6);
      assert.equal(all(storage), ['pods/a@6=6', 'pods/b@3=3']);
    });
  }

  test('the newest revision survives although its tombstone does not', async ({ storage, store }) => {
    await storage.create('pods/a', bytes('1'));
    await storage.delete('pods/a', 1, bytes('1'));
    await storage.compact(2);
    assert.is(storage.currentRevision(), 2);
    const again = await store.reopen();
    assert.is(again.currentRevision(), 2);
    assert.is(again.compactedRevision(), 2);
    assert.is(await again.create('pods/b', bytes('3')), 3);
  });

  test('a lower revision than before changes nothing', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    await storage.update('pods/a', 1, bytes('2'));
    await storage.update('pods/a', 2, bytes('3'));
    await storage.compact(2);
    await storage.compact(1);
    await storage.compact(2);
    await storage.compact(0);
    assert.is(storage.compactedRevision(), 2);
    assert.equal(all(storage, 2), ['pods/a@2=2']);
  });

  test('the future is refused', async ({ storage }) => {
    await storage.create('pods/a', bytes('1'));
    assert.instance(await rejection(storage.compact(2)), RangeError);
    assert.is(storage.compactedRevision(), 0);
  });

  test('an empty store can be compacted', async ({ storage }) => {
    await storage.compact(0);
    assert.is(storage.compactedRevision(), 0);
  });

  test('one that was cut short is finished by the next', async ({ storage, store }) => {
    const names = Array.from({ length: 2_000 }, (_, i) => `${['pods', 'nodes'][i % 2]}/${i}`);
    const revisions = await Promise.all(names.map((key) => storage.create(key, bytes('1'))));
    await Promise.all(names.map((key, i) => storage.delete(key, revisions[i] as number, bytes('2'))));
    const cut = storage.compact(4_000).catch(() => 'cut');
    await storage.create('pods/a', bytes('3'));
    await storage.close();
    await cut;
    const again = await store.reopen();
    await again.compact(again.compactedRevision());
    assert.equal(all(again), ['pods/a@4001=3']);
    assert.is(await again.create('pods/2', bytes('4')), 4_002);
    await again.compact(4_002);
    assert.equal(all(again), ['pods/2@4002=4', 'pods/a@4001=3']);
  });

  test('writers, readers and other compactions get their turn', async ({ storage, store }) => {
    const names = Array.from({ length: 4_000 }, (_, i) => `${['pods', 'nodes', 'secrets'][i % 3]}/${i}`);
    const revisions = await Promise.all(names.map((key) => storage.create(key, bytes(key))));
    await Promise.all(names.map((key, i) => storage.update(key, revisions[i] as number, bytes(`${key} again`))));
    const newest = storage.currentRevision();
    let finished = false;
    let compactions: Promise<unknown> = Promise.resolve();
    let first: Promise<unknown> = Promise.resolve();
    const begin = (): void => {
      compactions = Promise.all([storage.compact(newest - 10), storage.compact(newest)]).finally(() => {
        finished = true;
      });
      first = storage.create('pods/late', bytes('late'));
    };
    if (store.together === undefined) begin();
    else store.together(begin);
    await first;
    assert.ok(!finished || store.compactsElsewhere, 'the write has waited for the compactions');
    let turns = 1;
    while (!finished) {
      turns++;
      assert.is(String(storage.get('nodes/1')?.value), 'nodes/1 again');
      await storage.create(`pods/late ${turns}`, bytes('late'));
    }
    await compactions;
    assert.is(storage.compactedRevision(), newest);
    assert.is(storage.count({ start: '', end: '' }), names.length + turns);
    assert.is(told(storage.changes(newest, '')).length, turns);
  });

  return test;
}

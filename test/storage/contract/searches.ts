import * as assert from 'uvu/assert';
import { RevisionCompacted, RevisionInFuture } from '../../../runtime/storage/errors.ts';
import type { FindOptions, Storage } from '../../../runtime/storage/storage.ts';
import { bytes, type StoreFactory, type StoreSuite, storeSuite, thrown } from './store.ts';

const PODS = { start: 'pods/', end: 'pods0' };

/** Keys that are found and have one of the terms of each requirement. */
function keys(storage: Storage, requirements: FindOptions['requirements'], range: Omit<FindOptions, 'requirements'> = PODS): string[] {
  return Array.from(storage.find({ ...range, requirements }), ({ key, value }) => ({ key, terms: value.toString().split(' ') }))
    .filter(({ terms }) => requirements.every((alternatives) => alternatives.some((term) => terms.includes(term))))
    .map(({ key }) => key);
}

export function searchCases(name: string, open: StoreFactory): StoreSuite {
  const test = storeSuite(`${name}: find`, open);

  for (const indexed of [true, false]) {
    const when = indexed ? 'indexed' : 'not indexed yet';
    test(`values are found by their terms, ${when}`, async ({ storage, store }) => {
      for (const [key, value] of [
        ['pods/x/a', 'red small'],
        ['pods/x/b', 'blue'],
        ['pods/y/a', 'red'],
        ['pods/y/b', 'green small'],
        ['podtemplates/x/a', 'red'],
        ['pods', 'red'],
      ] as const)
        await storage.create(key, bytes(value));
      if (indexed) await store.index?.();
      assert.equal(keys(storage, [['red']]), ['pods/x/a', 'pods/y/a']);
      assert.equal(keys(storage, [['red']], { start: 'pods/y/', end: 'pods/y0' }), ['pods/y/a']);
      assert.equal(keys(storage, [['red', 'green']]), ['pods/x/a', 'pods/y/a', 'pods/y/b']);
      assert.equal(keys(storage, [['red'], ['small']]), ['pods/x/a']);
      assert.equal(keys(storage, [['purple']]), []);
      assert.equal(keys(storage, [['red']], { start: '', end: '' }), ['pods', 'pods/x/a', 'pods/y/a', 'podtemplates/x/a']);
      assert.equal(keys(storage, [['red']], { start: 'pods/x/a\0', end: 'pods0' }), ['pods/y/a']);
      for (const end of ['a', 'pods/x', 'pods/x/a']) assert.equal(keys(storage, [['red']], { start: 'pods/x/a', end }), [], end);
    });

    test(`the past is found as it was, ${when}`, async ({ storage, store }) => {
      await storage.create('pods/a', bytes('red'));
      await storage.update('pods/a', 1, bytes('blue'));
      await storage.create('pods/b', bytes('red'));
      await storage.delete('pods/b', 3, bytes('red'));
      await storage.create('pods/b', bytes('blue'));
      if (indexed) await store.index?.();
      const red = (atRevision: number): string[] => keys(storage, [['red']], { ...PODS, atRevision });
      assert.equal([1, 2, 3, 4, 5].map(red), [['pods/a'], [], ['pods/b'], [], []]);
      assert.equal(keys(storage, [['blue']]), ['pods/a', 'pods/b']);
      await storage.compact(3);
      assert.equal([3, 4, 5].map(red), [['pods/b'], [], []]);
      await storage.compact(5);
      assert.equal(red(5), []);
      assert.equal(keys(storage, [['blue']]), ['pods/a', 'pods/b']);
    });
  }

  test('a term that goes and comes back is found at each time', async ({ storage, store }) => {
    await storage.create('pods/a', bytes('red'));
    await storage.update('pods/a', 1, bytes('blue'));
    await storage.update('pods/a', 2, bytes('red'));
    await store.index?.();
    await storage.update('pods/a', 3, bytes('green'));
    await store.index?.();
    for (const compacted of [2, 3]) {
      await storage.compact(compacted);
      assert.equal(keys(storage, [['red']], { ...PODS, atRevision: 3 }), ['pods/a']);
    }
    await storage.compact(4);
    assert.equal(keys(storage, [['red']]), []);
    assert.equal(keys(storage, [['green']]), ['pods/a']);
  });

  test('many are found in the order of keys, whatever their number', async ({ storage, store }) => {
    const names = Array.from({ length: 1_500 }, (_, i) => `pods/${String((i * 7919) % 1_500).padStart(4, '0')}`);
    await Promise.all(names.map((key, i) => storage.create(key, bytes(i % 3 === 0 ? 'red' : i % 3 === 1 ? 'blue' : 'green'))));
    await store.index?.();
    await storage.update('pods/0000', storage.get('pods/0000')?.revision as number, bytes('red blue'));
    const expected = names.filter((key, i) => key === 'pods/0000' || i % 3 < 2).sort();
    assert.equal(keys(storage, [['red', 'blue']]), expected);
    assert.equal(Array.from(storage.find({ ...PODS, requirements: [['red', 'blue']], limit: 700 })).length, 700);
  });

  test('refuses what range refuses', async ({ storage }) => {
    await storage.create('pods/a', bytes('red'));
    await storage.update('pods/a', 1, bytes('red'));
    await storage.compact(2);
    assert.instance(
      thrown(() => keys(storage, [['red']], { ...PODS, atRevision: 1 })),
      RevisionCompacted,
    );
    assert.instance(
      thrown(() => keys(storage, [['red']], { ...PODS, atRevision: 3 })),
      RevisionInFuture,
    );
  });

  return test;
}

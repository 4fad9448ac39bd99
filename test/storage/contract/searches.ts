import * as assert from 'uvu/assert';
import { RevisionCompacted, RevisionInFuture } from '../../../runtime/storage/errors.ts';
import type { ScanOptions, Storage } from '../../../runtime/storage/storage.ts';
import { bytes, type StoreFactory, type StoreSuite, scanned, storeSuite, thrown } from './store.ts';

type Requirements = NonNullable<ScanOptions['requirements']>;

const PODS = { start: 'pods/', end: 'pods0' };

/** Keys that are found and have one of the terms of each requirement. */
function keys(storage: Storage, requirements: Requirements, range: Omit<ScanOptions, 'requirements'> = PODS): string[] {
  return scanned(storage, { ...range, requirements }, ({ key, value }) => ({ key, terms: value.toString().split(' ') }))
    .filter(({ terms }) => requirements.every((alternatives) => alternatives.some((term) => terms.includes(term))))
    .map(({ key }) => key);
}

export function searchCases(name: string, open: StoreFactory): StoreSuite {
  const test = storeSuite(`${name}: scan`, open);

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
  });

  test('a common term and many rare ones are found together, in order', async ({ storage, store }) => {
    const rare = Array.from({ length: 200 }, (_, i) => `rare${i}`);
    const names = Array.from({ length: 900 }, (_, i) => `pods/${1_000 + i}`);
    await Promise.all(names.map((key) => storage.create(key, bytes('common'))));
    await Promise.all(rare.map((term, i) => storage.create(`pods/${i % 2 === 0 ? 0 : 9}${1_000 + i}`, bytes(term))));
    await store.index?.();
    const expected = [...names, ...rare.map((_, i) => `pods/${i % 2 === 0 ? 0 : 9}${1_000 + i}`)].sort();
    assert.equal(keys(storage, [['common', ...rare]]), expected);
  });

  test('however many terms are asked for, what has them is found, and so many are not looked up', async ({ storage, store }) => {
    const terms = Array.from({ length: 20_000 }, (_, i) => `term${i}`);
    for (let i = 0; i < 50; i++) await storage.create(`pods/${100 + i}`, bytes(`term${i * 7} own${i}`));
    await store.index?.();
    const first = Array.from({ length: 50 }, (_, i) => `pods/${100 + i}`);
    const each = terms.map((term) => [term, 'own3']);
    for (const many of [[terms], [terms, ['own3']], each]) assert.equal(keys(storage, many), many.length === 1 ? first : ['pods/103']);
    // none of so many is looked up: what has none of them is visited too
    await storage.create('pods/none', bytes('other'));
    await store.index?.();
    assert.equal(
      scanned(storage, { ...PODS, requirements: [terms] }, ({ key }) => key),
      [...first, 'pods/none'],
    );
  });

  for (const requirements of [[], [['red', 'blue']]])
    test(`is one snapshot over many turns${requirements.length === 0 ? '' : ', of what is found'}`, async ({ storage, store }) => {
      const names = Array.from({ length: 900 }, (_, i) => `pods/${1_000 + i}`);
      await Promise.all(names.map((key, i) => storage.create(key, bytes(i % 2 === 0 ? 'red' : 'blue'))));
      await store.index?.();
      for (const key of names.slice(0, 20)) await storage.update(key, storage.get(key)?.revision as number, bytes('red blue'));
      const expected = names.map((key) => `${key} ${storage.get(key)?.value}`);
      const scan = storage.scan({ ...PODS, requirements });
      const seen: string[] = [];
      for (let more = true; more; ) {
        let looked = 0;
        more = scan.next(({ key, value }) => seen.push(`${key} ${value}`) > 0 && ++looked < 130);
        await storage.create(`pods/1${seen.length}x`, bytes('red blue'));
        const last = storage.get(`pods/${1_000 + seen.length}`);
        if (last !== undefined) await storage.delete(last.key, last.revision, bytes(''));
        await store.index?.();
      }
      assert.equal(seen, expected);
      assert.is(
        scan.next(() => true),
        false,
      );
    });

  test('values of all sizes come as they are, and only when they are asked for', async ({ storage }) => {
    const sizes = [0, 1, 100_000, 10, 3_000, 1_000_000, 0, 5_000];
    for (const [i, size] of sizes.entries())
      await storage.create(`pods/${i}`, { bytes: Buffer.alloc(size, String(i)), revisionOffset: -1 });
    const found = scanned(storage, PODS, ({ revision, value }) => [revision, value.length, Buffer.from(value)] as const);
    assert.equal(
      found.map(([revision, length]) => [revision, length]),
      sizes.map((size, i) => [i + 1, size]),
    );
    assert.ok(found.every(([, , value], i) => value.equals(Buffer.alloc(sizes[i] as number, String(i)))));
  });

  test('what a visit throws ends it, and the store goes on', async ({ storage }) => {
    await storage.create('pods/a', bytes('red'));
    const scan = storage.scan(PODS);
    const failure = new Error('no more');
    assert.is(
      thrown(() =>
        scan.next(() => {
          throw failure;
        }),
      ),
      failure,
    );
    assert.equal(keys(storage, [['red']]), ['pods/a']);
  });

  test('a snapshot that is compacted on the way is refused', async ({ storage }) => {
    await storage.create('pods/a', bytes('red'));
    await storage.create('pods/b', bytes('red'));
    const scan = storage.scan({ ...PODS, atRevision: 2 });
    scan.next(() => false);
    await storage.update('pods/b', 2, bytes('blue'));
    await storage.compact(3);
    assert.instance(
      thrown(() => scan.next(() => true)),
      RevisionCompacted,
    );
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

import * as assert from 'uvu/assert';
import { RevisionCompacted } from '../../../runtime/storage/errors.ts';
import type { Storage } from '../../../runtime/storage/storage.ts';
import { bytes, type StoreFactory, type StoreSuite, storeSuite, thrown, told } from './store.ts';

/** Ten changes of three resources. */
async function tell(storage: Storage): Promise<void> {
  await storage.create('pods/a/x', bytes('1'));
  await storage.create('podtemplates/a/x', bytes('2'));
  await storage.create('pods/b/x', bytes('3'));
  await storage.update('pods/a/x', 1, bytes('4'));
  await storage.create('nodes/x', bytes('5'));
  await storage.delete('pods/a/x', 4, bytes('last'));
  await storage.update('podtemplates/a/x', 2, bytes('7'));
  await storage.create('pods/a/x', bytes('8'));
  await storage.update('pods/a/x', 8, bytes('9'));
  await storage.create('pods', bytes('10'));
}

/** Resolves when listeners have been told of that revision, those that were there before first. */
function committed(storage: Storage, revision: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = storage.onCommit((told) => {
    if (told < revision) return;
    stop();
    resolve();
  });
  return promise;
}

const story = [
  'create pods/a/x@1=1',
  'create podtemplates/a/x@2=2',
  'create pods/b/x@3=3',
  'update pods/a/x@4=4<1',
  'create nodes/x@5=5',
  'delete pods/a/x@6=last<4',
  'update podtemplates/a/x@7=7<2',
  'create pods/a/x@8=8',
  'update pods/a/x@9=9<8',
  'create pods@10=10',
];

const pick = (...revisions: number[]): string[] => revisions.map((revision) => story[revision - 1] as string);

export function changeCases(name: string, open: StoreFactory): StoreSuite {
  const test = storeSuite(`${name}: changes and commits`, open);

  for (const [what, after, prefix, limit, expected] of [
    ['all changes', 0, '', undefined, story],
    ['all after a revision', 7, '', undefined, pick(8, 9, 10)],
    ['those of one resource', 0, 'pods/', undefined, pick(1, 3, 4, 6, 8, 9)],
    ['those of one resource after a revision', 4, 'pods/', undefined, pick(6, 8, 9)],
    ['those of one namespace', 0, 'pods/b/', undefined, pick(3)],
    ['those of one key', 3, 'pods/a/x', undefined, pick(4, 6, 8, 9)],
    ['those of any prefix', 1, 'pod', undefined, pick(2, 3, 4, 6, 7, 8, 9, 10)],
    ['at most the limit', 0, 'pods/', 3, pick(1, 3, 4)],
    ['at most the limit, of all', 2, '', 2, pick(3, 4)],
    ['none for limit 0', 0, '', 0, []],
    ['none after the newest', 10, '', undefined, []],
    ['none after one that is not there yet', 99, 'pods/', undefined, []],
    ['none of a resource without changes', 0, 'secrets/', undefined, []],
  ] as const) {
    test(`gives ${what}`, async ({ storage }) => {
      await tell(storage);
      assert.equal(told(storage.changes(after, prefix, limit)), expected);
    });
  }

  test('resources of one group are told of one by one', async ({ storage }) => {
    for (let i = 0; i < 150; i++)
      for (const resource of ['toys', 'tools']) await storage.create(`shop.example/${resource}/a/x${i}`, bytes(`${resource} ${i}`));
    const revisions = (prefix: string): number[] => Array.from(storage.changes(0, prefix), ({ revision }) => revision);
    const odd = Array.from({ length: 150 }, (_, i) => 2 * i + 1);
    assert.equal(revisions('shop.example/toys/'), odd);
    assert.equal(
      revisions('shop.example/tools/a/'),
      odd.map((revision) => revision + 1),
    );
    assert.is(revisions('shop.example/').length, 300);
    assert.equal(revisions('shop.example/to').length, 300);
    await storage.compact(200);
    assert.equal(Array.from(storage.changes(200, 'shop.example/tools/'), ({ revision }) => revision).length, 50);
    assert.is(storage.count({ start: 'shop.example/toys/', end: 'shop.example/toys0', atRevision: 210 }), 105);
  });

  test('a long replay goes in pages without a seam', async ({ storage }) => {
    await Promise.all(Array.from({ length: 700 }, (_, i) => storage.create(`pods/${i}`, bytes(String(i)))));
    await Promise.all(Array.from({ length: 300 }, (_, i) => storage.create(`nodes/${i}`, bytes(String(i)))));
    for (const [prefix, count] of [
      ['', 1_000],
      ['pods/', 700],
      ['nodes/', 300],
    ] as const) {
      const revisions = Array.from(storage.changes(0, prefix), ({ revision }) => revision);
      assert.is(revisions.length, count);
      assert.ok(revisions.every((revision, i) => i === 0 || revision > (revisions[i - 1] as number)));
    }
  });

  test('other calls between steps disturb nothing', async ({ storage }) => {
    await tell(storage);
    for (const [prefix, expected] of [
      ['', story],
      ['pods/', pick(1, 3, 4, 6, 8, 9)],
    ] as const) {
      const seen: string[] = [];
      for (const change of storage.changes(0, prefix)) {
        storage.get('pods/b/x');
        for (const _ of storage.range({ start: '', end: '' })) storage.currentRevision();
        told(storage.changes(0, 'pods/'));
        seen.push(...told([change]));
      }
      assert.equal(seen, expected);
    }
  });

  test('all who read the last changes get the same memory of their values', async ({ store, storage }) => {
    await tell(storage);
    const places = (after: number, prefix: string): unknown[] =>
      Array.from(storage.changes(after, prefix), ({ revision, value }) => [revision, value.buffer, value.byteOffset, value.length]);
    const ofAll = places(0, '');
    await storage.create('pods/later', bytes('11'));
    const [early, ofPods, later] = [places(0, ''), places(0, 'pods/a/'), places(9, '')];
    const isSame = (a: unknown[], b: unknown[]): boolean => a.every((each, i) => each === b[i]);
    const areShared = (some: unknown[], all: unknown[]): boolean =>
      some.every((each) => all.some((other) => isSame(each as unknown[], other as unknown[])));
    assert.is(areShared(ofAll, early) && areShared(ofPods, ofAll) && areShared(later, early), store.copiesChanges !== true);
  });

  test('what the last changes have is told as it was, whatever is written meanwhile', async ({ storage }) => {
    const long = (i: number): string => String(i).repeat(60_000 / String(i).length);
    for (let i = 1; i <= 120; i++) {
      if (i <= 10) await storage.create(`pods/${i}`, bytes(long(i)));
      else await storage.update(`pods/${((i - 1) % 10) + 1}`, i - 10, bytes(long(i)));
      const [change] = storage.changes(i - 1, '');
      assert.ok(change?.value.equals(Buffer.from(long(i))), `${i}`);
      for (const { revision, value, previousValue } of storage.changes(Math.max(0, i - 3), 'pods/')) {
        assert.ok(value.equals(Buffer.from(long(revision))), `${revision}`);
        assert.ok((previousValue ?? Buffer.from(long(revision - 10))).equals(Buffer.from(long(revision - 10))), `before ${revision}`);
      }
    }
    const revisions: number[] = [];
    for (const { revision, value } of storage.changes(0, '')) if (value.equals(Buffer.from(long(revision)))) revisions.push(revision);
    assert.is(revisions.length, 120);
  });

  test('after a compaction the changes beyond it remain, with what they replaced', async ({ storage }) => {
    await tell(storage);
    await storage.compact(5);
    for (const after of [0, 4]) {
      const error = thrown(() => storage.changes(after, 'pods/'));
      assert.instance(error, RevisionCompacted);
      assert.is((error as RevisionCompacted).compactedRevision, 5);
    }
    assert.equal(told(storage.changes(5, '')), pick(6, 7, 8, 9, 10));
    assert.equal(told(storage.changes(5, 'pods/')), pick(6, 8, 9));
    await storage.compact(10);
    assert.equal(told(storage.changes(10, '')), []);
    await storage.update('pods/b/x', 3, bytes('11'));
    assert.equal(told(storage.changes(10, 'pods/')), ['update pods/b/x@11=11<3']);
  });

  test('listeners are told of every commit when it is visible', async ({ storage }) => {
    const calls: number[] = [];
    const stop = storage.onCommit((revision) => {
      calls.push(revision);
      // the next commit may be visible already, which is told of later
      assert.ok(storage.currentRevision() >= revision);
      assert.is([...storage.changes(revision - 1, '', 1)][0]?.revision, revision);
    });
    const all = committed(storage, 52);
    await storage.create('pods/a', bytes('1'));
    await storage.create('pods/b', bytes('2'));
    await Promise.all(Array.from({ length: 50 }, (_, i) => storage.create(`pods/c${i}`, bytes(''))));
    await all;
    assert.equal(calls.slice(0, 2), [1, 2]);
    assert.is(calls.at(-1), 52);
    assert.ok(calls.every((revision, i) => i === 0 || revision > (calls[i - 1] as number)));
    stop();
    const next = committed(storage, 53);
    await storage.create('pods/d', bytes(''));
    await next;
    assert.is(calls.at(-1), 52);
  });

  test('listeners are not told of writes that were refused', async ({ storage }) => {
    const first = committed(storage, 1);
    await storage.create('pods/a', bytes('1'));
    await first;
    const calls: number[] = [];
    storage.onCommit((revision) => calls.push(revision));
    await storage.create('pods/a', bytes('2')).catch(() => {});
    await storage.compact(1);
    const second = committed(storage, 2);
    await storage.create('pods/b', bytes('2'));
    await second;
    assert.equal(calls, [2]);
  });

  test('a function that listens twice is called twice, and stops one at a time', async ({ storage }) => {
    let calls = 0;
    const listener = (): void => void calls++;
    const stops = [storage.onCommit(listener), storage.onCommit(listener)];
    const first = committed(storage, 1);
    await storage.create('pods/a', bytes('1'));
    await first;
    assert.is(calls, 2);
    stops[0]?.();
    const second = committed(storage, 2);
    await storage.create('pods/b', bytes('1'));
    await second;
    assert.is(calls, 3);
  });

  return test;
}

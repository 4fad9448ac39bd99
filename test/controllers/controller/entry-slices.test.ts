import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entrySlices } from '../../../runtime/controllers/controller/entry-slices.ts';
import type { Entry } from '../../../runtime/storage/storage.ts';
import { type LmdbTestStore, lmdbStore } from '../../storage/lmdb/lmdb-store.ts';

const test = suite('entries in slices');

let store: LmdbTestStore;
test.before.each(async () => {
  store = await lmdbStore();
});
test.after.each(() => store.remove());

const create = (key: string) => store.storage.create(key, { bytes: Buffer.from(`value of ${key}`), revisionOffset: -1 });
const text = ({ key, revision, value }: Entry): string => `${key} ${revision} ${value}`;
const slicesOf = (prefix: string, size: number): Promise<string[][]> =>
  Array.fromAsync(entrySlices(store.storage, prefix, { size }), (slice) => Array.from(slice, ({ key }) => key));

test('entries come with key, revision and value', async () => {
  await create('p/1');
  const all = await Array.fromAsync(entrySlices(store.storage, 'p/', { size: 10 }), (slice) => Array.from(slice, text));
  assert.equal(all, [['p/1 1 value of p/1']]);
});

const sizes: [name: string, size: number, slices: string[][]][] = [
  ['all in one slice', 4, [['p/1', 'p/2', 'p/3']]],
  ['a slice that is exactly full is followed by an empty one', 3, [['p/1', 'p/2', 'p/3'], []]],
  ['the last slice is shorter', 2, [['p/1', 'p/2'], ['p/3']]],
  ['one by one', 1, [['p/1'], ['p/2'], ['p/3'], []]],
];
for (const [name, size, slices] of sizes)
  test(`only what the prefix begins, in order: ${name}`, async () => {
    for (const key of ['p/2', 'o/9', 'p/3', 'p/1', 'p0', 'q/1']) await create(key);
    assert.equal(await slicesOf('p/', size), slices);
  });

test('nothing there: one empty slice', async () => assert.equal(await slicesOf('p/', 2), [[]]));

test('others have a turn between slices, and what they write later in the order is seen', async () => {
  for (const key of ['p/1', 'p/2']) await create(key);
  const seen: string[] = [];
  let others = 0;
  for await (const slice of entrySlices(store.storage, 'p/', { size: 1 })) {
    assert.is(others, seen.length, 'no turn since the last slice');
    setImmediate(() => others++);
    // longer than what goes on before others have their turn
    for (const until = performance.now() + 5; performance.now() < until; );
    for (const { key } of slice) seen.push(key);
    if (seen.length === 1) await create('p/3');
  }
  assert.equal(seen, ['p/1', 'p/2', 'p/3']);
});

test('at a revision, what is written meanwhile is not seen', async () => {
  await create('p/1');
  const atRevision = await create('p/2');
  const seen: string[] = [];
  for await (const slice of entrySlices(store.storage, 'p/', { size: 1, atRevision })) {
    for (const { key } of slice) seen.push(key);
    if (seen.length === 1) await create('p/3');
  }
  assert.equal(seen, ['p/1', 'p/2']);
});

test('what of a slice was not taken begins the next one', async () => {
  for (const key of ['p/1', 'p/2', 'p/3']) await create(key);
  const seen: string[] = [];
  for await (const slice of entrySlices(store.storage, 'p/', { size: 2 }))
    for (const { key } of slice) {
      seen.push(key);
      break;
    }
  assert.equal(seen, ['p/1', 'p/2', 'p/3']);
});

test('whoever has found what was looked for reads no further', async () => {
  for (const key of ['p/1', 'p/2', 'p/3']) await create(key);
  let slices = 0;
  const found = async () => {
    for await (const slice of entrySlices(store.storage, 'p/', { size: 1 })) {
      slices++;
      for (const { key } of slice) if (key === 'p/2') return true;
    }
    return false;
  };
  assert.ok(await found());
  assert.is(slices, 2);
});

test.run();

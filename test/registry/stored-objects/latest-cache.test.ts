import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LatestCache } from '../../../runtime/registry/stored-objects/latest-cache.ts';
import { type LmdbTestStore, lmdbStore } from '../../storage/lmdb/lmdb-store.ts';

const test = suite('what is made of latest values');

let store: LmdbTestStore;
let made: string[];
let cache: LatestCache<string>;
test.before.each(async () => {
  store = await lmdbStore();
  made = [];
  cache = new LatestCache(store.storage, { keys: 2, bytes: 5 }, ({ key, value }) => {
    made.push(key);
    return `${key} ${value}`;
  });
});
test.after.each(() => store.remove());

const bytes = (text: string) => ({ bytes: Buffer.from(text), revisionOffset: -1 });

test('is made once, and anew after a write', async () => {
  assert.is(cache.get('a'), undefined);
  const revision = await store.storage.create('a', bytes('1'));
  assert.equal([cache.get('a'), cache.get('a')], ['a 1', 'a 1']);
  const next = await store.storage.update('a', revision, bytes('2'));
  assert.equal([cache.get('a'), cache.get('a')], ['a 2', 'a 2']);
  await store.storage.delete('a', next, bytes('2'));
  assert.is(cache.get('a'), undefined);
  await store.storage.create('a', bytes('3'));
  assert.is(cache.get('a'), 'a 3');
  assert.equal(made, ['a', 'a', 'a']);
});

test('is not kept of long values', async () => {
  await store.storage.create('a', bytes('123456'));
  assert.equal([cache.get('a'), cache.get('a')], ['a 123456', 'a 123456']);
  assert.equal(made, ['a', 'a']);
});

test('is kept of so many keys at most', async () => {
  for (const key of ['a', 'b', 'c']) await store.storage.create(key, bytes('1'));
  for (const key of ['a', 'b', 'b', 'c', 'c', 'a']) assert.is(cache.get(key), `${key} 1`);
  assert.equal(made, ['a', 'b', 'c', 'a']);
});

test.run();

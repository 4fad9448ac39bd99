import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { turn } from '../../../runtime/event-loop/turns.ts';
import { FollowedObjects } from '../../../runtime/registry/stored-objects/followed-objects.ts';
import { LongObject } from '../../../runtime/registry/stored-objects/long-value.ts';
import { StoreFollower } from '../../../runtime/registry/stored-objects/store-follower.ts';
import { encodeStoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { type LmdbTestStore, lmdbStore } from '../../storage/lmdb/lmdb-store.ts';

const value = (name: string, data: string) => encodeStoredObject({ kind: 'X', apiVersion: 'v1', metadata: { name }, data }, 1, []);
const test = suite('objects that are followed');
let store: LmdbTestStore;
test.before.each(async () => {
  store = await lmdbStore();
});
test.after.each(() => store.remove());

test('are those of the moment when their follower was caught up', async () => {
  const follower = new StoreFollower(store.storage, () => {});
  const followed = FollowedObjects.of('limitranges', follower, true);
  const inA = () => followed.in('a').map(({ metadata, data }) => `${metadata.name} ${data}`);
  const before = followed.changes;
  assert.equal([inA(), followed.get('a', 'one')], [[], undefined]);
  const revision = await store.storage.create('limitranges/a/one', value('one', '1'));
  await store.storage.create('limitranges/a/two', value('two', '2'));
  await store.storage.create('limitranges/b/three', value('three', '3'));
  assert.equal(inA(), []);
  follower.catchUp();
  assert.equal(inA(), ['one 1', 'two 2']);
  assert.is.not(followed.changes, before);
  assert.is(followed.in('a'), followed.in('a'), 'one array, for as long as nothing changes there');
  const changed = await store.storage.update('limitranges/a/one', revision, value('one', '4'));
  follower.catchUp();
  assert.equal(inA(), ['one 4', 'two 2']);
  await store.storage.delete('limitranges/a/one', changed, value('one', '4'));
  follower.catchUp();
  assert.equal([inA(), followed.get('a', 'one'), followed.get('a', 'two')?.data], [['two 2'], undefined, '2']);
});

test('that have no namespace stand apart from those of all namespaces', async () => {
  const follower = new StoreFollower(store.storage, () => {});
  const followed = FollowedObjects.of('priorityclasses', follower, true);
  const revision = await store.storage.create('priorityclasses/high', value('high', '1'));
  follower.catchUp();
  assert.equal([followed.in('').length, followed.in('high').length, followed.get('', 'high')?.data], [1, 0, '1']);
  await store.storage.delete('priorityclasses/high', revision, value('high', '1'));
  follower.catchUp();
  assert.equal(followed.in(''), []);
});

test('that are long are read meanwhile, where others wait for the thread, and are there then', async () => {
  const follower = new StoreFollower(store.storage, () => {});
  const followed = FollowedObjects.of('things', follower, false);
  const items = Array.from({ length: 5_000 }, (_, index) => ({ index, name: `item-${index}` }));
  const stored = encodeStoredObject({ kind: 'X', apiVersion: 'v1', metadata: { name: 'long' }, items }, 1, []);
  await store.storage.create('things/long', stored);
  await store.storage.create('things/short', value('short', '1'));
  follower.catchUp();
  assert.throws(
    () => followed.in(''),
    (error: unknown) => error instanceof LongObject,
  );
  assert.is(followed.get('', 'short')?.data, '1');
  for (let left = 1_000; ; left--) {
    await turn();
    try {
      assert.equal(followed.get('', 'long')?.items, items);
      break;
    } catch (error) {
      if (!(error instanceof LongObject) || left === 0) throw error;
    }
  }
  assert.equal(
    followed.in('').map(({ metadata }) => metadata.name),
    ['long', 'short'],
  );
});

test.run();

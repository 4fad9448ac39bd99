import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChangeFollower } from '../../../runtime/controllers/controller/change-follower.ts';
import { ValueDamaged } from '../../../runtime/storage/errors.ts';
import type { Change } from '../../../runtime/storage/storage.ts';
import { type LmdbTestStore, lmdbStore } from '../../storage/lmdb/lmdb-store.ts';
import { eventually } from '../server.ts';

const test = suite('following changes');

let store: LmdbTestStore;
test.before.each(async () => {
  store = await lmdbStore();
});
test.after.each(() => store.remove());

const bytes = (text: string) => ({ bytes: Buffer.from(text), revisionOffset: -1 });
const create = (key: string) => store.storage.create(key, bytes(key));
const unexpected = {
  lost: () => assert.unreachable('changes were lost'),
  failed: (error: unknown) => assert.unreachable(String(error)),
};
const recorder = () => {
  const seen: string[] = [];
  return { seen, changed: ({ operation, key, revision }: Change) => void seen.push(`${revision} ${operation} ${key}`) };
};

test('every change of every resource, in order, from a revision on', async () => {
  const { storage } = store;
  await create('a/1');
  const second = await create('b/1');
  const listener = recorder();
  const follower = new ChangeFollower(storage, [listener], unexpected);
  follower.start(1);
  const third = await storage.update('b/1', second, bytes('x'));
  await storage.delete('b/1', third, bytes('y'));
  assert.ok(await follower.caughtUp());
  assert.equal(listener.seen, ['2 create b/1', '3 update b/1', '4 delete b/1']);
  follower.stop();
});

test('more changes than one turn takes', async () => {
  const listener = recorder();
  const follower = new ChangeFollower(store.storage, [listener], unexpected);
  follower.start(0);
  await Promise.all(Array.from({ length: 1_000 }, (_, i) => create(`a/${i}`)));
  await eventually(
    () => listener.seen.length === 1_000,
    () => `${listener.seen.length} were seen`,
  );
  assert.equal(new Set(listener.seen).size, 1_000);
  follower.stop();
});

test('after its end nothing is handed on, and nobody waits for it', async () => {
  const listener = recorder();
  const follower = new ChangeFollower(store.storage, [listener], unexpected);
  follower.start(0);
  follower.stop();
  await create('a/1');
  assert.not(await follower.caughtUp());
  assert.equal(listener.seen, []);
});

test('a listener that throws goes on with the next change, the others with all', async () => {
  const listener = recorder();
  const failures: unknown[] = [];
  const broken = {
    changed({ key }: Change) {
      if (key === 'a/1') throw new Error(key);
    },
  };
  const follower = new ChangeFollower(store.storage, [broken, listener], { ...unexpected, failed: (error) => failures.push(error) });
  follower.start(0);
  await create('a/1');
  await create('a/2');
  await follower.caughtUp();
  assert.is(listener.seen.length, 2);
  assert.equal(failures.map(String), ['Error: a/1']);
  follower.stop();
});

test('a value that no listener can read is told once', async () => {
  const failures: unknown[] = [];
  const broken = {
    changed({ key, revision }: Change) {
      throw new ValueDamaged(key, revision, 'a test says so');
    },
  };
  const late = { changed: async (change: Change) => broken.changed(change) };
  const follower = new ChangeFollower(store.storage, [broken, broken, late], { ...unexpected, failed: (error) => failures.push(error) });
  follower.start(0);
  await create('a/1');
  await create('a/2');
  await follower.caughtUp();
  assert.equal(
    failures.map((error) => (error as ValueDamaged).key),
    ['a/1', 'a/2'],
  );
  follower.stop();
});

test('a history that is gone is reported once', async () => {
  let lost = 0;
  await create('a/1');
  await store.storage.compact(await create('a/2'));
  const follower = new ChangeFollower(store.storage, [recorder()], { ...unexpected, lost: () => lost++ });
  follower.start(0);
  await eventually(
    () => lost > 0,
    () => 'nothing was reported',
  );
  await create('a/3');
  assert.not(await follower.caughtUp());
  assert.is(lost, 1);
});

test('a change that cannot be read is lost, is told of, and ends the following', async () => {
  await create('a/1');
  const damage = new ValueDamaged('a/1', 1, 'a test says so');
  const storage = new Proxy(store.storage, {
    get(target, name) {
      if (name === 'changes')
        return () => {
          throw damage;
        };
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const told: unknown[] = [];
  const listener = recorder();
  const follower = new ChangeFollower(storage, [listener], {
    lost: (error) => told.push(['lost', error]),
    failed: (error) => told.push(['failed', error]),
  });
  follower.start(0);
  await eventually(
    () => told.length > 0,
    () => 'nothing is told',
  );
  await create('a/2');
  assert.is(await follower.caughtUp(), false);
  assert.equal(
    [told, listener.seen],
    [
      [
        ['failed', damage],
        ['lost', damage],
      ],
      [],
    ],
  );
});

test.run();

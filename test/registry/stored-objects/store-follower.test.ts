import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FollowerSink, StoreFollower } from '../../../runtime/registry/stored-objects/store-follower.ts';
import { encodeStoredObject, type StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { ValueDamaged } from '../../../runtime/storage/errors.ts';
import { type LmdbTestStore, lmdbStore } from '../../storage/lmdb/lmdb-store.ts';

/** Keeps the names of the objects that it is told of. */
class Names implements FollowerSink {
  readonly prefixes: readonly string[];
  readonly names = new Map<string, string>();
  resets = 0;
  changes = 0;
  constructor(...prefixes: string[]) {
    this.prefixes = prefixes;
  }
  reset(): void {
    this.resets++;
    this.names.clear();
  }
  change(key: string, stored: StoredObject | undefined): void {
    this.changes++;
    if (stored === undefined) this.names.delete(key);
    else this.names.set(key, stored.parse().data);
  }
}

const unexpected = (error: Error): never => {
  throw error;
};
const value = (data: string) => encodeStoredObject({ kind: 'X', apiVersion: 'v1', metadata: { name: 'x' }, data }, 1, []);
const test = suite('what follows the store');
let store: LmdbTestStore;
test.before.each(async () => {
  store = await lmdbStore();
});
test.after.each(() => store.remove());

test('is told what there is, and what changes, of its own resources', async () => {
  await store.storage.create('roles/a/one', value('1'));
  const follower = new StoreFollower(store.storage, unexpected);
  const sink = new Names('roles', 'clusterroles');
  follower.add(sink);
  assert.equal([...sink.names], [['roles/a/one', '1']]);
  const revision = await store.storage.create('clusterroles/two', value('2'));
  await store.storage.create('rolesx/three', value('3'));
  follower.catchUp();
  assert.equal([...sink.names.keys()].sort(), ['clusterroles/two', 'roles/a/one']);
  await store.storage.update('clusterroles/two', revision, value('4'));
  follower.catchUp();
  assert.is(sink.names.get('clusterroles/two'), '4');
  await store.storage.delete('clusterroles/two', store.storage.currentRevision(), value('4'));
  follower.catchUp();
  assert.equal([...sink.names.keys()], ['roles/a/one']);
  const { changes } = sink;
  follower.catchUp();
  assert.is(sink.changes, changes, 'where nothing was written, nothing is told');
});

test('looks again for a request unless it has looked since that came, and a moment ago', async () => {
  const follower = new StoreFollower(store.storage, unexpected);
  const sink = new Names('roles');
  follower.add(sink);
  const seenFor = async (received: number | undefined, now: (looked: number) => number): Promise<boolean> => {
    follower.catchUp();
    const looked = performance.now();
    const name = `roles/a/${sink.names.size}`;
    await store.storage.create(name, value('1'));
    follower.catchUpFor(received, now(looked));
    return sink.names.has(name);
  };
  assert.is(await seenFor(0, (looked) => looked), false, 'it has looked since the request came');
  assert.is(await seenFor(Number.MAX_SAFE_INTEGER, (looked) => looked), true, 'the request came later');
  assert.is(await seenFor(0, (looked) => looked + 1_000), true, 'it has not looked for long');
  assert.is(await seenFor(undefined, (looked) => looked), true, 'nobody asks');
});

test('has not looked where the store could not be read', async () => {
  let isBroken = false;
  const storage = Object.create(store.storage, {
    currentRevision: {
      value() {
        if (isBroken) throw new Error('broken');
        return store.storage.currentRevision();
      },
    },
    settledRevision: { value: () => store.storage.settledRevision() },
    range: { value: (options: never) => store.storage.range(options) },
    changes: { value: (after: number, prefix: string) => store.storage.changes(after, prefix) },
  });
  const follower = new StoreFollower(storage, unexpected);
  const sink = new Names('roles');
  follower.add(sink);
  const received = performance.now();
  await store.storage.create('roles/a/one', value('1'));
  isBroken = true;
  assert.throws(() => follower.catchUpFor(received, performance.now()), 'broken');
  isBroken = false;
  follower.catchUpFor(received, performance.now());
  assert.equal([...sink.names.keys()], ['roles/a/one']);
});

test('catches up with many changes at once', async () => {
  const follower = new StoreFollower(store.storage, unexpected);
  const sink = new Names('roles');
  follower.add(sink);
  await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      store.storage.create(`${index % 3 === 0 ? 'roles' : 'pods'}/a/${index}`, value(String(index))),
    ),
  );
  follower.catchUp();
  assert.is(sink.names.size, 100);
});

test('begins anew where changes are gone', async () => {
  const follower = new StoreFollower(store.storage, unexpected);
  const sink = new Names('roles');
  follower.add(sink);
  const gone = await store.storage.create('roles/a/gone', value('1'));
  follower.catchUp();
  await store.storage.delete('roles/a/gone', gone, value('1'));
  await store.storage.create('roles/a/there', value('2'));
  await store.storage.compact(store.storage.currentRevision());
  follower.catchUp();
  assert.equal([...sink.names.keys()], ['roles/a/there']);
  assert.is(sink.resets, 1);
});

test('a change that cannot be read is stepped over where nobody follows it, and is told of where somebody does, whose key stays what it was', async () => {
  const damaged = new Set<string>();
  const storage: typeof store.storage = Object.create(store.storage, {
    currentRevision: { value: () => store.storage.currentRevision() },
    settledRevision: { value: () => store.storage.settledRevision() },
    range: { value: (options: never) => store.storage.range(options) },
    changes: {
      value: function* (after: number, prefix: string) {
        for (const change of store.storage.changes(after, prefix)) {
          const { operation, key, revision, previousValue } = change;
          const unread = {
            operation,
            key,
            revision,
            previousValue,
            get value(): never {
              throw new ValueDamaged(key, revision, 'a test says so');
            },
          };
          yield damaged.has(`${key} ${operation}`) ? unread : change;
        }
      },
    },
  });
  const told: string[] = [];
  const follower = new StoreFollower(storage, ({ key }) => told.push(String(key)));
  const sink = new Names('roles');
  follower.add(sink);
  let revision = await store.storage.create('roles/a/one', value('1'));
  follower.catchUp();
  for (const each of ['pods/a/two create', 'roles/a/one update', 'roles/a/one delete']) damaged.add(each);
  await store.storage.create('pods/a/two', value('2'));
  revision = await store.storage.update('roles/a/one', revision, value('3'));
  await store.storage.create('roles/a/four', value('4'));
  follower.catchUp();
  assert.equal(
    [...sink.names],
    [
      ['roles/a/one', '1'],
      ['roles/a/four', '4'],
    ],
  );
  assert.equal(told, ['roles/a/one']);
  await store.storage.delete('roles/a/one', revision, value('3'));
  follower.catchUp();
  assert.equal([...sink.names.keys()], ['roles/a/four']);
  assert.is(told.length, 1);
});

test('joins later without losing what others follow', async () => {
  const follower = new StoreFollower(store.storage, unexpected);
  const [first, second] = [new Names('roles'), new Names('roles', 'pods')];
  follower.add(first);
  await store.storage.create('roles/a/one', value('1'));
  await store.storage.create('pods/a/two', value('2'));
  follower.add(second);
  assert.is(first.names.size, 1);
  assert.is(second.names.size, 2);
  await store.storage.create('roles/a/three', value('3'));
  follower.catchUp();
  assert.equal([first.names.size, second.names.size], [2, 3]);
});
test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TakingIn } from '../../../runtime/event-loop/reading-in-turns.ts';
import { type FollowerSink, StoreFollower } from '../../../runtime/registry/stored-objects/store-follower.ts';
import { encodeStoredObject, type StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { ValueDamaged } from '../../../runtime/storage/errors.ts';
import type { RangeOptions } from '../../../runtime/storage/storage.ts';
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

/** Takes objects in when it is told to go on. */
class InTurns extends Names {
  work: TakingIn | undefined;
  settled = 0;
  takeIn(work: TakingIn): void {
    this.work = work;
  }
  override reset(): void {
    super.reset();
    this.work = undefined;
  }
  settle(): void {
    this.settled++;
  }
  /** @returns how many objects it was told of at most in one piece */
  takeAll(): number {
    const pieces: number[] = [0];
    for (let told = this.changes; this.work?.next().done === false; told = this.changes) pieces.push(this.changes - told);
    return Math.max(...pieces);
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

test('where changes are gone, a value that cannot be read keeps no sink from the others, and a store that cannot be read is read again', async () => {
  const broken = new Set<string>();
  const storage: typeof store.storage = Object.create(store.storage, {
    currentRevision: { value: () => store.storage.currentRevision() },
    settledRevision: { value: () => store.storage.settledRevision() },
    changes: { value: (after: number, prefix: string) => store.storage.changes(after, prefix) },
    range: {
      *value(options: RangeOptions) {
        if (broken.has(options.start)) throw new Error('broken');
        for (const { key, revision, value: bytes } of store.storage.range(options))
          yield {
            key,
            revision,
            get value() {
              if (broken.has(key)) throw new ValueDamaged(key, revision, 'it is torn');
              return bytes;
            },
          };
      },
    },
  });
  const told: (string | undefined)[] = [];
  const follower = new StoreFollower(storage, ({ key }) => void told.push(key));
  const [roles, bindings, nodes] = [new Names('roles'), new Names('rolebindings'), new Names('nodes')];
  for (const sink of [roles, bindings, nodes]) follower.add(sink);
  const all = () => [roles, bindings, nodes].map(({ names }) => [...names.values()].join());
  const change = async (data: string): Promise<void> => {
    for (const key of ['roles/a/one', 'roles/a/two', 'rolebindings/a/one', 'nodes/one']) {
      const revision = store.storage.revisionOf(key);
      await (revision === undefined ? store.storage.create(key, value(data)) : store.storage.update(key, revision, value(data)));
    }
    await store.storage.compact(store.storage.currentRevision());
  };
  await change('1');
  broken.add('roles/a/one');
  follower.catchUp();
  assert.equal(all(), ['1', '1', '1']);
  assert.equal(told, ['roles/a/one']);
  await change('2');
  broken.add('rolebindings/');
  for (let i = 0; i < 2; i++) {
    assert.throws(() => follower.catchUp(), 'broken');
    assert.is(all()[1], '');
  }
  // what comes meanwhile may be compacted away before the store can be read
  await change('3');
  broken.clear();
  follower.catchUp();
  assert.equal(all(), ['3,3', '3', '3']);
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

const MANY = 300;
const createMany = (): Promise<unknown> =>
  Promise.all(Array.from({ length: MANY }, (_, index) => store.storage.create(`pods/a/${String(index).padStart(3, '0')}`, value('old'))));

test('what takes objects in turns is told of few at a time, and of changes in between, however far it is', async () => {
  await createMany();
  const follower = new StoreFollower(store.storage, unexpected);
  const sink = new InTurns('nodes', 'pods');
  follower.add(sink);
  assert.is(sink.changes, 0, 'nothing comes at once');
  for (let piece = 0; piece < 4; piece++) sink.work?.next();
  assert.ok(sink.names.has('pods/a/040') && !sink.names.has('pods/a/200'), `${sink.names.size} are known`);
  for (const name of ['010', '210'])
    await store.storage.update(`pods/a/${name}`, store.storage.revisionOf(`pods/a/${name}`) ?? 0, value('new'));
  for (const name of ['020', '220'])
    await store.storage.delete(`pods/a/${name}`, store.storage.revisionOf(`pods/a/${name}`) ?? 0, value('old'));
  await store.storage.create('pods/a/2205', value('new'));
  follower.catchUp();
  assert.is(sink.names.get('pods/a/210'), 'new', 'a change counts before its object is read');
  const most = sink.takeAll();
  assert.ok(most <= 40, `told of ${most} at a time`);
  assert.is(sink.names.size, MANY - 1);
  assert.equal(
    ['010', '020', '210', '220', '2205', '299'].map((name) => sink.names.get(`pods/a/${name}`)),
    ['new', undefined, 'new', undefined, 'new', 'old'],
  );
  assert.ok(sink.settled > 0);
});

test('what takes objects in turns begins anew where changes are gone', async () => {
  await createMany();
  const follower = new StoreFollower(store.storage, unexpected);
  const sink = new InTurns('pods');
  follower.add(sink);
  sink.takeAll();
  await store.storage.delete('pods/a/000', store.storage.revisionOf('pods/a/000') ?? 0, value('old'));
  await store.storage.create('pods/a/new', value('new'));
  await store.storage.compact(store.storage.currentRevision());
  follower.catchUp();
  assert.equal([sink.resets, sink.names.size], [1, 0]);
  sink.takeAll();
  assert.is(sink.names.size, MANY);
  assert.is(sink.names.has('pods/a/000'), false);
});

test('what takes objects in turns does without one that cannot be read, and begins anew where the store could not be read', async () => {
  await createMany();
  let isBroken = false;
  const storage: typeof store.storage = Object.create(store.storage, {
    currentRevision: { value: () => store.storage.currentRevision() },
    settledRevision: { value: () => store.storage.settledRevision() },
    changes: { value: (after: number, prefix: string) => store.storage.changes(after, prefix) },
    range: {
      *value(options: RangeOptions) {
        if (isBroken) throw new Error('broken');
        for (const { key, revision, value: bytes } of store.storage.range(options))
          yield {
            key,
            revision,
            get value() {
              if (key === 'pods/a/100') throw new ValueDamaged(key, revision, 'it is torn');
              return bytes;
            },
          };
      },
    },
  });
  const told: (string | undefined)[] = [];
  const follower = new StoreFollower(storage, ({ key }) => void told.push(key));
  const sink = new InTurns('pods');
  follower.add(sink);
  sink.work?.next();
  isBroken = true;
  sink.takeAll();
  assert.ok(sink.names.size < 100, 'it has stopped');
  isBroken = false;
  follower.catchUp();
  sink.takeAll();
  assert.is(sink.names.size, MANY - 1);
  assert.equal([sink.resets, told], [1, ['pods/a/100']]);
});
test.run();

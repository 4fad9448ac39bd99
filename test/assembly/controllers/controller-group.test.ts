import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ControllerGroup } from '../../../runtime/assembly/controllers/controller-group.ts';
import type { Controller } from '../../../runtime/controllers/controller/controller.ts';
import { RevisionCompacted } from '../../../runtime/storage/errors.ts';
import type { Change, Storage } from '../../../runtime/storage/storage.ts';
import { eventually } from '../../controllers/server.ts';
import { type LmdbTestStore, lmdbStore } from '../../storage/lmdb/lmdb-store.ts';

const test = suite('controllers that list together');

let store: LmdbTestStore;
let groups: ControllerGroup[];
let told: unknown[];
test.before.each(async () => {
  store = await lmdbStore();
  groups = [];
  told = [];
});
test.after.each(async () => {
  await Promise.all(groups.map((group) => group.stop()));
  await store.remove();
});

const create = (key: string) => store.storage.create(key, { bytes: Buffer.from('x'), revisionOffset: -1 });

class Recorder implements Controller {
  readonly seen: string[] = [];
  /** what the next listings fail by */
  readonly failures: Error[];

  constructor(...failures: Error[]) {
    this.failures = failures;
  }

  async list(revision: number): Promise<void> {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    this.seen.push(`listed ${revision}`);
  }

  changed({ key }: Change): void {
    this.seen.push(key);
  }

  async stop(): Promise<void> {}
}

function groupOf(controllers: readonly Controller[], storage: Storage = store.storage): ControllerGroup {
  const group = new ControllerGroup(controllers, {
    storage,
    log: { error: ({ err }: { err?: unknown }) => told.push(err) },
    parted: (parted) => {
      for (const each of parted) groupOf([each]).startLater();
    },
  });
  groups.push(group);
  return group;
}

const unread = () => new Error('the value is damaged');

test('go on without one that cannot, which follows once it can', async () => {
  await create('a');
  const [first, failing, last] = [new Recorder(), new Recorder(unread(), unread()), new Recorder()];
  const group = groupOf([first, failing, last]);
  group.start();
  assert.is(await group.caughtUp(), true);
  await create('b');
  assert.is(await group.caughtUp(), true);
  for (const { seen } of [first, last]) assert.equal(seen, ['listed 1', 'b']);
  assert.equal([failing.seen, group.has(failing), groups.length], [[], false, 2]);
  const own = groups[1] as ControllerGroup;
  assert.ok(own.has(failing));
  // what it waits for comes with the listing that succeeds
  assert.is(await own.caughtUp(), true);
  assert.equal(failing.seen, ['listed 2']);
  await create('c');
  await eventually(
    () => failing.seen.length === 2 && first.seen.length === 3,
    () => `${failing.seen} and ${first.seen} were seen`,
  );
  assert.equal(
    [failing.seen, first.seen],
    [
      ['listed 2', 'c'],
      ['listed 1', 'b', 'c'],
    ],
  );
  assert.equal(
    told.map((error) => (error as Error).message),
    Array(2).fill('the value is damaged'),
  );
});

test('stay together where none of them can', async () => {
  const both = [new Recorder(unread()), new Recorder(unread())];
  const group = groupOf(both);
  group.start();
  assert.is(await group.caughtUp(), true);
  assert.equal([groups.length, told.length], [1, 2]);
  for (const { seen } of both) assert.equal(seen, ['listed 0']);
});

test('list anew where the history was shorter than that took', async () => {
  const both = [new Recorder(), new Recorder(new RevisionCompacted(1, 2))];
  const group = groupOf(both);
  group.start();
  assert.is(await group.caughtUp(), true);
  assert.equal([groups.length, told], [1, []]);
  assert.equal(
    both.map(({ seen }) => seen),
    [['listed 0', 'listed 0'], ['listed 0']],
  );
});

test('list anew, after a while, where a change cannot be read', async () => {
  const failure = unread();
  let failures = 1;
  const storage = new Proxy(store.storage, {
    get(target, name) {
      const member = Reflect.get(target, name, target);
      if (name !== 'changes') return typeof member === 'function' ? member.bind(target) : member;
      return (...parameters: Parameters<typeof target.changes>) => {
        if (failures-- > 0) throw failure;
        return target.changes(...parameters);
      };
    },
  });
  const recorder = new Recorder();
  const group = groupOf([recorder], storage);
  group.start();
  assert.is(await group.caughtUp(), true);
  await create('a');
  await eventually(
    () => recorder.seen.length === 2,
    () => `${recorder.seen} was seen`,
  );
  await create('b');
  while (!(await group.caughtUp()));
  assert.equal([recorder.seen, told], [['listed 0', 'listed 1', 'b'], [failure]]);
});

test('end while one of them waits to be tried again', async () => {
  const failing = new Recorder(...Array.from({ length: 1_000 }, unread));
  const group = groupOf([failing]);
  group.start();
  await eventually(
    () => told.length > 0,
    () => 'nothing was told',
  );
  const waiting = group.caughtUp();
  await group.stop();
  assert.is(await waiting, true);
  assert.equal([failing.seen, told.length], [[], 1]);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionCompacted } from '../../../runtime/storage/errors.ts';
import { MemoryData } from '../../../runtime/storage/memory/memory-data.ts';
import { MemoryStorage } from '../../../runtime/storage/memory/memory-storage.ts';
import { all, bytes, thrown, told } from '../contract/store.ts';
import { storageContract } from '../contract.ts';

async function memoryStore(data = new MemoryData()) {
  let storage = new MemoryStorage(data);
  return {
    get storage() {
      return storage;
    },
    async reopen() {
      await storage.close();
      storage = new MemoryStorage(data);
      return storage;
    },
    remove: () => storage.close(),
  };
}

storageContract('memory', () => memoryStore()).run();

/** Its revisions begin where those of the other one were. */
async function forkedStore() {
  const data = new MemoryData();
  for (const key of ['pods/a', 'pods/b', 'pods']) data.write('create', key, undefined, bytes(''));
  for (const [key, revision] of [
    ['pods/a', 1],
    ['pods/b', 2],
    ['pods', 3],
  ] as const)
    data.write('delete', key, revision, bytes(''));
  return memoryStore(data.fork());
}

storageContract('a fork in memory', forkedStore).run();

const test = suite('a fork of a store in memory');

test('begins with what there is, at the same revision, without its past', async () => {
  const storage = new MemoryStorage();
  await storage.create('pods/a', bytes('1'));
  await storage.update('pods/a', 1, bytes('2'));
  await storage.create('pods/b', bytes('3'));
  await storage.delete('pods/b', 3, bytes('gone'));
  const fork = storage.fork();
  assert.equal([fork.currentRevision(), fork.compactedRevision(), all(fork)], [4, 4, ['pods/a@2=2']]);
  for (const read of [() => fork.get('pods/a', 3), () => fork.changes(3, '')]) assert.instance(thrown(read), RevisionCompacted);
  assert.equal(all(storage, 3), ['pods/a@2=2', 'pods/b@3=3']);
});

test('goes its own way, and so does the other', async () => {
  const storage = new MemoryStorage();
  for (let i = 0; i < 600; i++) await storage.create(`pods/${i}`, bytes('0'));
  const forks = [storage.fork(), storage.fork()];
  await forks[0]?.update('pods/7', 8, bytes('first'));
  await forks[1]?.delete('pods/7', 8, bytes('gone'));
  await storage.create('pods/x', bytes('own'));
  assert.equal(
    [storage, ...forks].map((each) => [
      String(each.get('pods/7')?.value),
      each.get('pods/x') !== undefined,
      each.count({ start: '', end: '' }),
    ]),
    [
      ['0', true, 601],
      ['first', false, 600],
      ['undefined', false, 599],
    ],
  );
  assert.equal(told(forks[0]?.changes(600, '') ?? []), ['update pods/7@601=first<0']);
});

test('is compacted without a change to what the other can still read', async () => {
  const storage = new MemoryStorage();
  await storage.create('pods/a', bytes('1'));
  await storage.update('pods/a', 1, bytes('2'));
  const fork = storage.fork();
  await fork.update('pods/a', 2, bytes('3'));
  await fork.compact(3);
  assert.equal([all(storage, 1), all(storage, 2), all(fork)], [['pods/a@1=1'], ['pods/a@2=2'], ['pods/a@3=3']]);
  assert.equal([storage.size().historyBytes, fork.size().historyBytes], [1, 0]);
  await storage.compact(2);
  assert.equal([storage.size().historyBytes, all(fork)], [0, ['pods/a@3=3']]);
});

test('holds no history once it is compacted, whatever was written', async () => {
  const origin = new MemoryStorage();
  await origin.create('pods/1', bytes('value'));
  await origin.delete('pods/1', 1, bytes('gone'));
  await origin.create('pods/2', bytes('value'));
  await origin.create('pods/9', bytes('value'));
  await origin.delete('pods/9', 4, bytes('gone'));
  const storage = origin.fork();
  for (let i = 0; i < 40; i++) {
    const key = `pods/${i % 7}`;
    const revision = storage.revisionOf(key);
    if (revision === undefined) await storage.create(key, bytes('value'));
    else if (i % 3 === 0) await storage.delete(key, revision, bytes('last'));
    else await storage.update(key, revision, bytes('another'));
  }
  assert.ok(storage.size().historyBytes > 0);
  await storage.compact(storage.currentRevision());
  assert.is(storage.size().historyBytes, 0);
});

/** How many keys of the data are looked at meanwhile. */
async function keysLookedAt(data: MemoryData, work: () => Promise<void>): Promise<number> {
  let looked = 0;
  const { get, visit } = data.keys;
  data.keys.get = (key) => {
    looked++;
    return get.call(data.keys, key);
  };
  data.keys.visit = (start, end, take) =>
    visit.call(data.keys, start, end, (key, version) => {
      looked++;
      return take(key, version as never);
    });
  await work();
  Object.assign(data.keys, { get, visit });
  return looked;
}

test('is compacted by a look at those keys alone that have a past', async () => {
  const data = new MemoryData();
  for (let i = 0; i < 5_000; i++) data.write('create', `pods/${i}`, undefined, bytes('0'));
  await new MemoryStorage(data).compact(5_000);
  for (let i = 0; i < 20; i++) data.write('update', `pods/${i}`, i + 1, bytes('1'));
  const looked = await keysLookedAt(data, () => new MemoryStorage(data).compact(5_020));
  assert.ok(looked < 100, `${looked} keys were looked at`);
  assert.is(data.historyBytes, 0);
});

test('lets go of removals that were there when it began, in whatever store they were made', async () => {
  const origin = new MemoryData();
  for (let i = 0; i < 3; i++) origin.write('create', `pods/${i}`, undefined, bytes('0'));
  origin.write('delete', 'pods/0', 1, bytes('gone'));
  const between = origin.fork();
  between.write('delete', 'pods/1', 2, bytes('gone'));
  const data = between.fork();
  await new MemoryStorage(data).compact(5);
  assert.equal([...data.keys.entries('', '')].length, 1);
  assert.equal([...between.keys.entries('', '')].length, 3);
});

test.run();

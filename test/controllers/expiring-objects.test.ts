/** Events: they go some time after their last write, and nothing else does. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { expiringObjects } from '../../runtime/controllers/expiring-objects.ts';
import { timestamp } from '../../runtime/registry/resource-store/strategy.ts';
import { encodeStoredObject, StoredObject } from '../../runtime/registry/stored-objects/stored-object.ts';
import type { Change } from '../../runtime/storage/storage.ts';
import { eventually, SETTINGS, TestCluster } from './server.ts';
import { TestClock } from './test-clock.ts';

const test = suite('objects that expire');

/** Milliseconds, and those between two looks. */
const LIFE = 3_000;
const INTERVAL = LIFE / 10;

let cluster: TestCluster;
let clock: TestClock;
test.before.each(async () => {
  clock = new TestClock(Date.now());
  cluster = await TestCluster.create({ expireAfter: LIFE, settings: { ...SETTINGS, clock } });
});
test.after.each(() => cluster.remove());

/** What is there is known, and the first look is due after the interval. */
async function start(): Promise<void> {
  await cluster.start();
  await eventually(
    () => clock.asked.length > 0,
    () => 'nobody looks',
  );
}
/** Behind it what looks have begun by then is over: each removes what it removes with few writes. */
async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await cluster.create('v1', 'configmaps', { metadata: { generateName: 'c', namespace: 'n' } });
}
const event = (name: string, metadata: object = {}): Promise<ApiObject> =>
  cluster.create('v1', 'events', { metadata: { name, namespace: 'n', ...metadata }, involvedObject: { namespace: 'n' } });
const names = (): string => cluster.names('events/n/');
const left = (wanted: string): Promise<void> => cluster.left('events/n/', wanted);

test('an event goes after its life, not before; one that is written again begins anew; other objects stay', async () => {
  await start();
  for (const name of ['held', 'once', 'twice']) await event(name, name === 'held' ? { finalizers: ['e.com/f'] } : {});
  clock.advance(LIFE / 3);
  await cluster.edit('v1', 'events', { namespace: 'n', name: 'twice' }, (object) => {
    object.count = 2;
  });
  clock.advance(LIFE - LIFE / 3);
  await settled();
  assert.is(names(), 'held,once,twice', 'they went too early');
  clock.advance(INTERVAL);
  await left('twice');
  clock.advance(LIFE / 3 - INTERVAL);
  await settled();
  assert.is(names(), 'twice', 'what was written again went too early');
  clock.advance(INTERVAL);
  await left('');
  assert.is(cluster.objects('configmaps/n/').length, 10);
});

test('what was there before the start goes by the time that it names, and so does what came after it', async () => {
  const old = await event('old');
  // Nobody else can make an object older than it is: it is written as an earlier server would have.
  const revision = Number(old.metadata.resourceVersion);
  old.metadata.creationTimestamp = timestamp(clock.date() - 3_600_000);
  await cluster.server.storage.update('events/n/old', revision, encodeStoredObject(old, 0, []));
  await event('new');
  await start();
  clock.advance(INTERVAL);
  await left('new');
  clock.advance(LIFE - 2 * INTERVAL);
  await settled();
  assert.is(names(), 'new', 'what came last went too early');
  clock.advance(INTERVAL);
  await left('');
});

test('what cannot be read goes as well, though nobody knows how old it was before the start, and holds up nothing', async () => {
  await cluster.remove();
  const damaged = new Set<string>();
  cluster = await TestCluster.create({ expireAfter: LIFE, settings: { ...SETTINGS, clock }, damaged });
  for (let i = 100; i < 170; i++) {
    await event(`a${i}`);
    damaged.add(`events/n/a${i}`);
  }
  await start();
  await event('b');
  const watched = cluster.server.storage.currentRevision();
  const keys = () => [...cluster.server.storage.range({ start: 'events/n/', end: 'events/n0' })].map(({ key }) => key);
  clock.advance(LIFE - INTERVAL);
  await settled();
  assert.is(keys().length, 71, 'they went too early');
  clock.advance(INTERVAL);
  clock.advance(INTERVAL);
  await eventually(
    () => keys().length === 0,
    () => `${keys()} are left`,
  );
  const [first] = cluster.server.storage.changes(watched, 'events/');
  const { kind, metadata } = new StoredObject((first as Change).value).parse();
  assert.equal([kind, metadata.name, metadata.namespace], ['Event', 'a100', 'n']);
});

for (const hours of [-6, 6])
  test(`an event has its whole life, and no more, where the clock is set by ${hours} hours`, async () => {
    await start();
    await event('one');
    clock.advance(INTERVAL);
    clock.set(hours * 3_600_000);
    clock.advance(LIFE - INTERVAL);
    await settled();
    assert.is(names(), 'one', 'it went too early');
    clock.advance(INTERVAL);
    await left('');
  });

test('nothing expires where the time is 0', async () => {
  await cluster.remove();
  cluster = await TestCluster.create();
  assert.is(expiringObjects(cluster.server), undefined);
});

test.run();

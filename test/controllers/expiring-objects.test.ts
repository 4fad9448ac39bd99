/** Events: they go some time after their last write, and nothing else does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { encodeStoredObject } from '../../runtime/registry/stored-object.ts';
import { timestamp } from '../../runtime/registry/strategy.ts';
import { eventually, TestCluster } from './server.ts';

const test = suite('objects that expire');

/** Milliseconds: longer than a write takes on a machine under load. */
const LIFE = 3_000;

let cluster: TestCluster;
test.before.each(async () => {
  cluster = await TestCluster.create({ expireAfter: LIFE });
});
test.after.each(() => cluster.remove());

const event = (name: string, metadata: object = {}): Promise<ApiObject> =>
  cluster.create('v1', 'events', { metadata: { name, namespace: 'n', ...metadata }, involvedObject: { namespace: 'n' } });
const names = (): string =>
  cluster
    .objects('events/n/')
    .map(({ metadata }) => metadata.name)
    .join();
const left = (wanted: string) =>
  eventually(
    () => names() === wanted,
    () => `${names()} are left, not ${wanted}`,
  );

test('an event goes after its life, not before; one that is written again begins anew; other objects stay', async () => {
  await cluster.start();
  await cluster.create('v1', 'configmaps', { metadata: { name: 'c', namespace: 'n' } });
  const began = Date.now();
  for (const name of ['held', 'once', 'twice']) await event(name, name === 'held' ? { finalizers: ['e.com/f'] } : {});
  await sleep(LIFE / 3);
  const again = Date.now();
  await cluster.edit('v1', 'events', { namespace: 'n', name: 'twice' }, (object) => {
    object.count = 2;
  });
  await left('twice');
  assert.ok(Date.now() - began >= LIFE, 'it went too early');
  await left('');
  assert.ok(Date.now() - again >= LIFE, 'what was written again went too early');
  assert.is(cluster.objects('configmaps/n/').length, 1);
});

test('what was there before the start goes by the time that it names, and so does what came after it', async () => {
  const old = await event('old');
  // Nobody else can make an object older than it is: it is written as an earlier server would have.
  const revision = Number(old.metadata.resourceVersion);
  old.metadata.creationTimestamp = timestamp(Date.now() - 3_600_000);
  await cluster.server.storage.update('events/n/old', revision, encodeStoredObject(old, 0, []));
  const created = Date.now();
  await event('new');
  await cluster.start();
  await left('new');
  await left('');
  assert.ok(Date.now() - created >= LIFE, 'what came last went too early');
});

test('nothing expires where the time is 0', async () => {
  await cluster.remove();
  cluster = await TestCluster.create();
  await cluster.start();
  await event('e');
  await sleep(300);
  assert.is(names(), 'e');
});

test.run();

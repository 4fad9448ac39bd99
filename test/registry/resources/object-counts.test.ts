import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ObjectCounts } from '../../../runtime/registry/resources/object-counts.ts';
import type { Resource } from '../../../runtime/registry/resources/resource.ts';
import { MemoryStorage } from '../../../runtime/storage/memory/memory-storage.ts';

const resource = (group: string, name: string, prefix: string): Resource =>
  ({ groupVersion: { group, version: 'v1' }, data: { name, scope: 'Namespaced', storage: { prefix } } }) as Resource;
const registry = {
  current: { storedResources: () => [resource('', 'pods', 'pods'), resource('apps', 'deployments', 'deployments')] },
} as ConstructorParameters<typeof ObjectCounts>[0]['registry'];
const value = { bytes: Buffer.from('{}'), revisionOffset: -1 };

const test = suite('counts of objects');
test('are by resource, and good for their time', async () => {
  let now = 0;
  const storage = new MemoryStorage();
  const counts = new ObjectCounts({ storage, registry }, 1_000, () => now);
  await storage.create('pods/a/x', value);
  await storage.create('deployments/a/x', value);
  await storage.create('podsets/a/x', value);
  const both = (pods: number) => [
    { resource: 'pods', count: pods },
    { resource: 'deployments.apps', count: 1 },
  ];
  assert.equal(counts.current(), both(1));
  await storage.create('pods/a/y', value);
  now = 999;
  assert.equal(counts.current(), both(1));
  now = 1_000;
  assert.equal(counts.current(), both(2));
  await storage.close();
});
test('of many are told once they are there; until then the last ones are', async () => {
  let now = 0;
  const storage = new MemoryStorage();
  for (let n = 0; n < 4_001; n++) await storage.create(`pods/a/x${n}`, value);
  // each look at the clock takes six milliseconds
  const counts = new ObjectCounts({ storage, registry }, 1, () => (now += 6));
  assert.equal(counts.current(), []);
  await counts.counted();
  const all = [
    { resource: 'pods', count: 4_001 },
    { resource: 'deployments.apps', count: 0 },
  ];
  assert.equal(counts.current(), all);
  assert.equal(counts.current(), all);
  await counts.counted();
  await storage.close();
});
test('end quietly with their store', async () => {
  let now = 0;
  const storage = new MemoryStorage();
  const counts = new ObjectCounts({ storage, registry }, 1, () => (now += 20));
  counts.current();
  await storage.close();
  await counts.counted();
  assert.equal(
    counts.current().filter(({ count }) => count > 0),
    [],
  );
});
test.run();

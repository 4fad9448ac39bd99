import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../../generated/routes.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { NamespacePhases } from '../../../runtime/registry/stored-objects/namespace-phases.ts';
import { ObjectLookup } from '../../../runtime/registry/stored-objects/object-lookup.ts';
import { encodeStoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { MemoryData } from '../../../runtime/storage/memory/memory-data.ts';
import { MemoryStorage } from '../../../runtime/storage/memory/memory-storage.ts';
import type { Storage } from '../../../runtime/storage/storage.ts';

/** One key of a store, and how often its value was read. */
class OneKey {
  reads = 0;
  #entry: { revision: number; value: Buffer } | undefined;
  readonly key: string;
  constructor(key: string) {
    this.key = key;
  }

  put(revision: number, members: object = {}, metadata: object = {}): void {
    const object = { kind: 'X', apiVersion: 'v1', metadata: { name: 'a', ...metadata }, ...members };
    this.#entry = { revision, value: encodeStoredObject(object, 0, []).bytes };
  }
  remove(): void {
    this.#entry = undefined;
  }
  get storage(): Storage {
    return {
      revisionOf: (key: string) => (key === this.key ? this.#entry?.revision : undefined),
      get: (key: string) => {
        this.reads++;
        return key === this.key && this.#entry !== undefined ? { key, ...this.#entry } : undefined;
      },
    } as Storage;
  }
}

const test = suite('objects that many requests ask for');

test('are read again when they were written, and gone when they are deleted', () => {
  const store = new OneKey('serviceaccounts/ns/a');
  const objects = new ObjectLookup(store.storage, groupVersions);
  const shared = () => objects.shared('serviceaccounts', 'ns', 'a');
  assert.is(shared(), undefined);
  store.put(3, { secrets: [{ name: 's' }] });
  const first = shared();
  assert.equal(first?.secrets, [{ name: 's' }]);
  assert.is(shared(), first);
  assert.is(store.reads, 1);
  store.put(4, { secrets: [] });
  assert.equal(shared()?.secrets, []);
  store.remove();
  assert.is(shared(), undefined);
  store.put(9);
  assert.is(shared()?.secrets, undefined);
});

test('are not kept where they are long', () => {
  const store = new OneKey('serviceaccounts/ns/a');
  const objects = new ObjectLookup(store.storage, groupVersions);
  store.put(1, { text: 'x'.repeat(5_000) });
  const first = objects.shared('serviceaccounts', 'ns', 'a');
  assert.equal(objects.shared('serviceaccounts', 'ns', 'a'), first);
  assert.is(store.reads, 2);
});

const keys: [resource: string, namespace: string, key: string][] = [
  ['pods', 'ns', 'pods/ns/a'],
  ['nodes', '', 'minions/a'],
  ['services', 'ns', 'services/specs/ns/a'],
  ['csidrivers', '', 'csidrivers/a'],
];
for (const [resource, namespace, key] of keys)
  test(`of ${resource} are found where their schema has them stored`, () => {
    const store = new OneKey(key);
    store.put(1);
    const objects = new ObjectLookup(store.storage, groupVersions);
    assert.is(objects.get(resource, namespace, 'a')?.metadata.name, 'a');
    assert.is(objects.shared(resource, namespace, 'a')?.metadata.name, 'a');
  });

test('of resources that are not stored are not asked for', () => {
  const objects = new ObjectLookup(new OneKey('').storage, groupVersions);
  for (const resource of ['tokenreviews', 'nothing']) assert.throws(() => objects.get(resource, '', 'a'), `${resource} are not stored`);
});

test('of a namespace come whole, in the order of their names, a few at a time, long ones with the members that are wanted', async () => {
  const storage = new MemoryStorage(new MemoryData());
  const names = Array.from({ length: 40 }, (_, index) => `p${String(index).padStart(2, '0')}`);
  for (const name of [...names].reverse())
    for (const namespace of ['a', 'b', 'a-b']) {
      const status = { text: name === 'p07' ? 'x'.repeat(100_000) : 'short' };
      const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace }, spec: { nodeName: name }, status };
      await storage.create(`pods/${namespace}/${name}`, encodeStoredObject(object, 0, []));
    }
  const objects = new ObjectLookup(storage, groupVersions, false);
  const found: ApiObject[] = [];
  let pieces = 0;
  for await (const piece of objects.inPieces('pods', 'a', ['spec'])) {
    pieces++;
    found.push(...piece);
  }
  assert.ok(pieces > 1);
  assert.equal(
    found.map(({ metadata, spec }) => [metadata.namespace, metadata.name, spec.nodeName]),
    names.map((name) => ['a', name, name]),
  );
  assert.equal(
    found.filter(({ status }) => status === undefined).map(({ metadata }) => metadata.name),
    ['p07'],
  );
  assert.is(objects.count('pods', 'a'), 40);
  assert.is(objects.count('pods', 'none'), 0);
});

test('of namespaces the phase is read once for each version', () => {
  const store = new OneKey('namespaces/ns');
  const phases = new NamespacePhases(store.storage);
  assert.is(phases.of('ns'), undefined);
  store.put(1);
  assert.is(phases.of('ns'), 'Active');
  assert.is(phases.of('ns'), 'Active');
  assert.is(store.reads, 1);
  store.put(2, {}, { deletionTimestamp: '2024-01-01T00:00:00Z' });
  assert.is(phases.of('ns'), 'Terminating');
  store.remove();
  assert.is(phases.of('ns'), undefined);
});

test.run();

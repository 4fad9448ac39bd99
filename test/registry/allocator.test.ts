import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AddressRange } from '../../runtime/registry/address-range.ts';
import { StorageAllocator } from '../../runtime/registry/allocator.ts';
import { prefixEnd, type Storage } from '../../runtime/storage/storage.ts';
import { type LmdbTestStore, lmdbStore } from '../storage/lmdb-store.ts';

const test = suite<{ store: LmdbTestStore; allocator: StorageAllocator }>('addresses and ports of services');
const allocatorOver = (storage: Storage) => new StorageAllocator(storage, new AddressRange('10.0.0.0/29'), { first: 30_000, last: 30_003 });

test.before.each(async (context) => {
  context.store = await lmdbStore();
  context.allocator = allocatorOver(context.store.storage);
});
test.after.each(({ store }) => store.remove());

/** Those that are given out, with their owners. */
function given({ storage }: LmdbTestStore): string[] {
  const entries = storage.range({ start: 'allocations/', end: prefixEnd('allocations/') });
  return Array.from(entries, ({ key, value }) => `${key.slice(key.lastIndexOf('/') + 1)} ${value}`);
}

test('each is given out once, until there is none', async ({ allocator }) => {
  const ports = await Promise.all(Array.from({ length: 6 }, (_, i) => allocator.allocatePort(`owner-${i}`)));
  assert.equal(ports.filter((port) => port !== undefined).sort(), [30_000, 30_001, 30_002, 30_003]);
  const addresses = await Promise.all(Array.from({ length: 8 }, (_, i) => allocator.allocateAddress(`owner-${i}`)));
  assert.equal(
    addresses.filter((address) => address !== undefined).sort(),
    Array.from({ length: 6 }, (_, i) => `10.0.0.${i + 1}`),
  );
});

test('what is named is had by one owner, who may name it again', async ({ allocator }) => {
  assert.equal([await allocator.claimPort(30_001, 'a'), await allocator.claimAddress('10.0.0.1', 'a')], ['claimed', 'claimed']);
  assert.equal([await allocator.claimPort(30_001, 'a'), await allocator.claimAddress('10.0.0.1', 'a')], ['claimed', 'claimed']);
  assert.equal([await allocator.claimPort(30_001, 'b'), await allocator.claimAddress('10.0.0.1', 'b')], ['taken', 'taken']);
  assert.equal([await allocator.claimPort(29_999, 'a'), await allocator.claimAddress('10.0.1.1', 'a')], ['outside', 'outside']);
});

test('what is given back is free, and nothing else', async ({ allocator, store }) => {
  for (const port of [30_000, 30_001]) await allocator.claimPort(port, 'a');
  await allocator.claimPort(30_002, 'b');
  await allocator.claimAddress('10.0.0.1', 'a');
  // 30002 is somebody else's, 30003 and the second address nobody's
  await allocator.release('a', { addresses: ['10.0.0.1', '10.0.0.2'], ports: [30_001, 30_002, 30_003] });
  assert.equal(given(store), ['30000 a', '30002 b']);
  assert.is(await allocator.claimPort(30_001, 'c'), 'claimed');
});

test('giving back reads nothing but what is given back', async ({ allocator, store: { storage } }) => {
  for (const port of [30_000, 30_001, 30_002]) await allocator.claimPort(port, 'a');
  const read: string[] = [];
  const watched = new Proxy(storage, {
    get(target, name) {
      if (name === 'get')
        return (key: string) => {
          read.push(key);
          return target.get(key);
        };
      if (name === 'delete') return target.delete.bind(target);
      throw new Error(`${String(name)} was asked for`);
    },
  });
  await allocatorOver(watched).release('a', { addresses: [], ports: [30_001] });
  assert.equal(read, ['allocations/ports/30001']);
});

test.run();

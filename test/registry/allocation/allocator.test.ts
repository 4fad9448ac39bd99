import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Taking } from '../../../runtime/contract/allocation.ts';
import type { RequestContext } from '../../../runtime/contract/request-context.ts';
import { AddressRange } from '../../../runtime/registry/allocation/address-range.ts';
import { StorageAllocator } from '../../../runtime/registry/allocation/allocator.ts';
import { prefixEnd, type Storage } from '../../../runtime/storage/storage.ts';
import { type LmdbTestStore, lmdbStore } from '../../storage/lmdb/lmdb-store.ts';

const test = suite<{ store: LmdbTestStore; allocator: StorageAllocator }>('addresses and ports of services');
const allocatorOver = (storage: Storage) =>
  new StorageAllocator(storage, [new AddressRange('10.0.0.0/29')], { first: 30_000, last: 30_003 });

test.before.each(async (context) => {
  context.store = await lmdbStore();
  context.allocator = allocatorOver(context.store.storage);
});
test.after.each(({ store }) => store.remove());

/** Those that are given out, with their owners. */
function given({ storage }: LmdbTestStore): string[] {
  const entries = storage.range({ start: 'ranges/', end: prefixEnd('ranges/') });
  return Array.from(entries, ({ key, value }) => `${key.slice(key.lastIndexOf('/') + 1)} ${value}`);
}

test('each is given out once, until there is none', async ({ allocator }) => {
  const ports = await Promise.all(Array.from({ length: 6 }, (_, i) => allocator.take({ uid: `owner-${i}` }).anyPort()));
  assert.equal(ports.filter((port) => port !== undefined).sort(), [30_000, 30_001, 30_002, 30_003]);
  const addresses = await Promise.all(Array.from({ length: 8 }, (_, i) => allocator.take({ uid: `owner-${i}` }).anyAddress('IPv4')));
  assert.equal(
    addresses.filter((address) => address !== undefined).sort(),
    Array.from({ length: 6 }, (_, i) => `10.0.0.${i + 1}`),
  );
});

const bands: readonly [range: string, first: number, last: number, early: number][] = [
  ['16 ports', 30_000, 30_015, 30_000],
  ['17 ports', 30_000, 30_016, 30_016],
  ['600 ports', 30_000, 30_599, 30_018],
  ['the ports of most clusters', 30_000, 32_767, 30_086],
  ['10,000 ports', 20_000, 29_999, 20_128],
];
for (const [range, first, last, early] of bands)
  test(`of ${range} those from ${early} on are given out first`, async ({ store }) => {
    const allocator = new StorageAllocator(store.storage, [new AddressRange('10.0.0.0/29')], { first, last });
    const free = [first, early - 1, early].filter((port) => port >= first);
    const others = Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((port) => !free.includes(port));
    await Promise.all(
      others.map((port) => store.storage.create(`ranges/servicenodeports/${port}`, { bytes: Buffer.from('a'), revisionOffset: -1 })),
    );
    assert.is(await allocator.take({ uid: 'b' }).anyPort(), early);
    const rest = new Set(free.filter((port) => port !== early));
    for (const _ of free) rest.delete((await allocator.take({ uid: 'b' }).anyPort()) as number);
    assert.is(rest.size, 0);
    assert.is(await allocator.take({ uid: 'b' }).anyPort(), undefined);
  });

test('of 30 addresses the upper 14 are given out first', async ({ store }) => {
  const allocator = new StorageAllocator(store.storage, [new AddressRange('10.0.0.0/27')], { first: 30_000, last: 30_003 });
  const given: string[] = [];
  for (let i = 0; i < 14; i++) given.push((await allocator.take({ uid: 'a' }).anyAddress('IPv4')) as string);
  assert.equal(new Set(given), new Set(Array.from({ length: 14 }, (_, i) => `10.0.0.${i + 17}`)));
  assert.match(String(await allocator.take({ uid: 'a' }).anyAddress('IPv4')), /^10\.0\.0\.(?:[1-9]|1[0-6])$/);
});

test('what is named is had by one owner, who may name it again', async ({ allocator }) => {
  for (const [owner, outcome] of [
    ['a', 'claimed'],
    ['a', 'claimed'],
    ['b', 'taken'],
  ] as const) {
    const taking = allocator.take({ uid: owner });
    assert.equal([await taking.port(30_001), await taking.address('10.0.0.1')], [outcome, outcome]);
  }
  const taking = allocator.take({ uid: 'a' });
  assert.equal([await taking.port(29_999), await taking.address('10.0.1.1')], ['outside', 'outside']);
});

test('what was chosen for a request is tried first when it is done anew, and no more than the range has', async ({ store }) => {
  // the ports are more than the addresses
  const allocator = new StorageAllocator(store.storage, [new AddressRange('10.0.0.0/29')], { first: 30_000, last: 32_767 });
  const choices: [string, unknown][] = [];
  const chosen = <T>(what: string, make: () => T): T => {
    choices.push([what, make()]);
    return choices.at(-1)?.[1] as T;
  };
  const first = allocator.take({ uid: 'a' }, { request: { chosen }, dryRun: false });
  const [address, port] = [await first.anyAddress('IPv4'), await first.anyPort()];
  await first.giveBack();
  const again = async (taking: Taking) => [await taking.anyAddress('IPv4'), await taking.anyPort()];
  /** as a request that is given them does */
  const given = (left: [string, unknown][]): Pick<RequestContext, 'chosen'> => ({
    chosen<T>(what: string, make: () => T): T {
      const next = left.shift();
      if (next?.[0] === what) return next[1] as T;
      left.length = 0;
      return make();
    },
  });
  const same = allocator.take({ uid: 'a' }, { request: given([...choices]), dryRun: false });
  assert.equal(await again(same), [address, port]);
  await same.giveBack();
  assert.is(await allocator.take({ uid: 'b' }).address(address as string), 'claimed');
  const [other, otherPort] = await again(allocator.take({ uid: 'a' }, { request: given([...choices]), dryRun: false }));
  assert.match(String(other), /^10\.0\.0\.[1-6]$/);
  assert.is.not(other, address);
  assert.ok((otherPort as number) >= 30_000 && (otherPort as number) <= 32_767, `${otherPort}`);
});

test('an address has one owner, however it is spelled', async ({ store }) => {
  const allocator = new StorageAllocator(store.storage, [new AddressRange('fd00::/112')], { first: 30_000, last: 30_003 });
  assert.is(await allocator.take({ uid: 'a' }).address('fd00::0001'), 'claimed');
  assert.is(await allocator.take({ uid: 'b' }).address('FD00:0::1'), 'taken');
  await allocator.release({ uid: 'a' }, { addresses: ['fd00:0:0::1'], ports: [] });
  assert.equal(given(store), []);
});

test('what is released is free, and nothing else', async ({ allocator, store }) => {
  const taking = allocator.take({ uid: 'a' });
  for (const port of [30_000, 30_001]) await taking.port(port);
  await allocator.take({ uid: 'b' }).port(30_002);
  await taking.address('10.0.0.1');
  // 30002 is somebody else's, 30003 and the second address nobody's
  await allocator.release({ uid: 'a' }, { addresses: ['10.0.0.1', '10.0.0.2'], ports: [30_001, 30_002, 30_003] });
  assert.equal(given(store), ['30000 a', '30002 b']);
  assert.is(await allocator.take({ uid: 'c' }).port(30_001), 'claimed');
});

test('what is claimed again after an update is not released by it', async ({ allocator, store }) => {
  const used = { addresses: [], ports: [30_000] };
  await allocator.take({ uid: 'a' }).port(30_000);
  const update = await store.storage.create('services/s', { bytes: Buffer.from('{}'), revisionOffset: -1 });
  await allocator.take({ uid: 'a' }).port(30_000);
  await allocator.release({ uid: 'a' }, used, update);
  assert.equal(given(store), ['30000 a']);
  await allocator.release({ uid: 'a' }, used, store.storage.currentRevision() + 1);
  assert.equal(given(store), []);
});

test('a write gives back what it took, not what it had or what another one claimed since', async ({ allocator, store }) => {
  const [first, second] = [allocator.take({ uid: 'a' }), allocator.take({ uid: 'a' })];
  await first.port(30_000);
  await first.port(30_001);
  // as for another protocol
  await first.port(30_001);
  await second.port(30_000);
  await second.giveBack();
  assert.equal(given(store), ['30000 a', '30001 a'], 'the first had it already');
  await first.giveBack();
  assert.equal(given(store), ['30000 a'], 'the second may be about to use it');
});

test('releasing reads nothing but what is released', async ({ allocator, store: { storage } }) => {
  for (const port of [30_000, 30_001, 30_002]) await allocator.take({ uid: 'a' }).port(port);
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
  await allocatorOver(watched).release({ uid: 'a' }, { addresses: [], ports: [30_001] });
  assert.equal(read, ['ranges/servicenodeports/30001']);
});

test('a search for what is free pauses now and then, and leaves what the store remembers alone', async ({ store }) => {
  const { storage } = store;
  const [first, last] = [30_000, 30_299];
  const ports = Array.from({ length: last - first }, (_, i) => first + i);
  await Promise.all(
    ports.map((port) => storage.create(`ranges/servicenodeports/${port}`, { bytes: Buffer.from('a'), revisionOffset: -1 })),
  );
  let atOnce = 0;
  let most = 0;
  const watched = new Proxy(storage, {
    get(target, name) {
      if (name === 'create') return target.create.bind(target);
      if (name !== 'get') throw new Error(`${String(name)} was asked for`);
      return (key: string) => {
        if (atOnce === 0) process.nextTick(() => (atOnce = 0));
        most = Math.max(most, ++atOnce);
        return target.get(key);
      };
    },
  });
  const allocator = new StorageAllocator(watched, [new AddressRange('10.0.0.0/29')], { first, last });
  // one of them may have had it by chance
  await allocator.take({ uid: 'b' }).anyPort();
  assert.is(await allocator.take({ uid: 'b' }).anyPort(), undefined);
  assert.ok(most > 0 && most <= 64, `${most} look-ups without a pause`);
});

test.run();

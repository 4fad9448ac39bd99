/** Addresses that are given out by objects: one that is there is nobody's to take, whoever made it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { prefixEnd } from '../../../runtime/storage/storage.ts';
import { type AddressCluster, addressCluster } from '../../controllers/service-cidrs/addresses.ts';

const test = suite<{ made: AddressCluster }>('addresses of services by objects');
test.before.each(async (context) => {
  context.made = await addressCluster();
});
test.after.each(({ made }) => made.cluster.remove());

const owner = (name: string, uid = `uid-${name}`) => ({ namespace: 'n', name, uid });
const recorded = ({ cluster }: AddressCluster): string[] =>
  Array.from(cluster.server.storage.range({ start: 'ranges/', end: prefixEnd('ranges/') }), ({ key }) => key.split('/').at(-1) as string);

test('nothing is given out without a range that is ready', async ({ made }) => {
  const allocator = made.allocator();
  assert.is(await allocator.take(owner('a')).anyAddress('IPv4'), undefined);
  assert.is(await allocator.take(owner('a')).address('10.0.0.1'), 'outside');
  assert.is(allocator.outside(), 'the provided network does not match the current range');
  await made.addRange('r', '10.0.0.0/28');
  assert.is(await allocator.take(owner('a')).address('10.0.0.1'), 'claimed');
  assert.is(await allocator.take(owner('a')).address('10.0.0.0'), 'outside', 'the address of the network');
  assert.is(await allocator.take(owner('a')).anyAddress('IPv6'), undefined);
});

for (const recordsToo of [true, false])
  test(`each address is given out once, from all ranges, until there is none: ${recordsToo}`, async ({ made }) => {
    await made.addRange('a', '10.0.0.0/29');
    await made.addRange('b', '10.1.0.0/29');
    const [one, two] = [made.allocator(recordsToo), made.allocator(recordsToo)];
    const taken = await Promise.all(
      Array.from({ length: 14 }, (_, i) => (i % 2 === 0 ? one : two).take(owner(`s-${i}`)).anyAddress('IPv4')),
    );
    const found = taken.filter((address) => address !== undefined);
    assert.is(new Set(found).size, 12);
    assert.is(found.length, 12);
    assert.equal(Object.keys(made.held()).sort(), [...found].sort());
    assert.equal(recorded(made).sort(), recordsToo ? [...found].sort() : []);
  });

test('what one write took goes with its object, and nothing of what another has', async ({ made }) => {
  await made.addRange('r', '10.0.0.0/28');
  const allocator = made.allocator();
  const taking = allocator.take(owner('a'));
  assert.is(await taking.address('10.0.0.2'), 'claimed');
  assert.is(await taking.address('10.0.0.2'), 'claimed');
  const other = allocator.take(owner('b'));
  assert.is(await other.address('10.0.0.2'), 'taken');
  await other.giveBack();
  assert.equal(made.held(), { '10.0.0.2': 'a' });
  await taking.giveBack();
  assert.equal([made.held(), recorded(made)], [{}, []]);
});

test('an object that somebody made by hand keeps its address from being given out', async ({ made }) => {
  await made.addRange('r', '10.0.0.0/29');
  const parentRef = { resource: 'gateways', group: 'example.com', name: 'g', namespace: 'n' };
  await made.cluster.create('networking.k8s.io/v1beta1', 'ipaddresses', { metadata: { name: '10.0.0.3' }, spec: { parentRef } });
  const allocator = made.allocator();
  assert.is(await allocator.take(owner('a')).address('10.0.0.3'), 'taken');
  const taken = await Promise.all(Array.from({ length: 6 }, () => allocator.take(owner('a')).anyAddress('IPv4')));
  assert.not.ok(taken.includes('10.0.0.3'));
  assert.is(taken.filter(Boolean).length, 5);
  assert.is(recorded(made).length, 5);
  await allocator.release(owner('a'), { addresses: ['10.0.0.3'], ports: [] });
  assert.is(made.held()['10.0.0.3'], 'g');
});

test('a server that is slow to give back leaves what a service of the same name has meanwhile', async ({ made }) => {
  await made.addRange('r', '10.0.0.0/28');
  const allocator = made.allocator();
  await allocator.take(owner('a', 'new')).address('10.0.0.2');
  await allocator.release(owner('a', 'old'), { addresses: ['10.0.0.2'], ports: [] });
  assert.equal(made.held(), { '10.0.0.2': 'a' });
  await allocator.release(owner('b'), { addresses: ['10.0.0.2'], ports: [] });
  assert.equal(made.held(), { '10.0.0.2': 'a' });
  await allocator.release(owner('a', 'new'), { addresses: ['10.0.0.2'], ports: [] });
  assert.equal([made.held(), recorded(made)], [{}, []]);
});

test('a dry run finds what it could have, and writes no object', async ({ made }) => {
  await made.addRange('r', '10.0.0.0/28');
  const allocator = made.allocator();
  await allocator.take(owner('a')).address('10.0.0.2');
  const objects = JSON.stringify(made.held());
  const dry = allocator.take(owner('b'), { request: {}, dryRun: true });
  assert.is(await dry.address('10.0.0.2'), 'taken');
  assert.ok(await dry.anyAddress('IPv4'));
  assert.is(JSON.stringify(made.held()), objects);
  await dry.giveBack();
  assert.equal(recorded(made), ['10.0.0.2']);
});

test('a range of IPv6 is used as far as it goes, unless it is larger than 1.32 takes', async ({ made }) => {
  await made.addRange('six', 'fd00::/64');
  await made.addRange('large', 'fd01::/63');
  const allocator = made.allocator();
  assert.is(await allocator.take(owner('a')).address('fd00::ffff:ffff:ffff:ffff'), 'claimed');
  assert.is(await allocator.take(owner('a')).address('FD00:0::7'), 'claimed');
  assert.equal(made.held(), { 'fd00::7': 'a', 'fd00::ffff:ffff:ffff:ffff': 'a' });
  assert.is(await allocator.take(owner('a')).address('fd01::7'), 'outside');
  assert.match((await allocator.take(owner('a')).anyAddress('IPv6')) as string, /^fd00::/);
});

test('what a service has of a range that is not ready is recorded, without an object', async ({ made }) => {
  const range = await made.addRange('r', '10.0.0.0/28');
  const status = { conditions: [{ type: 'Ready', status: 'False', reason: 'r', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' }] };
  const say = (object: ApiObject): void => {
    object.status = status;
  };
  await made.cluster.edit('networking.k8s.io/v1beta1', 'servicecidrs', { name: range.metadata.name as string }, say, 'status');
  const allocator = made.allocator();
  assert.is(await allocator.take(owner('a')).address('10.0.0.2'), 'outside');
  assert.is(await allocator.record(owner('a')).address('10.0.0.2'), 'claimed');
  assert.is(await allocator.record(owner('a')).address('10.0.1.2'), 'outside');
  assert.equal([made.held(), recorded(made)], [{}, ['10.0.0.2']]);
});

test.run();

/** Services and the objects of their addresses, of which somebody has made, changed or removed one alone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { type IpAddressRepair, ipAddressRepair } from '../../../runtime/controllers/service-cidrs/ip-address-repair.ts';
import { eventually } from '../../harness/eventually.ts';
import { type AddressCluster, addressCluster, VERSION } from './addresses.ts';

const test = suite('repair of objects of addresses');
let made: AddressCluster;
let repair: IpAddressRepair;
/** milliseconds */
let now = 0;
test.before.each(async () => {
  made = await addressCluster();
  await made.addRange('r', '10.0.0.0/28');
  now = 0;
  repair = ipAddressRepair(made.server, () => now) as IpAddressRepair;
});
test.after.each(async () => {
  await repair.stop();
  await made.cluster.remove();
});

const service = (name: string, clusterIP: string): Promise<ApiObject> =>
  made.cluster.create('v1', 'services', { metadata: { name, namespace: 'n' }, spec: { ports: [{ port: 80 }], clusterIP } });
const LABELS = { 'ipaddress.kubernetes.io/ip-family': 'IPv4', 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' };
const object = (name: string, of: object, labels: object = LABELS): Promise<ApiObject> =>
  made.cluster.create(VERSION, 'ipaddresses', {
    metadata: { name, labels },
    spec: { parentRef: { resource: 'services', namespace: 'n', ...of } },
  });
const look = async (): Promise<void> => {
  await repair.list();
  await repair.look();
};
const told = (reason: string, message: string): Promise<void> =>
  eventually(reason, () => made.cluster.objects('events/').some((event) => event.reason === reason && event.message === message));

test('a service without an object gets one, and what is right is left alone', async () => {
  await service('a', '10.0.0.2');
  await service('b', '10.0.0.3');
  const right = await object('10.0.0.3', { name: 'b' });
  await look();
  assert.equal(made.held(), { '10.0.0.2': 'a', '10.0.0.3': 'b' });
  await told('ClusterIPNotAllocated', 'Cluster IP [IPv4]: 10.0.0.2 is not allocated; repairing');
  assert.is(made.addresses.objects.get('10.0.0.3')?.uid, right.metadata.uid);
});

test('an object that names nobody who is there, or has other labels, is made anew', async () => {
  await service('a', '10.0.0.2');
  await service('b', '10.0.0.3');
  await service('c', '10.0.0.4');
  await object('10.0.0.2', { name: 'gone' });
  await object('10.0.0.3', { name: 'b' }, {});
  await object('10.0.0.4', { name: 'g', resource: 'gateways', group: 'example.com' });
  await look();
  assert.equal(made.held(), { '10.0.0.2': 'a', '10.0.0.3': 'b', '10.0.0.4': 'c' });
  assert.equal(made.addresses.objects.get('10.0.0.3')?.labels, LABELS);
  await told('ClusterIPNotAllocated', 'the ClusterIP [IPv4]: 10.0.0.2 for Service n/a has a wrong reference; repairing');
});

test('an object that nobody uses goes when it was seen so for a minute, and what others made stays', async () => {
  await service('a', '10.0.0.2');
  await object('10.0.0.2', { name: 'a' });
  await object('10.0.0.5', { name: 'a' });
  await object('10.0.0.6', { name: 'gone' });
  await object('10.0.0.7', { name: 'gone' }, {});
  const all = made.held();
  await look();
  now = 59_000;
  await look();
  assert.equal(made.held(), all);
  now = 61_000;
  await look();
  assert.equal(made.held(), { '10.0.0.2': 'a', '10.0.0.7': 'gone' });
  await told('IPAddressNotAllocated', 'IPAddress: 10.0.0.6 for Service n/gone appears to have leaked: cleaning up');
  await told('IPAddressWrongReference', 'IPAddress: 10.0.0.5 for Service n/a has a wrong reference; cleaning up');
});

test('an address outside of all ranges is told, and has no object', async () => {
  await service('a', '10.0.0.200');
  await look();
  assert.equal(made.held(), {});
  await told('ClusterIPOutOfRange', 'Cluster IP [IPv4]: 10.0.0.200 is not within any configured Service CIDR; please recreate service');
});

test('of two services with one address the one that the object names keeps it', async () => {
  await service('a', '10.0.0.2');
  const { storage } = made.server;
  const key = 'ranges/serviceips/10.0.0.2';
  const record = storage.get(key);
  await storage.delete(key, record?.revision as number, { bytes: Buffer.from(''), revisionOffset: -1 });
  await service('b', '10.0.0.2');
  const { metadata } = await object('10.0.0.2', { name: 'a' });
  await look();
  assert.is(made.addresses.objects.get('10.0.0.2')?.uid, metadata.uid);
  await told('ClusterIPAlreadyAllocated', 'Cluster IP [IPv4]:10.0.0.2 was assigned to multiple services; please recreate service');
});

test.run();

/** What is recorded as given out to services, and what services have: a crash between the two leaves them different. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { type AllocationRepair, allocationRepair } from '../../runtime/controllers/allocation-repair.ts';
import type { Metrics } from '../../runtime/observability/metrics.ts';
import type { UpdateOptions } from '../../runtime/registry/resource-store/resource-store.ts';
import { encodeStoredObject } from '../../runtime/registry/stored-objects/stored-object.ts';
import { RevisionCompacted } from '../../runtime/storage/errors.ts';
import { prefixEnd } from '../../runtime/storage/storage.ts';
import { TestCluster } from './server.ts';

const test = suite('repair of addresses and ports of services');

let cluster: TestCluster;
let repair: AllocationRepair;
let warnings: string[];
/** milliseconds */
let now: number;
test.before.each(async () => {
  cluster = await TestCluster.create();
  warnings = [];
  now = 0;
  cluster.server.log.warn = (fields: object, message?: string) => {
    warnings.push(`${message}: ${Object.values(fields).join()}`);
  };
  repair = allocationRepair(cluster.server, () => now) as AllocationRepair;
});
test.after.each(async () => {
  await repair.stop();
  await cluster.remove();
});

const create = (name: string, spec: object = {}): Promise<ApiObject> =>
  cluster.create('v1', 'services', { metadata: { name, namespace: 'n' }, spec: { ports: [{ port: 80 }], ...spec } });
const record = (key: string, owner: string): Promise<number> =>
  cluster.server.storage.create(`ranges/${key}`, { bytes: Buffer.from(owner), revisionOffset: -1 });
const unrecord = async (key: string): Promise<void> => {
  const entry = cluster.server.storage.get(`ranges/${key}`);
  if (entry === undefined) throw new Error(`${key} is not recorded`);
  await cluster.server.storage.delete(entry.key, entry.revision, { bytes: Buffer.from(''), revisionOffset: -1 });
};
const MINUTE = 60_000;
/** As it would be with every write seen by a follower, three minutes after the one before. */
const look = async (): Promise<void> => {
  now += 3 * MINUTE;
  await repair.list();
  await repair.look();
};
async function figures(): Promise<string[]> {
  const { body } = await (cluster.server.metrics as Metrics).text();
  return body.split('\n').filter((line) => /^apiserver_\w+_repair_/.test(line) && !line.endsWith(' 0'));
}
function recorded(): Record<string, string> {
  const entries = cluster.server.storage.range({ start: 'ranges/', end: prefixEnd('ranges/') });
  return Object.fromEntries(Array.from(entries, ({ key, value }) => [key.slice('ranges/'.length), value.toString()]));
}

test('what no service has is given back with the third look that finds it', async () => {
  await create('s', { type: 'NodePort', clusterIP: '10.0.0.7', ports: [{ port: 80, nodePort: 30_007 }] });
  const before = recorded();
  await record('serviceips/10.0.0.9', 'gone');
  await record('servicenodeports/30009', 'gone');
  for (let i = 0; i < 2; i++) await look();
  assert.is(Object.keys(recorded()).length, 4, 'two looks are too few');
  await look();
  assert.equal(recorded(), before);
  assert.is(warnings.length, 2);
  assert.equal(await figures(), [
    'apiserver_clusterip_repair_ip_errors_total{type="leak"} 1',
    'apiserver_nodeport_repair_port_errors_total{type="leak"} 1',
  ]);
});

test('what a service has and nobody recorded is counted as repaired', async () => {
  await create('s', { type: 'NodePort', clusterIP: '10.0.0.7', ports: [{ port: 80, nodePort: 30_007 }] });
  await unrecord('serviceips/10.0.0.7');
  await look();
  assert.equal(await figures(), ['apiserver_clusterip_repair_ip_errors_total{type="repair"} 1']);
});

test('the ranges of another API server over the same keys stay as they are', async () => {
  const ranges = { serviceips: 'all addresses', servicenodeports: 'all ports' };
  for (const [key, range] of Object.entries(ranges)) await record(key, range);
  await create('s', { type: 'NodePort', clusterIP: '10.0.0.7', ports: [{ port: 80, nodePort: 30_007 }] });
  await record('servicenodeports/30009', 'gone');
  for (let i = 0; i < 4; i++) await look();
  const { serviceips, servicenodeports, ...own } = recorded();
  assert.equal({ serviceips, servicenodeports }, ranges);
  assert.equal(Object.keys(own), ['serviceips/10.0.0.7', 'servicenodeports/30007']);
});

test('looks that follow one another at once give nothing back before six minutes are over', async () => {
  await record('servicenodeports/30009', 'slow');
  for (const minutes of [0, 0, 0, 5.9]) {
    now = minutes * MINUTE;
    await repair.list();
    await repair.look();
  }
  assert.equal(recorded(), { 'servicenodeports/30009': 'slow' });
  now = 6 * MINUTE;
  await repair.look();
  assert.equal(recorded(), {});
});

test('no look begins while one is under way', async () => {
  const { storage } = cluster.server;
  let begun = 0;
  const currentRevision = storage.currentRevision.bind(storage);
  storage.currentRevision = () => {
    begun++;
    return currentRevision();
  };
  await record('servicenodeports/30009', 'slow');
  await repair.list();
  await Promise.all([repair.look(), repair.look()]);
  assert.is(begun, 1);
  await repair.look();
  assert.is(begun, 2);
});

test('what a service comes to have just before it is given back is recorded again at once', async () => {
  const { storage } = cluster.server;
  const object = await create('s', { clusterIP: '10.0.0.7' });
  await record('serviceips/10.0.0.9', 'late');
  for (let i = 0; i < 2; i++) await look();
  const remove = storage.delete.bind(storage);
  storage.delete = async (...removal) => {
    object.metadata.uid = 'late';
    Object.assign(object.spec, { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'] });
    await storage.create('services/specs/n/late', encodeStoredObject(object, 0, []));
    return remove(...removal);
  };
  await look();
  assert.is(recorded()['serviceips/10.0.0.9'], 'late');
});

test('a history that is too short for a look is told of once, from the second time in a row', async () => {
  const { storage } = cluster.server;
  await create('s');
  const range = storage.range.bind(storage);
  const tooShort = async (looks: number): Promise<void> => {
    storage.range = () => {
      throw new RevisionCompacted(1, 2);
    };
    for (let i = 0; i < looks; i++) await look();
    storage.range = range;
  };
  await tooShort(1);
  await look();
  await tooShort(1);
  assert.equal(warnings, []);
  await tooShort(3);
  assert.equal(await figures(), [
    'apiserver_clusterip_repair_reconcile_errors_total 5',
    'apiserver_nodeport_repair_reconcile_errors_total 5',
  ]);
  assert.is(warnings.length, 1);
  assert.match(warnings[0] as string, /longer than the history reaches back/);
});

test('what was claimed again meanwhile is looked at anew', async () => {
  await record('servicenodeports/30009', 'owner');
  for (let i = 0; i < 2; i++) await look();
  await cluster.server.allocator.take({ uid: 'owner' }).port(30_009);
  for (let i = 0; i < 2; i++) await look();
  assert.equal(recorded(), { 'servicenodeports/30009': 'owner' });
  await look();
  assert.equal(recorded(), {});
});

test('what a service has and nobody recorded is recorded', async () => {
  const { metadata } = await create('s', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
  const before = recorded();
  assert.is(Object.keys(before).length, 3);
  for (const key of Object.keys(before)) await unrecord(key);
  await look();
  assert.equal(recorded(), before);
  assert.is(Object.values(before)[0], metadata.uid);
  assert.is(warnings.length, 3);
});

test('what is recorded for somebody who is gone becomes that of the service that has it', async () => {
  const { metadata } = await create('s', { clusterIP: '10.0.0.7' });
  await unrecord('serviceips/10.0.0.7');
  await record('serviceips/10.0.0.7', 'gone');
  for (let i = 0; i < 2; i++) await look();
  assert.equal(recorded(), { 'serviceips/10.0.0.7': 'gone' });
  await look();
  assert.equal(recorded(), { 'serviceips/10.0.0.7': metadata.uid });
});

/** Written as no server would. */
async function writeBeside(change: (spec: NonNullable<ApiObject['spec']>) => void): Promise<void> {
  const { storage } = cluster.server;
  const object = await create('other', { clusterIP: '10.0.0.8' });
  change(object.spec);
  await unrecord('serviceips/10.0.0.8');
  await storage.update('services/specs/n/other', Number(object.metadata.resourceVersion), encodeStoredObject(object, 0, []));
}

const conflicts: [what: string, address: string, said: string, type: string][] = [
  ['the address of another one', '10.0.0.7', 'is that of another service as well', 'duplicate'],
  ['an address that is not given out', '192.0.2.1', 'is outside of the range', 'outOfRange'],
];
for (const [what, address, said, type] of conflicts)
  test(`a service with ${what} is named once, and stays as it is`, async () => {
    await create('s', { clusterIP: '10.0.0.7' });
    const before = recorded();
    await writeBeside((spec) => {
      spec.clusterIP = address;
      spec.clusterIPs = [address];
    });
    const revision = cluster.server.storage.currentRevision();
    for (let i = 0; i < 5; i++) await look();
    assert.equal(recorded(), before);
    assert.is(cluster.server.storage.currentRevision(), revision);
    assert.equal(warnings, [
      `a service should be created anew: it has what it cannot have: services/specs/n/other: the address ${address} ${said}`,
    ]);
    assert.match((await figures()).join('\n'), new RegExp(`^apiserver_clusterip_repair_ip_errors_total{type="${type}"} \\d+$`));
  });

test('a look at many services does not hold others up', async () => {
  const { storage } = cluster.server;
  const object = await create('s', { clusterIP: '10.0.0.7' });
  const bytes = () => encodeStoredObject(object, 0, []);
  await Promise.all(Array.from({ length: 2_000 }, (_, i) => storage.create(`services/specs/n/s-${i}`, bytes())));
  let rounds = 0;
  let counting = true;
  const count = (): void => {
    rounds++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  await look();
  counting = false;
  assert.ok(rounds > 1, 'nothing else came in between');
});

/** What the store holds of the port once two updates of one service that claim it have ended, the second within the first. */
async function afterTwoUpdates(outcome: 'the first' | 'the second'): Promise<void> {
  const { server } = cluster;
  const { metadata } = await create('s');
  const store = await server.store(cluster.resource('v1', 'services'));
  const update = (admit: () => Promise<undefined>) => {
    const options: UpdateOptions = { target: 'object', context: server.ruleContext(false), admit, retry: false };
    const produce = (old: ApiObject): ApiObject => ({
      ...old,
      metadata: { ...old.metadata },
      spec: {
        ...old.spec,
        type: 'NodePort',
        externalTrafficPolicy: 'Cluster',
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80, nodePort: 30_009 }],
      },
    });
    return store.update('n', 's', produce, options).then(
      () => 'written',
      () => 'refused',
    );
  };
  let second = '';
  const first = await update(async () => {
    second = await update(async () => {
      if (outcome === 'the first') throw new Error('not admitted');
    });
  });
  assert.equal([first, second], outcome === 'the first' ? ['written', 'refused'] : ['refused', 'written']);
  assert.equal(recorded()['servicenodeports/30009'], metadata.uid);
}
for (const outcome of ['the first', 'the second'] as const)
  test(`of two updates that claim the same port for a service ${outcome} succeeds, and the port stays taken`, () =>
    afterTwoUpdates(outcome));

test.run();

import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { AddressRange } from '../../../runtime/registry/allocation/address-range.ts';
import { AllocationFigures, tellOfAllocations } from '../../../runtime/registry/allocation/allocation-figures.ts';
import { StorageAllocator } from '../../../runtime/registry/allocation/allocator.ts';
import { MemoryStorage } from '../../../runtime/storage/memory/memory-storage.ts';
import { eventually } from '../../harness/eventually.ts';

const test = suite('figures of addresses and ports of services');
const WRITE = { request: {}, dryRun: false };

function made() {
  const storage = new MemoryStorage();
  const metrics = new Metrics(metricsData);
  const ranges = [new AddressRange('10.0.0.0/29'), new AddressRange('fd00::/120')];
  const allocator = new StorageAllocator(storage, ranges, { first: 30_000, last: 30_001 }, { figures: new AllocationFigures(metrics) });
  const lines = async () =>
    (await metrics.text()).body
      .split('\n')
      .filter((line) => line.startsWith('kube_apiserver_'))
      .map((line) => line.slice('kube_apiserver_'.length));
  return { storage, metrics, allocator, lines };
}

test('say what was named and what was free, and what nobody could get', async () => {
  const { storage, allocator, lines } = made();
  const taking = allocator.take({ uid: 'a' }, WRITE);
  await taking.address('10.0.0.3');
  await taking.address('fd00::7');
  await allocator.take({ uid: 'b' }, WRITE).address('10.0.0.3');
  await allocator.take({ uid: 'b' }, WRITE).address('10.9.9.9');
  await taking.anyAddress('IPv4');
  await taking.port(30_000);
  await taking.anyPort();
  await taking.anyPort();
  await allocator.take({ uid: 'b' }, WRITE).port(1);
  assert.equal(await lines(), [
    'nodeport_allocator_allocation_total{scope="static"} 1',
    'nodeport_allocator_allocation_total{scope="dynamic"} 1',
    'nodeport_allocator_allocation_errors_total{scope="dynamic"} 1',
    'nodeport_allocator_allocation_errors_total{scope="static"} 1',
    'clusterip_allocator_allocation_total{cidr="10.0.0.0/29",scope="static"} 1',
    'clusterip_allocator_allocation_total{cidr="fd00::/120",scope="static"} 1',
    'clusterip_allocator_allocation_total{cidr="10.0.0.0/29",scope="dynamic"} 1',
    'clusterip_allocator_allocation_errors_total{cidr="10.0.0.0/29",scope="static"} 2',
  ]);
  await storage.close();
});

test('do not count dry runs, nor what nobody asks for', async () => {
  const { storage, allocator, lines } = made();
  await allocator.take({ uid: 'a' }, { ...WRITE, dryRun: true }).anyPort();
  await allocator.take({ uid: 'b' }).anyAddress('IPv6');
  assert.equal(await lines(), []);
  await storage.close();
});

test('say how much of each range is given out', async () => {
  const { storage, metrics, allocator, lines } = made();
  const end = tellOfAllocations(metrics, storage, () => allocator.recordedRanges);
  const taking = allocator.take({ uid: 'a' });
  for (const address of ['10.0.0.1', '10.0.0.6', 'fd00::10']) await taking.address(address);
  await taking.port(30_001);
  // those of another server over the same keys
  await storage.create('ranges/serviceips', { bytes: Buffer.from('{}'), revisionOffset: -1 });
  const shown = [
    'clusterip_allocator_allocated_ips{cidr="10.0.0.0/29"} 2',
    'clusterip_allocator_allocated_ips{cidr="fd00::/120"} 1',
    'clusterip_allocator_available_ips{cidr="10.0.0.0/29"} 4',
    'clusterip_allocator_available_ips{cidr="fd00::/120"} 254',
    'nodeport_allocator_allocated_ports 1',
    'nodeport_allocator_available_ports 1',
  ];
  // what takes long to count is told to the next one who asks
  await eventually('all of them', async () => isDeepStrictEqual(await lines(), shown));
  await taking.giveBack();
  await eventually('one less', async () => (await lines()).includes('clusterip_allocator_available_ips{cidr="10.0.0.0/29"} 6'));
  end();
  await storage.close();
  assert.ok((await lines()).includes('nodeport_allocator_allocated_ports 0'));
});

test('are looked up once for each range, and not kept of all ranges that there ever were', () => {
  const figures = new AllocationFigures(new Metrics(metricsData));
  const first = figures.addresses('10.0.0.0/24');
  assert.is(figures.addresses('10.0.0.0/24'), first);
  for (let i = 0; i < 2_000; i++) figures.addresses(`10.${i >> 8}.${i & 255}.0/28`);
  assert.is.not(figures.addresses('10.0.0.0/24'), first);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { EtcdFigures } from '../../../runtime/storage/etcd/etcd-figures.ts';
import { openEtcdStorage } from '../../../runtime/storage/etcd/etcd-storage.ts';
import { etcdOrSkip, startEtcd } from '../../harness/etcd.ts';
import { longText, usedHeap } from '../../harness/heap.ts';
import { bytes, rejection } from '../contract/store.ts';
import { plainValues } from './plain-values.ts';

await etcdOrSkip();

const test = suite('figures of a store in etcd');

test('count requests by operation and resource, and changes that were told; an error is what etcd did not answer', async () => {
  const etcd = await startEtcd();
  const metrics = new Metrics(metricsData);
  const storage = await openEtcdStorage({
    client: etcd.client(300),
    prefix: '/registry',
    codec: plainValues,
    typeOf: (prefix) => prefix.toUpperCase(),
    watchdog: { timeout: 100_000, sizeInterval: 0 },
  });
  storage.showFigures(metrics);
  const revision = await storage.create('pods/a', bytes('1'));
  await rejection(storage.create('pods/a', bytes('1')));
  await storage.delete('pods/a', await storage.update('pods/a', revision, bytes('2')), bytes('gone'));
  await storage.barrier();
  await etcd.kill();
  await rejection(storage.create('e.com/toys/a', bytes('1')));
  const { body } = await metrics.text();
  const lines = body
    .split('\n')
    .filter((line) =>
      /^(?:etcd_(?:requests_total|request_errors_total|request_duration_seconds_count)|apiserver_storage_events)/.test(line),
    );
  assert.equal(lines.toSorted(), [
    'apiserver_storage_events_received_total{resource="PODS"} 3',
    'etcd_request_duration_seconds_count{operation="create",type="E.COM/TOYS"} 1',
    'etcd_request_duration_seconds_count{operation="create",type="PODS"} 2',
    'etcd_request_duration_seconds_count{operation="delete",type="PODS"} 1',
    'etcd_request_duration_seconds_count{operation="get",type=""} 1',
    'etcd_request_duration_seconds_count{operation="update",type="PODS"} 1',
    'etcd_request_errors_total{operation="create",type="E.COM/TOYS"} 1',
    'etcd_requests_total{operation="create",type="E.COM/TOYS"} 1',
    'etcd_requests_total{operation="create",type="PODS"} 2',
    'etcd_requests_total{operation="delete",type="PODS"} 1',
    'etcd_requests_total{operation="get",type=""} 1',
    'etcd_requests_total{operation="update",type="PODS"} 1',
  ]);
  await storage.close();
  await etcd.stop();
});

test('count the writes of a lease once it is given to no more of them', async () => {
  const etcd = await startEtcd();
  const metrics = new Metrics(metricsData);
  const storage = await openEtcdStorage({
    client: etcd.client(),
    prefix: '/registry',
    codec: plainValues,
    expiring: [{ life: 100, shared: 5, expires: (resource) => resource === 'events' }],
    watchdog: { timeout: 100_000, sizeInterval: 0 },
  });
  storage.showFigures(metrics);
  try {
    await storage.create('pods/a', bytes('1'));
    await Promise.all(Array.from({ length: 1_001 }, (_, i) => storage.create(`events/${i}`, bytes('1'))));
  } finally {
    await storage.close();
    await etcd.stop();
  }
  const { body } = await metrics.text();
  assert.match(body, /^etcd_lease_object_counts_sum 1000$/m);
  assert.match(body, /^etcd_lease_object_counts_count 1$/m);
});

test('keep nothing of resources that are no longer served', async () => {
  const figures = new EtcdFigures((prefix) => prefix);
  const metrics = new Metrics(metricsData);
  figures.show(metrics);
  const serve = async (from: number, count: number): Promise<void> => {
    for (let index = from; index < from + count; index++) {
      const key = `${longText(index, 5_000)}.example.com/toys/a`;
      figures.countEvent(key);
      await figures.count('create', key, Promise.resolve());
      metrics.forget(() => true);
    }
  };
  await serve(0, 100);
  const before = usedHeap();
  await serve(100, 2_000);
  const grown = usedHeap() - before;
  assert.ok(grown < 5_000_000, `${grown} bytes`);
});

test.run();

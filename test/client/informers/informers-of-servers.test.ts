/** Informers of real servers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configmaps, namespaces, pods } from '../../../generated/client/core/v1/index.ts';
import { Informers, informer, metadataInformer } from '../../../generated/client/index.ts';
import { serverAndClient } from '../client-of.ts';
import { until } from './followed-informer.ts';

for (const dialect of ['cluster', 'kubernetes'] as const) {
  const real = suite(`informers of a server of the dialect ${dialect}`);
  real('are shared, follow it, and know selections and metadata', async () => {
    await using context = await serverAndClient(dialect);
    const { client } = context;
    const errors: unknown[] = [];
    const informers = new Informers(client);
    informers.onError((error) => errors.push(error));
    const web = informers.of(configmaps, { namespace: 'default', labels: { app: 'web' } });
    assert.is(informers.of(configmaps, { namespace: 'default', labels: 'app=web' }), web);
    const all = informers.of(namespaces);
    const running = informers.of(pods, { fields: { 'status.phase': 'Running' } });
    const names = metadataInformer(client.resource(configmaps).in('default'), { labels: { app: 'web' } }).start();
    await Promise.all([informers.synced(), names.synced()]);
    assert.ok(all.has('default'));
    assert.is(running.size, 0);
    const maps = client.resource(configmaps).in('default');
    await maps.create({ metadata: { name: 'one', labels: { app: 'web' } }, data: { a: '1' } });
    await maps.create({ metadata: { name: 'two', labels: { app: 'other' } } });
    await maps.mergePatch('one', { data: { a: '2' } });
    await until(() => web.get('one', 'default')?.data?.a === '2' && names.has('default/one'));
    assert.equal([...web.keys()], ['default/one']);
    const metadata = names.get('one', 'default');
    assert.equal(
      [metadata?.kind, metadata?.metadata.labels, (metadata as { data?: object }).data],
      ['PartialObjectMetadata', { app: 'web' }, undefined],
    );
    await maps.mergePatch('one', { metadata: { labels: { app: 'other' } } });
    await until(() => web.size === 0 && names.size === 0);
    await Promise.all([informers.stop(), names.stop()]);
    assert.equal(errors, []);
  });
  real('are others where they were stopped, or went with the connections of the client', async () => {
    await using context = await serverAndClient(dialect);
    const { client } = context;
    const informers = new Informers(client);
    const first = informers.of(namespaces);
    await first.synced();
    await first.stop();
    assert.is(first.isStopped, true);
    const second = informers.of(namespaces);
    assert.is.not(second, first);
    await second.synced();
    assert.ok(second.has('default'));
    await client.close();
    assert.is(second.isStopped, true);
    const third = informers.of(namespaces);
    assert.is(third.isStopped, false);
    await informers.synced();
    assert.ok(third.has('default'));
    await informers.stop();
  });
  real('take large lists in both ways', async () => {
    await using context = await serverAndClient(dialect);
    const maps = context.client.resource(configmaps).in('default');
    const labels = { of: 'test' };
    const make = (index: number) => maps.create({ metadata: { name: `map-${index}`, labels }, data: { a: 'é' } });
    // a request that waits long for a connection is given up
    for (let at = 0; at < 1_200; at += 100) await Promise.all(Array.from({ length: 100 }, (_, index) => make(at + index)));
    for (const options of [{}, { streaming: false }, { streaming: false, pageSize: 0 }, { hold: 'objects' as const }]) {
      const informed = informer(maps, { ...options, labels }).start();
      await informed.synced();
      assert.equal(
        [informed.size, informed.get('map-7', 'default')?.data, informed.get('map-7', 'default')?.kind],
        [1_200, { a: 'é' }, 'ConfigMap'],
      );
      await informed.stop();
    }
  });
  real.run();
}

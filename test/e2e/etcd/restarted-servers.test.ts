/** A server over etcd begins where another one has ended: nothing of what clients hold is lost with its process. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Client } from '../../harness/client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { answered, configMap, nextEvents, type ServerOver, startOver, stopAll, valueAt } from './over-etcd.ts';

const test = suite('servers over etcd that are started again');

const etcd = await startEtcd();
const store = etcd.client();
/** Nothing but what a test writes changes what it watches. */
const FLAGS = ['--controllers=-*'];
let over: ServerOver | undefined;
test.after(async () => {
  store.close();
  await stopAll(etcd, over);
});

const CONFIGMAPS = '/api/v1/namespaces/kube-public/configmaps';
const COUNT = 30;

const end = async (how: 'kill' | 'stop'): Promise<void> => {
  over?.client.close();
  await over?.server[how]();
  over = undefined;
};
const start = async (flags: readonly string[] = FLAGS): Promise<Client> => {
  over = await startOver(etcd, flags);
  return over.client;
};

for (const how of ['stop', 'kill'] as const)
  test(`everything is there again, at the same revisions, and watches and pages go on: ${how}`, async () => {
    const before = await start();
    await answered(200, before.delete(CONFIGMAPS));
    const { metadata: first } = await answered(200, before.get(CONFIGMAPS));
    for (let i = 0; i < COUNT; i++) {
      const name = `c-${String(i).padStart(2, '0')}`;
      const { metadata } = await answered(201, before.post(CONFIGMAPS, configMap(name, { i: String(i) })));
      assert.is((await valueAt(store, `/registry/configmaps/kube-public/${name}`))?.modRevision, Number(metadata.resourceVersion));
    }
    await answered(200, before.delete(`${CONFIGMAPS}/c-05`));
    const middle = (await answered(200, before.patch(`${CONFIGMAPS}/c-06`, { data: { changed: 'yes' } }))).metadata.resourceVersion;
    const list = await answered(200, before.get(CONFIGMAPS));
    const page = await answered(200, before.get(`${CONFIGMAPS}?limit=10`));
    assert.is(page.items.length, 10);
    await end(how);

    const after = await start();
    const again = await answered(200, after.get(CONFIGMAPS));
    assert.equal(again.items, list.items);
    assert.ok(Number(again.metadata.resourceVersion) >= Number(list.metadata.resourceVersion));
    const exact = `?resourceVersion=${list.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    assert.equal((await answered(200, after.get(CONFIGMAPS + exact))).items, list.items);

    const watch = await after.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${first.resourceVersion}`);
    const added = Array.from({ length: COUNT }, (_, i) => `ADDED c-${String(i).padStart(2, '0')}`);
    assert.equal(await nextEvents(watch, COUNT + 2), [...added, 'DELETED c-05', 'MODIFIED c-06']);
    watch.close();
    const later = await after.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${middle}`);
    await answered(201, after.post(CONFIGMAPS, configMap('zz')));
    assert.equal(await nextEvents(later, 1), ['ADDED zz']);
    later.close();

    const rest = await after.get(`${CONFIGMAPS}?limit=100&continue=${page.metadata.continue}`);
    if (rest.status === 410) assert.is(rest.body.reason, 'Expired');
    else assert.equal([...page.items, ...rest.body.items], list.items);
    await end('stop');
  });

test('of what etcd has dropped a watch is told that it is too old', async () => {
  const before = await start();
  const { metadata } = await answered(200, before.get(CONFIGMAPS));
  for (let i = 0; i < 5; i++) await answered(201, before.post(CONFIGMAPS, configMap(`d-${i}`)));
  const page = await answered(200, before.get(`${CONFIGMAPS}?limit=2`));
  await answered(201, before.post(CONFIGMAPS, configMap('d-last')));
  const newest = Number((await answered(200, before.get(CONFIGMAPS))).metadata.resourceVersion);
  await end('stop');
  await store.compact(newest, { physical: true });
  const after = await start();
  const watch = await after.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${metadata.resourceVersion}`);
  const { type, object } = await watch.next();
  assert.equal([type, object.code, object.reason], ['ERROR', 410, 'Expired']);
  const rest = await after.get(`${CONFIGMAPS}?limit=2&continue=${page.metadata.continue}`);
  assert.is(rest.status, 410, rest.text);
  assert.is(rest.body.reason, 'Expired');
  const exact = await after.get(`${CONFIGMAPS}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`);
  assert.is(exact.status, 410, exact.text);
  // the token that it gives goes on by what is there now
  assert.is((await after.get(`${CONFIGMAPS}?limit=2&continue=${rest.body.metadata.continue}`)).status, 200);
  const future = await after.get(`${CONFIGMAPS}?resourceVersion=${newest + 1_000}&resourceVersionMatch=Exact`);
  assert.not.equal(future.status, 200, future.text);
  await end('stop');
});

test('what others write while no server runs is there, and watched from before', async () => {
  const before = await start();
  await answered(201, before.post(CONFIGMAPS, configMap('kept')));
  const { metadata } = await answered(200, before.get(CONFIGMAPS));
  await end('kill');
  const kept = await valueAt(store, '/registry/configmaps/kube-public/kept');
  assert.ok(kept);
  const key = '/registry/configmaps/kube-public/kept';
  await store.transaction({ compare: [], success: [{ op: 'put', key, value: kept.value }], failure: [] });
  await store.transaction({ compare: [], success: [{ op: 'delete', key }], failure: [] });
  const { revision } = await store.transaction({ compare: [], success: [{ op: 'put', key, value: kept.value }], failure: [] });
  const after = await start();
  const watch = await after.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${metadata.resourceVersion}`);
  assert.equal(await nextEvents(watch, 3), ['MODIFIED kept', 'DELETED kept', 'ADDED kept']);
  watch.close();
  assert.is((await answered(200, after.get(`${CONFIGMAPS}/kept`))).metadata.resourceVersion, String(revision));
  await end('stop');
});

test('two workers begin anew as one process does', async () => {
  const before = await start();
  const { metadata } = await answered(201, before.post(CONFIGMAPS, configMap('for-workers')));
  await end('kill');
  const after = await start([...FLAGS, '--workers=2']);
  for (let i = 0; i < 6; i++)
    assert.is((await answered(200, after.get(`${CONFIGMAPS}/for-workers`))).metadata.resourceVersion, metadata.resourceVersion);
  assert.equal(over?.server.faults(), []);
  await end('stop');
});

test.run();

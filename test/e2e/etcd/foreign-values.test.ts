/** Objects that others have put into etcd: as kube-apiserver writes them, of older versions, with what nobody here knows, and what nobody can read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeProtobuf, unwrapEnvelope, wrapEnvelope } from '../../../runtime/schema/protobuf/codec.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { refusedStart } from '../../harness/server.ts';
import { builtIn } from '../../registry/etcd/codec-parts.ts';
import { answered, CONFIGMAPS, configMap, eventually, overEtcd, putValue, startOver, stopAll, valueAt } from './over-etcd.ts';

const test = suite('values of others in etcd');

const etcd = await startEtcd();
const store = etcd.client();
const over = await startOver(etcd, ['--feature-gates=AllowUnsafeMalformedObjectDeletion=true']);
const { client, server } = over;
test.after(async () => {
  store.close();
  await stopAll(etcd, over);
});

const UID = '5c4a1f0e-0d5b-4a3e-9d53-3a1d0b0f5c11';
const metadata = (name: string, namespace?: string): object => ({
  name,
  ...(namespace !== undefined && { namespace }),
  uid: UID,
  creationTimestamp: '2024-02-29T12:00:00Z',
});

/** As kube-apiserver stores an object, which needs not have its defaults. */
async function protobufOf(group: string, version: string, name: string, members: object): Promise<Buffer> {
  const kind = await builtIn.storedKinds.kind(group, version, name);
  return wrapEnvelope(kind.apiVersion, kind.kind, encodeProtobuf(kind.compiled, kind.normalized(members)));
}

const newest = async (path: string): Promise<string> => (await answered(200, client.get(`${path}?limit=1`))).metadata.resourceVersion;

test('an object of the present version is watched, got, listed, updated and deleted', async () => {
  // A controller may still make what each namespace has.
  const named = `${CONFIGMAPS}?fieldSelector=metadata.name=theirs`;
  const watch = await client.watch(`${named}&watch=1&resourceVersion=${await newest(CONFIGMAPS)}`);
  const value = await protobufOf('', 'v1', 'ConfigMap', { metadata: metadata('theirs', 'default'), data: { a: 'b' } });
  const revision = await putValue(store, '/registry/configmaps/default/theirs', value);
  const added = await watch.next();
  assert.is(added.type, 'ADDED');
  assert.is(added.object.metadata.resourceVersion, String(revision));
  assert.is(added.object.metadata.uid, UID);
  const got = await answered(200, client.get(`${CONFIGMAPS}/theirs`));
  assert.equal(got, added.object);
  assert.equal((await answered(200, client.get(named))).items.length, 1);
  const changed = await answered(200, client.put(`${CONFIGMAPS}/theirs`, { ...got, data: { a: 'c' } }));
  const found = await valueAt(store, '/registry/configmaps/default/theirs');
  assert.is(String(found?.modRevision), changed.metadata.resourceVersion);
  assert.is((await watch.next()).object.data.a, 'c');
  await answered(200, client.delete(`${CONFIGMAPS}/theirs`));
  const deleted = await watch.next();
  assert.is(deleted.type, 'DELETED');
  assert.is(await valueAt(store, '/registry/configmaps/default/theirs'), undefined);
  watch.close();
});

test('fields that nobody here knows are stepped over', async () => {
  const value = await protobufOf('', 'v1', 'ConfigMap', { metadata: metadata('newer', 'default'), data: { a: 'b' } });
  const { raw } = unwrapEnvelope(value);
  // field 99, of bytes
  const unknown = Buffer.concat([raw, Buffer.from([0x9a, 0x06, 0x03, 0x61, 0x62, 0x63])]);
  await putValue(store, '/registry/configmaps/default/newer', wrapEnvelope('v1', 'ConfigMap', unknown));
  assert.equal((await answered(200, client.get(`${CONFIGMAPS}/newer`))).data, { a: 'b' });
  await answered(200, client.patch(`${CONFIGMAPS}/newer`, { data: { c: 'd' } }));
  assert.equal((await answered(200, client.get(`${CONFIGMAPS}/newer`))).data, { a: 'b', c: 'd' });
});

test('an object of an older version is shown, and stored as the present one when it is written', async () => {
  const scaler = await protobufOf('autoscaling', 'v1', 'HorizontalPodAutoscaler', {
    metadata: metadata('old', 'default'),
    spec: { maxReplicas: 4, targetCPUUtilizationPercentage: 70, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
  });
  const key = '/registry/horizontalpodautoscalers/default/old';
  const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const watch = await client.watch(`${path}?watch=1&resourceVersion=${await newest(path)}`);
  const revision = await putValue(store, key, scaler);
  const { object } = await watch.next();
  assert.is(object.metadata.resourceVersion, String(revision));
  assert.equal(object.spec.metrics[0].resource, { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } });
  assert.is((await answered(200, client.get(`${path.replace('v2', 'v1')}/old`))).spec.targetCPUUtilizationPercentage, 70);
  await answered(200, client.patch(`${path}/old`, { spec: { maxReplicas: 5 } }));
  const stored = unwrapEnvelope((await valueAt(store, key))?.value as Buffer);
  assert.is(stored.apiVersion, 'autoscaling/v2');
  watch.close();
});

test('so is one of a version that is served no more', async () => {
  const kind = 'FlowSchema';
  const flowcontrol = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  const made = await answered(
    201,
    client.post(flowcontrol, {
      metadata: { name: 'present' },
      spec: { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 50, distinguisherMethod: { type: 'ByUser' } },
    }),
  );
  assert.is(made.spec.matchingPrecedence, 50);
  // the fields of v1beta3 have the numbers of v1
  const { apiVersion, raw } = unwrapEnvelope((await valueAt(store, '/registry/flowschemas/present'))?.value as Buffer);
  assert.is(apiVersion, 'flowcontrol.apiserver.k8s.io/v1');
  await putValue(store, '/registry/flowschemas/present', wrapEnvelope('flowcontrol.apiserver.k8s.io/v1beta3', kind, Buffer.from(raw)));
  assert.equal((await answered(200, client.get(`${flowcontrol}/present`))).spec, made.spec);
  assert.equal(
    (await answered(200, client.get(flowcontrol))).items.some((item: { metadata: { name: string } }) => item.metadata.name === 'present'),
    true,
  );
  await answered(200, client.patch(`${flowcontrol}/present`, { spec: { matchingPrecedence: 60 } }));
  assert.is(
    unwrapEnvelope((await valueAt(store, '/registry/flowschemas/present'))?.value as Buffer).apiVersion,
    'flowcontrol.apiserver.k8s.io/v1',
  );
});

test('what is put there as JSON is read too', async () => {
  const object = { kind: 'Secret', apiVersion: 'v1', metadata: metadata('text', 'default'), data: { a: 'Yg==' }, type: 'Opaque' };
  await putValue(store, '/registry/secrets/default/text', Buffer.from(`${JSON.stringify(object)}\n`));
  assert.equal((await answered(200, client.get('/api/v1/namespaces/default/secrets/text'))).data, { a: 'Yg==' });
});

const TEMPLATES = '/api/v1/namespaces/default/podtemplates';
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } };
const GARBAGE: Readonly<Record<string, Buffer>> = {
  text: Buffer.from('no object at all'),
  nothing: Buffer.alloc(0),
  magic: Buffer.from('k8s\0'),
  'broken-protobuf': wrapEnvelope('v1', 'PodTemplate', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])),
  'another-kind': wrapEnvelope('v1', 'ConfigMap', Buffer.from([0x0a, 0x00])),
  'another-version': wrapEnvelope('v9', 'PodTemplate', Buffer.from([0x0a, 0x00])),
  'broken-json': Buffer.from('{"kind":"PodTemplate"'),
  random: Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 7919) % 251)),
};
const UNSAFE = { ignoreStoreReadErrorWithClusterBreakingPotential: true };

for (const [name, value] of Object.entries(GARBAGE))
  test(`garbage is told by its name: ${name}`, async () => {
    await answered(201, client.post(TEMPLATES, { metadata: { name: `beside-${name}` }, template }));
    const from = await newest(TEMPLATES);
    const watch = await client.watch(`${TEMPLATES}?watch=1&resourceVersion=${from}`);
    await putValue(store, `/registry/podtemplates/default/${name}`, value);
    assert.is((await watch.next()).type, 'ERROR');
    watch.close();
    for (const path of [`/${name}`, '', '?resourceVersion=0', '?limit=500', '?labelSelector=!a']) {
      const answer = await client.get(TEMPLATES + path);
      assert.is(answer.status, 500, path);
      assert.match(answer.body.message, `the value of key "podtemplates/default/${name}" cannot be read`);
    }
    assert.match(server.log(), new RegExp(`the value of key podtemplates/default/${name} at revision \\d+ is damaged: `));
    for (const write of [client.patch(`${TEMPLATES}/${name}`, { template }), client.delete(`${TEMPLATES}/${name}`)])
      assert.is((await write).status, 500);
    assert.is((await client.get(`${TEMPLATES}/beside-${name}`)).status, 200);
    assert.is((await client.post(TEMPLATES, { metadata: { name }, template })).status, 409);
    const gone = await client.delete(`${TEMPLATES}/${name}`, UNSAFE);
    assert.is(gone.status, 200, gone.text);
    assert.is(await valueAt(store, `/registry/podtemplates/default/${name}`), undefined);
    await answered(200, client.get(TEMPLATES));
    await answered(201, client.post(TEMPLATES, { metadata: { name }, template }));
  });

test('garbage that others replace is an object again', async () => {
  const key = '/registry/configmaps/kube-public/mended';
  const path = '/api/v1/namespaces/kube-public/configmaps';
  await putValue(store, key, Buffer.from('garbage'));
  await eventually(
    () => client.get(path),
    ({ status }) => status === 500,
  );
  await putValue(store, key, await protobufOf('', 'v1', 'ConfigMap', { metadata: metadata('mended', 'kube-public') }));
  await answered(200, client.get(path));
  await putValue(store, key, Buffer.from('garbage'));
  await store.transaction({ compare: [], success: [{ op: 'delete', key }], failure: [] });
  await answered(200, client.get(path));
});

test('without an object that every server needs none starts, which names it', async () => {
  const key = '/needed/clusterroles/cluster-admin';
  const flags = ['--etcd-prefix=/needed'];
  const first = await startOver(etcd, flags);
  first.client.close();
  await first.server.stop();
  const kept = (await valueAt(store, key))?.value as Buffer;
  await putValue(store, key, Buffer.from('garbage'));
  const { exitCode, output } = await refusedStart({ dialect: 'kubernetes', flags: overEtcd(etcd, flags) });
  assert.is(exitCode, 1);
  assert.match(output, /what etcd has cannot be served: the value of key clusterroles\/cluster-admin at revision \d+ is damaged: /);
  assert.not.match(output, /data\.mdb/);
  await putValue(store, key, kept);
  const again = await startOver(etcd, flags);
  again.client.close();
  await again.server.stop();
});

test('keys of no resource, and of none that is known, harm nobody', async () => {
  for (const key of [
    '/registry/',
    '/registry/a',
    '/registry//',
    '/registry/unknown.example.com/things/default/a',
    '/registry/configmaps/default/',
  ])
    await putValue(store, key, Buffer.from('what nobody knows'));
  await answered(201, client.post(CONFIGMAPS, configMap('after')));
  assert.is((await client.get('/readyz')).status, 200);
  for (const key of ['/registry/', '/registry/a', '/registry//', '/registry/configmaps/default/'])
    await store.transaction({ compare: [], success: [{ op: 'delete', key }], failure: [] });
  await answered(200, client.get(CONFIGMAPS));
});

test.run();

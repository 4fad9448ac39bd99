/** What the API has made stands in etcd as kube-apiserver would have put it there. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unwrapEnvelope } from '../../../runtime/schema/protobuf/codec.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { answered, CONFIGMAPS, configMap, eventually, keysBelow, putValue, startOver, stopAll, valueAt } from './over-etcd.ts';

const test = suite('values in etcd');

const etcd = await startEtcd();
const store = etcd.client();
const over = await startOver(etcd);
const { client } = over;
test.after(async () => {
  store.close();
  await stopAll(etcd, over);
});

const MAGIC = Buffer.from('k8s\0');

async function envelopeAt(key: string): Promise<{ apiVersion: string; kind: string; raw: Buffer; modRevision: number }> {
  const found = await valueAt(store, key);
  assert.ok(found, key);
  assert.equal(found.value.subarray(0, MAGIC.length), MAGIC, key);
  const { apiVersion, kind, raw } = unwrapEnvelope(found.value);
  return { apiVersion, kind, raw: Buffer.from(raw), modRevision: found.modRevision };
}

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } };
/** path of the collection, body, key, apiVersion and kind as they are stored */
const STORED: readonly (readonly [string, object, string, string, string])[] = [
  [CONFIGMAPS, configMap('a', { a: 'b' }), '/registry/configmaps/default/a', 'v1', 'ConfigMap'],
  ['/api/v1/namespaces', { metadata: { name: 'team' } }, '/registry/namespaces/team', 'v1', 'Namespace'],
  ['/api/v1/nodes', { metadata: { name: 'n1' } }, '/registry/minions/n1', 'v1', 'Node'],
  [
    '/api/v1/namespaces/default/services',
    { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } },
    '/registry/services/specs/default/web',
    'v1',
    'Service',
  ],
  ['/api/v1/namespaces/default/endpoints', { metadata: { name: 'e' } }, '/registry/services/endpoints/default/e', 'v1', 'Endpoints'],
  ['/api/v1/namespaces/default/pods', { ...template, metadata: { name: 'p' } }, '/registry/pods/default/p', 'v1', 'Pod'],
  [
    '/apis/apps/v1/namespaces/default/deployments',
    { metadata: { name: 'd' }, spec: { selector: { matchLabels: { app: 'a' } }, template } },
    '/registry/deployments/default/d',
    'apps/v1',
    'Deployment',
  ],
  [
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    { metadata: { name: 'h' }, spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } } },
    '/registry/horizontalpodautoscalers/default/h',
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
  ],
  [
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    { metadata: { name: 'i' }, spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
    '/registry/ingress/default/i',
    'networking.k8s.io/v1',
    'Ingress',
  ],
  [
    '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    { metadata: { name: 'l' } },
    '/registry/leases/default/l',
    'coordination.k8s.io/v1',
    'Lease',
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    { metadata: { name: 'reader' }, rules: [] },
    '/registry/clusterroles/reader',
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
  ],
];

for (const [collection, body, key, apiVersion, kind] of STORED)
  test(`${kind} is protobuf of ${apiVersion} under ${key}`, async () => {
    const made = await answered(201, client.post(collection, body));
    const { metadata } = made;
    const found = await envelopeAt(key);
    assert.equal([found.apiVersion, found.kind], [apiVersion, kind]);
    assert.is(String(found.modRevision), metadata.resourceVersion);
    assert.ok(found.raw.includes(metadata.uid));
    assert.not.ok(found.raw.includes(`2${String.fromCharCode(metadata.resourceVersion.length)}${metadata.resourceVersion}`));
    const listed = await answered(200, client.get(collection));
    assert.is(listed.items.find((item: { metadata: { name: string } }) => item.metadata.name === metadata.name).metadata.uid, metadata.uid);
  });

test('what every cluster has stands under the keys of kube-apiserver, and what is no object beside it', async () => {
  const keys = await keysBelow(store, '/');
  for (const key of [
    '/registry/namespaces/kube-system',
    '/registry/priorityclasses/system-node-critical',
    '/registry/clusterrolebindings/cluster-admin',
    '/registry/services/specs/default/kubernetes',
    '/registry/flowschemas/exempt',
    '/registry/prioritylevelconfigurations/exempt',
  ])
    assert.ok(keys.includes(key), `${key} is not among them`);
  for (const key of keys) {
    const found = await valueAt(store, key);
    if (found?.value.subarray(0, MAGIC.length).equals(MAGIC)) continue;
    // what this server has for itself, where kube-apiserver reads nothing, and API services, which are JSON
    assert.match(key, /^\/registry\/(?:defaults|guards|ranges\/service(?:ips|nodeports)|apiregistration\.k8s\.io\/apiservices)\//);
  }
});

const group = 'stable.example.com';
const definition = {
  metadata: { name: `crontabs.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { cron: { type: 'string' } } } } } },
      },
    ],
  },
};

test('custom resources are JSON under their group, without a resourceVersion', async () => {
  await answered(201, client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition));
  const collection = `/apis/${group}/v1/namespaces/default/crontabs`;
  await eventually(
    () => client.get(collection),
    ({ status }) => status === 200,
  );
  const body = { apiVersion: `${group}/v1`, kind: 'CronTab', metadata: { name: 'c' }, spec: { cron: '* * *' } };
  const { metadata } = await answered(201, client.post(collection, body));
  const key = `/registry/${group}/crontabs/default/c`;
  const found = await valueAt(store, key);
  const stored = JSON.parse(String(found?.value));
  assert.is(stored.apiVersion, `${group}/v1`);
  assert.is(stored.kind, 'CronTab');
  assert.equal(stored.spec, { cron: '* * *' });
  assert.is(stored.metadata.resourceVersion, undefined);
  assert.is(String(found?.modRevision), metadata.resourceVersion);
  const names = ['apiVersion', 'kind', 'metadata', 'spec'];
  assert.equal([Object.keys(stored), Object.keys(stored.metadata)], [names, Object.keys(stored.metadata).sort()]);
  const crd = await valueAt(store, `/registry/apiextensions.k8s.io/customresourcedefinitions/crontabs.${group}`);
  assert.is(JSON.parse(String(crd?.value)).apiVersion, 'apiextensions.k8s.io/v1beta1');

  // as another server writes them: a field that nobody here prunes until it is read
  const other = { ...stored, metadata: { ...stored.metadata, name: 'other', uid: '5c4a1f0e-0d5b-4a3e-9d53-3a1d0b0f5c11' }, extra: 1 };
  const watch = await client.watch(`${collection}?watch=1&resourceVersion=${metadata.resourceVersion}`);
  const revision = await putValue(store, `/registry/${group}/crontabs/default/other`, Buffer.from(`${JSON.stringify(other)}\n`));
  const event = await watch.next();
  assert.is(event.type, 'ADDED');
  assert.is(event.object.metadata.resourceVersion, String(revision));
  assert.is(event.object.extra, undefined);
  assert.equal((await answered(200, client.get(`${collection}/other`))).spec, { cron: '* * *' });
  watch.close();
});

test('another prefix and JSON as the form of what is written', async () => {
  const other = await startOver(etcd, ['--etcd-prefix=/elsewhere', '--storage-media-type=application/json']);
  try {
    const made = await answered(201, other.client.post(CONFIGMAPS, configMap('j', { a: 'b' })));
    const found = await valueAt(store, '/elsewhere/configmaps/default/j');
    const stored = JSON.parse(String(found?.value));
    assert.is(stored.apiVersion, 'v1');
    assert.is(stored.kind, 'ConfigMap');
    assert.is(stored.metadata.resourceVersion, undefined);
    assert.is(stored.metadata.uid, made.metadata.uid);
    assert.equal(stored.data, { a: 'b' });
    assert.is((await client.get(`${CONFIGMAPS}/j`)).status, 404);
    assert.is(await valueAt(store, '/registry/configmaps/default/j'), undefined);
  } finally {
    other.client.close();
    await other.server.stop();
  }
  // protobuf of one is read by the other, which writes it as JSON
  await answered(201, client.post(CONFIGMAPS, configMap('k', { a: 'b' })));
  const json = await startOver(etcd, ['--storage-media-type=application/json']);
  try {
    assert.equal((await answered(200, json.client.get(`${CONFIGMAPS}/k`))).data, { a: 'b' });
    await answered(200, json.client.patch(`${CONFIGMAPS}/k`, { data: { c: 'd' } }));
    assert.is(String((await valueAt(store, '/registry/configmaps/default/k'))?.value[0]), String('{'.charCodeAt(0)));
    assert.equal((await answered(200, client.get(`${CONFIGMAPS}/k`))).data, { a: 'b', c: 'd' });
  } finally {
    json.client.close();
    await json.server.stop();
  }
});

test('nothing was a fault of the server', () => assert.equal(over.server.faults(), []));

test.run();

/** @kubernetes/client-node, as published, works against the dialect it knows. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiException,
  AppsV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  VersionApi,
  Watch,
} from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../harness/server.ts';

const test = suite('client-node');

const server = await startServer({ dialect: 'kubernetes', flags: ['--disable-admission-plugins=ServiceAccount'] });
test.after(async () => {
  await server.stop();
});

const config = new KubeConfig();
config.loadFromFile(server.kubeconfig);
const core = config.makeApiClient(CoreV1Api);
const apps = config.makeApiClient(AppsV1Api);
const namespace = 'shop';
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const configmap = (name: string, data: Record<string, string>): V1ConfigMap => ({ metadata: { name, labels: { app: 'test' } }, data });

async function eventually(holds: () => boolean, what: () => string): Promise<void> {
  const until = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > until) throw new Error(what());
    await sleep(20);
  }
}

test('version', async () => {
  const { gitVersion } = await config.makeApiClient(VersionApi).getCode();
  assert.match(gitVersion, /^v1\.32\./);
});

test('create, read, list, replace, delete', async () => {
  const created = await core.createNamespace({ body: { metadata: { name: namespace } } });
  assert.is(created.status?.phase, 'Active');
  assert.ok(created.metadata?.creationTimestamp instanceof Date);
  await core.createNamespacedConfigMap({ namespace, body: configmap('one', { a: '1' }) });
  const read = await core.readNamespacedConfigMap({ namespace, name: 'one' });
  assert.equal(read.data, { a: '1' });
  const replaced = await core.replaceNamespacedConfigMap({ namespace, name: 'one', body: { ...read, data: { a: '2' } } });
  assert.equal(replaced.data, { a: '2' });
  const list = await core.listNamespacedConfigMap({ namespace, labelSelector: 'app=test', limit: 10 });
  assert.equal(
    list.items.map((item) => item.metadata?.name),
    ['one'],
  );
  const deleted = await core.deleteNamespacedConfigMap({ namespace, name: 'one' });
  assert.is(deleted.status, 'Success');
});

test('a stale replace is a conflict', async () => {
  const first = await core.createNamespacedConfigMap({ namespace, body: configmap('stale', { a: '1' }) });
  await core.replaceNamespacedConfigMap({ namespace, name: 'stale', body: { ...first, data: { a: '2' } } });
  try {
    await core.replaceNamespacedConfigMap({ namespace, name: 'stale', body: { ...first, data: { a: '3' } } });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, ApiException);
    assert.is((error as ApiException<unknown>).code, 409);
  }
});

test('a deployment: create, patch in three ways, scale', async () => {
  const template = { metadata: { labels: { app: 'site' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
  await apps.createNamespacedDeployment({
    namespace,
    body: { metadata: { name: 'site' }, spec: { replicas: 1, selector: { matchLabels: { app: 'site' } }, template } },
  });
  const patch = (body: unknown, type: string) =>
    apps.patchNamespacedDeployment({ namespace, name: 'site', body }, setHeaderOptions('Content-Type', type));
  const json = await patch([{ op: 'replace', path: '/spec/replicas', value: 2 }], PatchStrategy.JsonPatch);
  assert.is(json.spec?.replicas, 2);
  const merge = await patch({ spec: { minReadySeconds: 5 } }, PatchStrategy.MergePatch);
  assert.is(merge.spec?.minReadySeconds, 5);
  const containers = [{ name: 'web', imagePullPolicy: 'Never' }];
  const strategic = await patch({ spec: { template: { spec: { containers } } } }, PatchStrategy.StrategicMergePatch);
  assert.is(strategic.spec?.template.spec?.containers[0]?.image, 'nginx');
  assert.is(strategic.spec?.template.spec?.containers[0]?.imagePullPolicy, 'Never');
  const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'site' });
  await apps.replaceNamespacedDeploymentScale({ namespace, name: 'site', body: { ...scale, spec: { replicas: 5 } } });
  assert.is((await apps.readNamespacedDeployment({ namespace, name: 'site' })).spec?.replicas, 5);
});

test('objects of any kind, by what discovery says', async () => {
  const any = KubernetesObjectApi.makeApiClient(config);
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'any', namespace } };
  await any.create(lease);
  assert.is((await any.read(lease)).kind, 'Lease');
  const list = await any.list('coordination.k8s.io/v1', 'Lease', namespace);
  assert.is(list.items.length, 1);
  await any.delete(lease);
});

test('a review of access', async () => {
  const answer = await config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({
    body: { spec: { resourceAttributes: { verb: 'create', resource: 'pods', namespace } } },
  });
  assert.is(answer.status?.allowed, true);
});

test('a watch', async () => {
  const seen: string[] = [];
  const list = await core.listNamespacedConfigMap({ namespace });
  const controller = await new Watch(config).watch(
    path,
    { resourceVersion: list.metadata?.resourceVersion },
    (phase, object) => seen.push(`${phase} ${object.metadata.name}`),
    () => {},
  );
  await core.createNamespacedConfigMap({ namespace, body: configmap('watched', {}) });
  await core.deleteNamespacedConfigMap({ namespace, name: 'watched' });
  await eventually(
    () => seen.length === 2,
    () => `${seen}`,
  );
  controller.abort();
  assert.equal(seen, ['ADDED watched', 'DELETED watched']);
});

test('an informer follows writers for some seconds, and holds what is there', async () => {
  const informer = makeInformer<V1ConfigMap>(config, path, () => core.listNamespacedConfigMap({ namespace }));
  const seen = { add: 0, update: 0, delete: 0 };
  const problems: unknown[] = [];
  informer.on('add', () => seen.add++);
  informer.on('update', () => seen.update++);
  informer.on('delete', () => seen.delete++);
  informer.on('error', (error) => problems.push(error));
  await informer.start();
  const there = (await core.listNamespacedConfigMap({ namespace })).items.length;
  await Promise.all(
    Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; i < 20; i++) {
        const name = `w${writer}-${i}`;
        const created = await core.createNamespacedConfigMap({ namespace, body: configmap(name, { step: '1' }) });
        await core.replaceNamespacedConfigMap({ namespace, name, body: { ...created, data: { step: '2' } } });
        if (i % 2 === 0) await core.deleteNamespacedConfigMap({ namespace, name });
        await sleep(20);
      }
    }),
  );
  const want = { add: there + 80, update: 80, delete: 40 };
  await eventually(
    () => JSON.stringify(seen) === JSON.stringify(want),
    () => `wanted ${JSON.stringify(want)}, saw ${JSON.stringify(seen)}, ${problems}`,
  );
  const names = (items: readonly V1ConfigMap[]) => items.map((item) => `${item.metadata?.name} ${item.metadata?.resourceVersion}`).sort();
  assert.equal(names(informer.list()), names((await core.listNamespacedConfigMap({ namespace })).items));
  assert.equal(problems, []);
  await informer.stop();
});

test('the log holds no fault of the server', () => {
  assert.ok(server.running());
  assert.equal(server.faults(), []);
});

test.run();

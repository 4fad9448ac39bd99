/** APIServices: when their servers count as available, what moves to them and back, and what comes with definitions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { json } from '../../aggregation/aggregated-server.ts';
import { AGGREGATED, APISERVICES, LAMPS, LampCluster, ok, PASSED, RESOURCES } from '../../aggregation/lamp-cluster.ts';
import type { Json } from '../../harness/client.ts';

const cluster = await LampCluster.start();
const { admin, lamps } = cluster;

const test = suite('services of other API servers');
test.after(() => cluster.stop());

test('an APIService is available once its service, its endpoints and its server are there', async () => {
  await ok(admin.post(APISERVICES, cluster.apiService('lamps.example', 'v1')));
  const missing = await cluster.available('v1.lamps.example', { status: 'False', reason: 'ServiceNotFound' });
  assert.is(missing.message, 'service/lamps in "default" is not present');
  const refused = await admin.get(LAMPS);
  assert.equal(
    [refused.status, refused.headers['content-type'], refused.text],
    [503, 'text/plain; charset=utf-8', 'service unavailable\n'],
  );
  await cluster.makeService();
  await cluster.available('v1.lamps.example', { status: 'False', reason: 'EndpointsNotFound' });
  await cluster.makeEndpoints();
  const condition = await cluster.available('v1.lamps.example', PASSED);
  assert.is(condition.message, 'all checks passed');
  const [asked] = lamps.asked;
  assert.equal([asked?.url, asked?.client], [LAMPS, 'front-proxy-client']);
  assert.equal(asked?.headers['x-remote-group'], 'system:masters');
});

test('a certificate of another name is not believed, and one that cannot be read is told of', async () => {
  await ok(
    admin.post(
      APISERVICES,
      cluster.apiService('lamps.example', 'v1beta1', { caBundle: Buffer.from(cluster.authorities.proxies.certificate).toString('base64') }),
    ),
  );
  lamps.answers['/apis/lamps.example/v1beta1'] = (_, response) => json(response, { ...RESOURCES, groupVersion: 'lamps.example/v1beta1' });
  await cluster.available('v1beta1.lamps.example', PASSED);
  const unknown = await admin.get('/apis/lamps.example/v1beta1/lamps');
  assert.equal(
    [unknown.status, unknown.text],
    [503, 'error trying to reach service: tls: failed to verify certificate: x509: certificate signed by unknown authority\n'],
  );
  const garbage = { spec: { caBundle: Buffer.from('no certificate').toString('base64') } };
  await ok(admin.patch(`${APISERVICES}/v1beta1.lamps.example`, garbage));
  const broken = await admin.get('/apis/lamps.example/v1beta1/lamps');
  assert.equal([broken.status, broken.text], [500, 'unable to load root certificates: unable to parse bytes as PEM block\n']);
  await ok(admin.patch(`${APISERVICES}/v1beta1.lamps.example`, { spec: { caBundle: null, insecureSkipTLSVerify: true } }));
  lamps.answer = (_, response) => response.end('any');
  assert.is((await admin.get('/apis/lamps.example/v1beta1/lamps')).text, 'any');
});

test('what is not available is counted', async () => {
  const name = 'v1beta1.lamps.example';
  const figures = async () => {
    const { text } = await admin.get('/metrics');
    return text.split('\n').filter((line) => line.startsWith('aggregator_unavailable_apiservice') && line.includes(name));
  };
  assert.equal(await figures(), [`aggregator_unavailable_apiservice{name="${name}"} 0`]);
  await ok(admin.patch(`${APISERVICES}/${name}`, { spec: { service: { port: 1 } } }));
  await cluster.available(name, { status: 'False', reason: 'ServicePortError' });
  assert.equal(await figures(), [
    `aggregator_unavailable_apiservice{name="${name}"} 1`,
    `aggregator_unavailable_apiservice_total{name="${name}",reason="ServicePortError"} 1`,
  ]);
  await ok(admin.patch(`${APISERVICES}/${name}`, { spec: { service: { port: lamps.port } } }));
  await cluster.available(name, PASSED);
});

test('a group of this server moves to another one and back', async () => {
  const path = '/apis/batch/v1/namespaces/default/jobs';
  await ok(admin.get(path));
  lamps.answer = (_, response, asked) => json(response, { from: 'lamps', path: asked.url });
  const service = { namespace: 'default', name: 'lamps', port: lamps.port };
  await ok(admin.patch(`${APISERVICES}/v1.batch`, { spec: { service, insecureSkipTLSVerify: true } }));
  assert.equal(await ok(admin.get(path)), { from: 'lamps', path });
  await ok(admin.patch(`${APISERVICES}/v1.batch`, { spec: { service: null, insecureSkipTLSVerify: null } }));
  assert.is((await ok(admin.get(path))).kind, 'JobList');
  await cluster.available('v1.batch', { status: 'True', reason: 'Local' });
});

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const bulbs = (...served: string[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'bulbs.shop.example' },
  spec: {
    group: 'shop.example',
    scope: 'Cluster',
    names: { plural: 'bulbs', singular: 'bulb', kind: 'Bulb', listKind: 'BulbList' },
    versions: ['v1', 'v1beta1'].map((name) => ({
      name,
      served: served.includes(name),
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object' } },
    })),
  },
});

async function gone(name: string): Promise<void> {
  for (let i = 0; (await admin.get(`${APISERVICES}/${name}`)).status !== 404; i++) {
    assert.ok(i < 200, `${name} is still there`);
    await sleep(50);
  }
}

/** @returns the object, once it is there and as expected */
async function there(name: string, expected: (object: Json) => boolean): Promise<Json> {
  for (let i = 0; ; i++) {
    const { status, body } = await admin.get(`${APISERVICES}/${name}`);
    if (status === 200 && expected(body)) return body;
    assert.ok(i < 200, `${name}: ${JSON.stringify(body)}`);
    await sleep(50);
  }
}

test('versions of definitions have APIServices that come, are kept and go with them', async () => {
  const made = await ok(admin.post(DEFINITIONS, bulbs('v1', 'v1beta1')));
  for (const version of ['v1', 'v1beta1']) {
    const { metadata, spec, status } = await there(`${version}.shop.example`, () => true);
    assert.equal(spec, { group: 'shop.example', version, groupPriorityMinimum: 1000, versionPriority: 100 });
    assert.equal(metadata.labels, { 'kube-aggregator.kubernetes.io/automanaged': 'true' });
    assert.is(status.conditions[0].reason, 'Local');
  }
  await ok(admin.patch(`${APISERVICES}/v1.shop.example`, { spec: { versionPriority: 7 } }));
  await there('v1.shop.example', ({ spec }) => spec.versionPriority === 100);
  await ok(admin.delete(`${APISERVICES}/v1.shop.example`));
  await there('v1.shop.example', ({ status }) => status !== undefined);
  await ok(admin.patch(`${DEFINITIONS}/bulbs.shop.example`, { spec: bulbs('v1').spec }));
  await gone('v1beta1.shop.example');
  assert.ok(made);
});

test('a group of definitions moves to another server and back', async () => {
  const bulb = { apiVersion: 'shop.example/v1', kind: 'Bulb', metadata: { name: 'one' } };
  await ok(admin.post('/apis/shop.example/v1/bulbs', bulb));
  const service = { namespace: 'default', name: 'lamps', port: lamps.port };
  // without the label it is nobody's but its owner's
  const taken = { metadata: { labels: null }, spec: { service, insecureSkipTLSVerify: true } };
  await ok(admin.patch(`${APISERVICES}/v1.shop.example`, taken));
  lamps.answer = (_, response) => json(response, { from: 'lamps' });
  assert.equal(await ok(admin.get('/apis/shop.example/v1/bulbs/one')), { from: 'lamps' });
  await ok(admin.delete(`${APISERVICES}/v1.shop.example`));
  assert.is((await ok(admin.get('/apis/shop.example/v1/bulbs/one'))).metadata.name, 'one');
  await there('v1.shop.example', ({ spec }) => spec.service === undefined);
  await ok(admin.delete(`${DEFINITIONS}/bulbs.shop.example`));
  await gone('v1.shop.example');
});

/** Enough for some to wait for others. */
const MANY = 300;

test('hundreds of APIServices of one server are checked and described over a few connections', async () => {
  const groups = Array.from({ length: MANY }, (_, index) => `g${index}.many.example`);
  lamps.answer = (_, response, { url }) => json(response, { ...RESOURCES, groupVersion: url.slice('/apis/'.length) });
  await cluster.touch();
  const connections = new Set<number>();
  lamps.asked.length = 0;
  for (let at = 0; at < MANY; at += 50)
    await Promise.all(groups.slice(at, at + 50).map((group) => ok(admin.post(APISERVICES, cluster.apiService(group, 'v1')))));
  for (let left = MANY; left > 0; ) {
    const { items } = await ok(admin.get(APISERVICES));
    left = items.filter(
      ({ metadata, status }: Json) => metadata.name.endsWith('.many.example') && status?.conditions?.[0]?.reason !== 'Passed',
    ).length;
    if (left > 0) await sleep(200);
  }
  for (let current = 0; current < MANY; ) {
    const { items } = await ok(admin.get('/apis', { accept: AGGREGATED }));
    const many = items.filter(({ metadata }: Json) => metadata.name.endsWith('.many.example'));
    assert.is(many.length, MANY);
    current = many.filter(
      ({ versions: [version] }: Json) => version.freshness === 'Current' && version.resources[0].resource === 'lamps',
    ).length;
    // what did not come in time on a busy machine is asked for again
    if (current < MANY) await sleep(1_000);
  }
  for (const { connection } of lamps.asked) connections.add(connection);
  assert.ok(connections.size < 100, `${connections.size} connections`);
  assert.is((await admin.get('/api/v1/namespaces/default')).status, 200);
  for (let at = 0; at < MANY; at += 50)
    await Promise.all(groups.slice(at, at + 50).map((group) => ok(admin.delete(`${APISERVICES}/v1.${group}`))));
});

test('what was removed is gone', async () => {
  await ok(admin.delete(`${APISERVICES}/v1.lamps.example`));
  await ok(admin.delete(`${APISERVICES}/v1beta1.lamps.example`));
  const gone = await admin.get(`${LAMPS}/lamps`);
  assert.equal([gone.status, gone.text], [404, '404 page not found\n']);
  const { items } = await ok(admin.get('/apis', { accept: AGGREGATED }));
  assert.not.ok(items.some(({ metadata }: Json) => metadata.name === 'lamps.example'));
});

test.run();

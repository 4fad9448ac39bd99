/** What clients are told of group versions that another API server answers: discovery and OpenAPI documents. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AggregatedServer, json } from '../../aggregation/aggregated-server.ts';
import { AGGREGATED, APISERVICES, LAMPS, LampCluster, ok, PASSED, RESOURCES } from '../../aggregation/lamp-cluster.ts';
import type { Json } from '../../harness/client.ts';

const cluster = await LampCluster.start();
const { admin, lamps } = cluster;
await cluster.serveLamps();
lamps.answers['/apis/lamps.example/v1beta1'] = (_, response) => json(response, { ...RESOURCES, groupVersion: 'lamps.example/v1beta1' });
await ok(admin.post(APISERVICES, cluster.apiService('lamps.example', 'v1beta1')));
await cluster.available('v1beta1.lamps.example', PASSED);

const test = suite('descriptions of other API servers');
test.after(() => cluster.stop());

test('groups and versions stand in discovery by their priorities', async () => {
  const { groups } = await ok(admin.get('/apis'));
  const group = groups.find(({ name }: Json) => name === 'lamps.example');
  assert.equal(
    group.versions.map(({ version }: Json) => version),
    ['v1', 'v1beta1'],
  );
  assert.equal(await ok(admin.get('/apis/lamps.example')), { kind: 'APIGroup', apiVersion: 'v1', ...group });
  const { paths } = await ok(admin.get('/'));
  for (const each of ['/apis/lamps.example', LAMPS, '/apis/lamps.example/v1beta1']) assert.ok(paths.includes(each), each);
  await ok(admin.patch(`${APISERVICES}/v1beta1.lamps.example`, { spec: { versionPriority: 100, groupPriorityMinimum: 19_000 } }));
  const after = await ok(admin.get('/apis'));
  assert.is(after.groups[1].name, 'lamps.example');
  assert.is(after.groups[1].preferredVersion.version, 'v1beta1');
});

const described = async () => {
  const { items } = await ok(admin.get('/apis', { accept: AGGREGATED }));
  return items.find(({ metadata }: Json) => metadata.name === 'lamps.example');
};
const LAMP = { group: '', version: '', kind: 'Lamp' };

test('aggregated discovery has the resources of servers that know it not', async () => {
  const { versions } = await described();
  assert.equal(versions[1], {
    version: 'v1',
    resources: [
      {
        resource: 'lamps',
        responseKind: LAMP,
        scope: 'Namespaced',
        singularResource: 'lamp',
        verbs: ['get', 'list'],
        shortNames: ['lp'],
        subresources: [{ subresource: 'status', responseKind: LAMP, verbs: ['get'] }],
      },
    ],
    freshness: 'Current',
  });
});

test('aggregated discovery has the resources of servers that know it, and says what is stale', async () => {
  const kind = { group: 'lamps.example', version: 'v1', kind: 'Bulb' };
  const items = [
    {
      metadata: { name: 'lamps.example' },
      versions: [
        {
          version: 'v1',
          resources: [{ resource: 'bulbs', responseKind: kind, scope: 'Cluster', verbs: ['get'], singularResource: 'bulb' }],
        },
      ],
    },
  ];
  lamps.answers['/apis'] = (_, response) =>
    json(response, { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items }, AGGREGATED);
  // any change of the APIService has its server asked anew
  await ok(admin.patch(`${APISERVICES}/v1.lamps.example`, { metadata: { annotations: { a: '1' } } }));
  const { versions } = await described();
  assert.equal(versions[1].resources, [{ ...items[0]?.versions[0]?.resources[0] }]);
  assert.equal(versions[0], { version: 'v1beta1', freshness: 'Current' });
  lamps.answers['/apis'] = (request) => request.socket.destroy();
  await ok(admin.patch(`${APISERVICES}/v1.lamps.example`, { metadata: { annotations: { a: '2' } } }));
  assert.equal((await described()).versions[1], { version: 'v1', freshness: 'Stale' });
  const first = await admin.get('/apis', { accept: AGGREGATED });
  const same = await admin.get('/apis', { accept: AGGREGATED, 'if-none-match': first.headers.etag });
  assert.is(same.status, 304);
  delete lamps.answers['/apis'];
});

const SWAGGER = {
  swagger: '2.0',
  info: { title: 'Lamps', version: '1' },
  paths: {
    '/apis/lamps.example/v1/lamps': {
      get: {
        operationId: 'listLamps',
        produces: ['application/json'],
        parameters: [{ $ref: '#/parameters/limit' }],
        responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/example.Lamp' } } },
      },
    },
    '/apis/other.example/v1/others': {
      get: { responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/example.Other' } } } },
    },
    '/version/': { get: { responses: {} } },
  },
  definitions: {
    'example.Lamp': { type: 'object', properties: { metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' } } },
    'example.Other': { type: 'object' },
    'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'object', description: 'Said otherwise.' },
  },
  parameters: { limit: { name: 'limit', in: 'query', type: 'integer', uniqueItems: true } },
};
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

test('the document in version 2 has what other servers say, under names of its own where it differs', async () => {
  const own = await ok(admin.get('/openapi/v2'));
  lamps.answers['/openapi/v2'] = (request, response) => {
    if (request.headers['if-none-match'] === '"one"') return response.writeHead(304).end();
    response.setHeader('etag', '"one"');
    return json(response, SWAGGER);
  };
  await cluster.touch();
  const { body, headers } = await admin.get('/openapi/v2');
  assert.equal(
    Object.keys(body.paths).filter((path) => !(path in own.paths)),
    ['/apis/lamps.example/v1/lamps'],
  );
  assert.equal(
    Object.keys(body.definitions).filter((name) => !(name in own.definitions)),
    ['example.Lamp', `${META}_v2`],
  );
  assert.equal(body.definitions['example.Lamp'].properties.metadata, { $ref: `#/definitions/${META}_v2` });
  assert.equal(body.definitions[META], own.definitions[META]);
  assert.equal(body.info, own.info);
  const same = await admin.get('/openapi/v2', { 'if-none-match': headers.etag });
  assert.is(same.status, 304);
  const binary = await admin.get('/openapi/v2', { accept: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' });
  assert.ok(binary.bytes.includes('listLamps'));
});

test('a server without documents in version 3 has one made of the other', async () => {
  lamps.answer = undefined;
  await cluster.touch();
  const { paths } = JSON.parse((await admin.get('/openapi/v3')).text);
  const { serverRelativeURL } = paths['apis/lamps.example/v1'];
  const document = await ok(admin.get(serverRelativeURL));
  assert.is(document.openapi, '3.0.0');
  const { get } = document.paths['/apis/lamps.example/v1/lamps'];
  assert.equal(get.parameters, [{ name: 'limit', in: 'query', schema: { type: 'integer', uniqueItems: true } }]);
  assert.equal(get.responses['200'].content, { 'application/json': { schema: { $ref: '#/components/schemas/example.Lamp' } } });
});

test('a server’s own documents in version 3 are those that clients get', async () => {
  const list = {
    paths: {
      'apis/lamps.example/v1': { serverRelativeURL: '/openapi/v3/apis/lamps.example/v1?hash=AB' },
      version: { serverRelativeURL: '/x' },
    },
  };
  lamps.answers['/openapi/v3'] = (_, response) => json(response, list);
  lamps.answers['/openapi/v3/apis/lamps.example/v1'] = (_, response, asked) =>
    json(response, { own: true, user: asked.headers['x-remote-user'] });
  await cluster.touch();
  const { paths } = JSON.parse((await admin.get('/openapi/v3')).text);
  assert.equal(paths['apis/lamps.example/v1'], list.paths['apis/lamps.example/v1']);
  assert.match(paths.version.serverRelativeURL, /^\/openapi\/v3\/version\?hash=/);
  assert.equal(await ok(admin.get('/openapi/v3/apis/lamps.example/v1?hash=AB')), { own: true, user: 'admin' });
  const old = await admin.get('/openapi/v3/apis/lamps.example/v1?hash=CD');
  assert.equal([old.status, old.headers.location], [301, '/openapi/v3/apis/lamps.example/v1?hash=AB']);
});

for (const [name, answer] of [
  ['hangs up', (request) => request.socket.destroy()],
  ['has no document', (_, response) => json(response, [1])],
  [
    'nests without an end',
    (_, response) => void response.end(`{"paths":{"/apis/lamps.example/v1/x":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_002)}`),
  ],
  ['is too long', (_, response) => void response.end(`{"paths":{}}${' '.repeat(17 * 1024 * 1024)}`)],
] satisfies [string, AggregatedServer['answer']][])
  test(`a server whose document ${name} takes no others away, nor its own of before`, async () => {
    lamps.answers['/openapi/v2'] = answer as NonNullable<AggregatedServer['answer']>;
    await cluster.touch();
    const { paths } = await ok(admin.get('/openapi/v2'));
    assert.ok('/api/v1/pods' in paths && '/apis/lamps.example/v1/lamps' in paths);
  });

test('a version that is not available is not asked for, and its documents stay', async () => {
  for (const each of ['/apis', '/openapi/v2', '/openapi/v3']) lamps.answers[each] = () => {};
  for (const each of [LAMPS, '/apis/lamps.example/v1beta1']) lamps.answers[each] = (_, response) => void response.writeHead(500).end();
  // a change of the endpoints has it looked at
  await ok(admin.patch('/api/v1/namespaces/default/endpoints/lamps', { metadata: { annotations: { now: 'failing' } } }));
  for (const each of ['v1', 'v1beta1'])
    await cluster.available(`${each}.lamps.example`, { status: 'False', reason: 'FailedDiscoveryCheck' });
  lamps.asked.length = 0;
  assert.equal((await described()).versions[1], { version: 'v1', freshness: 'Stale' });
  assert.ok('/apis/lamps.example/v1/lamps' in (await ok(admin.get('/openapi/v2'))).paths);
  assert.ok('apis/lamps.example/v1' in JSON.parse((await admin.get('/openapi/v3')).text).paths);
  assert.equal(
    lamps.asked.filter(({ url }) => !url.startsWith('/apis/')),
    [],
  );
});

test.run();

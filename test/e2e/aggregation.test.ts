/** Group versions that another API server answers: what reaches it, what comes back, and what clients are told of it. */
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket, WebSocketServer } from 'ws';
import { AggregatedServer, Authorities, json } from '../aggregation/aggregated-server.ts';
import { authority, Client, type Json } from '../harness/client.ts';
import { startServer } from '../harness/server.ts';

const authorities = new Authorities();
const lamps = await new AggregatedServer(authorities, 'lamps.default.svc').start();
const server = await startServer({
  dialect: 'kubernetes',
  flags: [...authorities.flags, '--service-cluster-ip-range=10.99.0.0/16', '--requestheader-username-headers=X-Remote-User'],
  preload: path.join(import.meta.dirname, '../harness/pod-network.ts'),
});
const admin = new Client(server);
const alice = new Client(server, server.tokens.alice);

const SERVICES = '/api/v1/namespaces/default/services';
const ENDPOINTS = '/api/v1/namespaces/default/endpoints';
const APISERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const LAMPS = '/apis/lamps.example/v1';

const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'lamps.example/v1',
  resources: [
    { name: 'lamps', singularName: 'lamp', namespaced: true, kind: 'Lamp', verbs: ['get', 'list'], shortNames: ['lp'] },
    { name: 'lamps/status', singularName: '', namespaced: true, kind: 'Lamp', verbs: ['get'] },
  ],
};
lamps.answers[LAMPS] = (_, response) => json(response, RESOURCES);

async function ok(answering: Promise<{ status: number; text: string; body: Json }>): Promise<Json> {
  const { status, text, body } = await answering;
  assert.ok(status < 300, `${status} ${text}`);
  return body;
}

const apiService = (group: string, version: string, spec: object = {}) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.${group}` },
  spec: {
    group,
    version,
    groupPriorityMinimum: 2000,
    versionPriority: 15,
    caBundle: authorities.caBundle,
    service: { namespace: 'default', name: 'lamps', port: lamps.port },
    ...spec,
  },
});

interface Expected {
  readonly status: string;
  readonly reason: string;
}

/** @returns the condition, once it is as expected */
async function available(name: string, { status, reason }: Expected): Promise<Json> {
  for (let i = 0; i < 200; i++) {
    const object = await ok(admin.get(`${APISERVICES}/${name}`));
    const [condition] = object.status?.conditions ?? [];
    if (condition?.status === status && condition.reason === reason) return condition;
    await sleep(50);
  }
  throw new Error(`${name} is not ${status} for ${reason}: ${(await admin.get(`${APISERVICES}/${name}`)).text}`);
}

const PASSED = { status: 'True', reason: 'Passed' };

const test = suite('aggregation');
test.after(async () => {
  alice.close();
  admin.close();
  assert.equal(server.faults(), []);
  assert.is(await server.stop(), 0, server.log());
  await lamps.stop();
});

test('an APIService is available once its service, its endpoints and its server are there', async () => {
  await ok(admin.post(APISERVICES, apiService('lamps.example', 'v1')));
  const missing = await available('v1.lamps.example', { status: 'False', reason: 'ServiceNotFound' });
  assert.is(missing.message, 'service/lamps in "default" is not present');
  const refused = await admin.get(LAMPS);
  assert.equal(
    [refused.status, refused.headers['content-type'], refused.text],
    [503, 'text/plain; charset=utf-8', 'service unavailable\n'],
  );
  const ports = [{ name: 'https', port: lamps.port }];
  await ok(admin.post(SERVICES, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'lamps' }, spec: { ports } }));
  await available('v1.lamps.example', { status: 'False', reason: 'EndpointsNotFound' });
  const subsets = [{ addresses: [{ ip: '10.99.7.7' }], ports }];
  await ok(admin.post(ENDPOINTS, { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'lamps' }, subsets }));
  const condition = await available('v1.lamps.example', PASSED);
  assert.is(condition.message, 'all checks passed');
  const [asked] = lamps.asked;
  assert.equal([asked?.url, asked?.client], [LAMPS, 'front-proxy-client']);
  assert.equal(asked?.headers['x-remote-group'], 'system:masters');
});

test('requests are passed on with who asks, and without the client’s own claims', async () => {
  lamps.asked.length = 0;
  lamps.answer = (_, response, { method, body }) =>
    response.writeHead(201, { 'x-lamp': 'on', 'access-control-allow-origin': '*' }).end(`${method} ${body}`);
  const answer = await admin.request('POST', `${LAMPS}/namespaces/a%20b/lamps?z=1&a=x%2Fy&a=%7E`, {
    body: 'bright',
    headers: {
      'content-type': 'text/plain',
      'x-remote-user': 'mallory',
      'X-Remote-Extra-Scopes': 'all',
      'x-remote-uid': '7',
      'impersonate-group': 'system:masters',
      'impersonate-user': 'bob',
      'impersonate-extra-acme.example%2Fproject': 'Zoë',
      'x-own': 'kept',
    },
  });
  assert.equal([answer.status, answer.text, answer.headers['x-lamp']], [201, 'POST bright', 'on']);
  assert.is(answer.headers['access-control-allow-origin'], undefined);
  const [asked] = lamps.clients;
  assert.is(asked?.url, `${LAMPS}/namespaces/a%20b/lamps?a=x%2Fy&a=~&z=1`);
  const { headers } = asked as NonNullable<typeof asked>;
  const told = Object.entries(headers).filter(([name]) => /^(x-remote|impersonate|authorization|x-own)/.test(name));
  assert.equal(Object.fromEntries(told), {
    'x-remote-user': 'bob',
    'x-remote-group': 'system:masters, system:authenticated',
    'x-remote-extra-acme.example%2fproject': Buffer.from('Zoë').toString('latin1'),
    'x-own': 'kept',
  });
  assert.is(headers['audit-id'], answer.headers['audit-id']);
  assert.match(String(headers.host), /^10\.99\.\d+\.\d+:\d+$/);
  assert.equal(
    [headers['x-forwarded-host'], headers['x-forwarded-proto'], headers['x-forwarded-uri']],
    [headers.host, 'https', `${LAMPS}/namespaces/a%20b/lamps`],
  );
  assert.is(asked?.client, 'front-proxy-client');
});

test('whoever may not is refused here, before anybody is asked', async () => {
  lamps.asked.length = 0;
  const refused = await alice.get(`${LAMPS}/namespaces/default/lamps`);
  assert.equal([refused.status, refused.body.reason], [403, 'Forbidden']);
  assert.equal(lamps.clients, []);
});

for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])
  test(`passes on ${method}`, async () => {
    lamps.answer = (_, response, asked) => response.end(`${asked.method} ${asked.body}`);
    const body = method === 'GET' || method === 'HEAD' ? undefined : 'x';
    const answer = await admin.request(method, `${LAMPS}/lamps/one`, { body, headers: { 'content-type': 'text/plain' } });
    assert.equal([answer.status, answer.text], [200, method === 'HEAD' ? '' : `${method} ${body ?? ''}`]);
  });

test('connections are kept for requests that may be sent again', async () => {
  lamps.asked.length = 0;
  lamps.answer = (_, response) => response.end('x');
  for (let i = 0; i < 5; i++) await ok(admin.get(`${LAMPS}/lamps`));
  assert.is(new Set(lamps.clients.map(({ connection }) => connection)).size, 1);
});

test('a connection that its server ends meanwhile is none that a client hears of', async () => {
  let served = 0;
  lamps.answer = (request, response) => {
    served++;
    // the server in front takes it for one that is kept
    response.end('x', () => setTimeout(() => request.socket.destroy(), 0));
  };
  for (let i = 0; i < 20; i++) await ok(admin.get(`${LAMPS}/lamps`));
  assert.ok(served >= 20);
});

test('requests over HTTP/2 are passed on as well', async () => {
  lamps.answer = (_, response, { method, body, headers }) => response.end(`${method} ${body} ${headers['x-remote-user']}`);
  const session = http2.connect(server.url, { ca: authority(server) });
  const asked = (method: string, body: string) => {
    const stream = session.request({ ':method': method, ':path': `${LAMPS}/lamps`, authorization: `Bearer ${server.tokens.admin}` });
    // what has no body has ended with its head
    if (method === 'POST') stream.end(body);
    return Array.fromAsync(stream).then((chunks) => Buffer.concat(chunks).toString());
  };
  assert.equal(await Promise.all([asked('GET', ''), asked('POST', 'bright')]), ['GET  admin', 'POST bright admin']);
  session.destroy();
});

test('a watch comes as it is sent', async () => {
  const sent = Promise.withResolvers<import('node:http').ServerResponse>();
  lamps.answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'one' } } })}\n`);
    sent.resolve(response);
  };
  const watch = await admin.watch(`${LAMPS}/lamps?watch=1`);
  assert.is((await watch.next()).object.metadata?.name, 'one');
  const response = await sent.promise;
  const gone = new Promise((resolve) => response.once('close', resolve));
  response.write(`${JSON.stringify({ type: 'DELETED', object: { metadata: { name: 'two' } } })}\n`);
  assert.is((await watch.next()).object.metadata?.name, 'two');
  watch.close();
  await gone;
});

test('a WebSocket goes through in both directions', async () => {
  const sockets = new WebSocketServer({ noServer: true });
  let user: unknown;
  lamps.server.on('upgrade', (request, socket, head) => {
    user = request.headers['x-remote-user'];
    sockets.handleUpgrade(request, socket, head, (client) => client.on('message', (data) => client.send(`again ${data}`)));
  });
  const socket = new WebSocket(`wss://127.0.0.1:${server.port}${LAMPS}/namespaces/default/lamps/one/connect`, {
    ca: authority(server),
    headers: { authorization: `Bearer ${server.tokens.admin}` },
  });
  const heard = await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (data) => resolve(String(data)));
    socket.on('open', () => socket.send('hello'));
  });
  assert.equal([heard, user], ['again hello', 'admin']);
  socket.terminate();
  lamps.server.removeAllListeners('upgrade');
  sockets.close();
});

test('a switch that is refused is told with the server’s own words', async () => {
  lamps.server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno'));
  const socket = new WebSocket(`wss://127.0.0.1:${server.port}${LAMPS}/lamps/one/connect`, {
    ca: authority(server),
    headers: { authorization: `Bearer ${server.tokens.admin}` },
  });
  assert.match(await new Promise((resolve) => socket.on('error', (error) => resolve(error.message))), /403/);
  lamps.server.removeAllListeners('upgrade');
});

const BROKEN: readonly [name: string, answer: AggregatedServer['answer'], status: number, text: RegExp][] = [
  ['closes', (request) => request.socket.destroy(), 503, /^error trying to reach service: EOF\n$/],
  [
    'redirects',
    (_, response) => response.writeHead(302, { location: 'https://evil.example/' }).end(),
    502,
    /^the backend attempted to redirect this request, which is not permitted$/,
  ],
  ['speaks HTTP/1.0', (request) => request.socket.end('HTTP/1.0 200 OK\r\nx-old: yes\r\n\r\nold'), 200, /^old$/],
  ['speaks no HTTP', (request) => request.socket.end('hello\r\n\r\n'), 503, /^error trying to reach service: malformed HTTP response/],
  ['has a head without an end', (request) => void request.socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`), 503, /too large/],
];
for (const [name, answer, status, text] of BROKEN)
  test(`a server that ${name} breaks nothing else`, async () => {
    lamps.answer = answer;
    const answered = await admin.get(`${LAMPS}/lamps`);
    assert.is(answered.status, status, answered.text);
    assert.match(answered.text, text);
  });

test('an answer that breaks off breaks the client’s off too', async () => {
  lamps.answer = (_, response) => void response.writeHead(200, { 'content-length': '1000' }).write('begun', () => response.destroy());
  assert.is(
    await admin.get(`${LAMPS}/lamps`).then(
      () => 'whole',
      () => 'broken',
    ),
    'broken',
  );
});

test('100 MB go through at the pace of the client', async () => {
  const piece = Buffer.alloc(1024 * 1024, 'x');
  let sent = 0;
  lamps.answer = async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    for (; sent < 100; sent++) if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
    response.end();
  };
  const headers = { authorization: `Bearer ${server.tokens.admin}` };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    https.get(`${server.url}${LAMPS}/lamps`, { ca: authority(server), headers, agent: false }, resolve).on('error', reject);
  });
  for (let before = -1; before !== sent; before = sent) await sleep(200);
  assert.ok(sent < 50, `${sent} MB were taken for a client that reads nothing`);
  let size = 0;
  for await (const chunk of response) size += chunk.length;
  assert.is(size, 100 * piece.length);
});

test('a server that hangs costs no more than the time of the request', async () => {
  lamps.answer = () => {};
  const late = await admin.get(`${LAMPS}/lamps?timeout=300ms`);
  assert.equal([late.status, late.body?.reason], [504, 'Timeout']);
});

test('a certificate of another name is not believed, and one that cannot be read is told of', async () => {
  await ok(
    admin.post(
      APISERVICES,
      apiService('lamps.example', 'v1beta1', { caBundle: Buffer.from(authorities.proxies.certificate).toString('base64') }),
    ),
  );
  lamps.answers['/apis/lamps.example/v1beta1'] = (_, response) => json(response, { ...RESOURCES, groupVersion: 'lamps.example/v1beta1' });
  await available('v1beta1.lamps.example', PASSED);
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
  await available(name, { status: 'False', reason: 'ServicePortError' });
  assert.equal(await figures(), [
    `aggregator_unavailable_apiservice{name="${name}"} 1`,
    `aggregator_unavailable_apiservice_total{name="${name}",reason="ServicePortError"} 1`,
  ]);
  await ok(admin.patch(`${APISERVICES}/${name}`, { spec: { service: { port: lamps.port } } }));
  await available(name, PASSED);
});

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

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
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
/** Any change of the APIService has its server asked anew. */
const touch = async () =>
  void (await ok(admin.patch(`${APISERVICES}/v1.lamps.example`, { metadata: { annotations: { now: `${Math.random()}` } } })));

test('the document in version 2 has what other servers say, under names of its own where it differs', async () => {
  const own = await ok(admin.get('/openapi/v2'));
  lamps.answers['/openapi/v2'] = (request, response) => {
    if (request.headers['if-none-match'] === '"one"') return response.writeHead(304).end();
    response.setHeader('etag', '"one"');
    return json(response, SWAGGER);
  };
  await touch();
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
  await touch();
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
  await touch();
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
  test(`a server whose document ${name} takes no others away`, async () => {
    lamps.answers['/openapi/v2'] = answer as NonNullable<AggregatedServer['answer']>;
    await touch();
    const { paths } = await ok(admin.get('/openapi/v2'));
    assert.ok('/api/v1/pods' in paths && !('/apis/lamps.example/v1/lamps' in paths));
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
  await available('v1.batch', { status: 'True', reason: 'Local' });
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
  await touch();
  const connections = new Set<number>();
  lamps.asked.length = 0;
  for (let at = 0; at < MANY; at += 50)
    await Promise.all(groups.slice(at, at + 50).map((group) => ok(admin.post(APISERVICES, apiService(group, 'v1')))));
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
  assert.is(await described(), undefined);
});

test.run();

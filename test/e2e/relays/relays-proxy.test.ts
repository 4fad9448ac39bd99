/** `proxy` of pods, services and nodes: what goes through, what is changed on the way, what is refused. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket, WebSocketServer } from 'ws';
import { startAgentCluster } from '../../harness/agent-cluster.ts';
import { authority } from '../../harness/client.ts';
import { connect, exchange, parseAnswers } from '../../harness/raw.ts';

const { server, agent, client, ...cluster } = await startAgentCluster();
const namespace = '/api/v1/namespaces/default';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What a pod was asked; its path decides what it answers. */
const seen: Seen[] = [];
const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/moved': (_request, response) => response.writeHead(302, { location: '/elsewhere/?a=b' }).end(),
  '/away': (_request, response) => response.writeHead(302, { location: 'https://other.example/x' }).end(),
  '/cross-origin': (_request, response) => response.writeHead(200, { 'access-control-allow-origin': '*', 'x-own': 'kept' }).end('ok'),
  '/hop': (_request, response) => response.writeHead(200, { connection: 'x-hop, close', 'x-hop': '1', 'x-kept': '2' }).end('ok'),
  '/page': (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<script src="/app.js"></script><a href="https://other.example/">'),
  '/twice': (_request, response) =>
    response
      .writeHead(200, [
        'X-Content-Type-Options',
        'nosniff',
        'X-Content-Type-Options',
        'nosniff',
        'Expires',
        '0',
        'Expires',
        '-1',
        'HTTP2-Settings',
        'x',
      ])
      .end('ok'),
  '/teapot': (_request, response) => response.writeHead(418, { 'content-type': 'text/x-tea' }).end('short and stout'),
  '/hints': (_request, response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.end('<p>hinted');
  },
  '/half': (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('begun', () => response.destroy());
  },
};
const pod = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request)).toString();
  seen.push({ method: request.method, url: request.url, headers: request.headers, body });
  const answer = answers[request.url ?? ''];
  if (answer !== undefined) answer(request, response);
  else response.setHeader('x-pod', 'yes').end(`pod: ${request.method} ${request.url} ${body}`);
});
const webSockets = new WebSocketServer({ server: pod });
webSockets.on('connection', (socket, request) => {
  socket.send(`hello ${request.url}`);
  socket.on('message', (data) => socket.send(`again ${data}`));
});
pod.listen(0, '127.0.0.1');
await once(pod, 'listening');
const port = (pod.address() as AddressInfo).port;

async function addPod(name: string, ip: string, ports: readonly object[]): Promise<void> {
  const containers = [
    { name: 'sidecar', image: 'x' },
    { name: 'main', image: 'x', ports },
  ];
  await client.post(`${namespace}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { nodeName: 'near', containers } });
  const { status, text } = await client.patch(`${namespace}/pods/${name}/status`, { status: { podIP: ip, podIPs: [{ ip }] } });
  if (status !== 200) throw new Error(text);
}

async function addService(name: string, ports: readonly object[], subsets?: readonly object[]): Promise<void> {
  for (const [resource, kind, rest] of [
    ['services', 'Service', { spec: { ports } }],
    ['endpoints', 'Endpoints', { subsets }],
  ] as const) {
    if (kind === 'Endpoints' && subsets === undefined) continue;
    const { status, text } = await client.post(`${namespace}/${resource}`, { apiVersion: 'v1', kind, metadata: { name }, ...rest });
    if (status !== 201) throw new Error(text);
  }
}

const targetRef = { kind: 'Pod', name: 'web', namespace: 'default' };
await addPod('web', '10.99.0.1', [{ containerPort: port, name: 'http' }]);
await addPod('portless', '10.99.0.2', []);
await addPod('loopback', '127.0.0.1', [{ containerPort: port }]);
await addPod('link-local', '169.254.169.254', [{ containerPort: 80 }]);
await addPod('mapped', '::ffff:127.0.0.1', [{ containerPort: port }]);
await addPod('closed', '10.99.0.1', [{ containerPort: 1 }]);
const ready = [{ addresses: [{ ip: '10.99.0.1', targetRef }], ports: [{ name: 'web', port }] }];
await addService('shop', [{ name: 'web', port: 80, targetPort: port }], ready);
await addService('empty', [{ port: 80 }], []);
await addService(
  'unready',
  [{ name: 'web', port: 80 }],
  [{ notReadyAddresses: [{ ip: '10.99.0.1', targetRef }], ports: [{ name: 'web', port }] }],
);
await addService('stranger', [{ name: 'web', port: 80 }], [{ addresses: [{ ip: '10.99.0.1' }], ports: [{ name: 'web', port }] }]);
await addService('liar', [{ name: 'web', port: 80 }], [{ addresses: [{ ip: '10.99.0.7', targetRef }], ports: [{ name: 'web', port }] }]);
await addService('bare', [{ port: 80 }]);

const test = suite('proxies');
test.before.each(() => {
  seen.length = 0;
});
test.after(async () => {
  assert.equal(server.faults(), []);
  webSockets.close();
  pod.closeAllConnections();
  pod.close();
  await cluster.stop();
});

const through: [name: string, path: string, method: string, asked: string][] = [
  ['the first port that a container names', 'pods/web/proxy/', 'GET', '/'],
  ['a port by its number', `pods/web:${port}/proxy/a/b`, 'GET', '/a/b'],
  ['the scheme', `pods/http:web:${port}/proxy/`, 'GET', '/'],
  ['path and query as they are', 'pods/web/proxy/a%20b/c?x=1&y=%2F', 'GET', '/a%20b/c?x=1&y=%2F'],
  ['a path that leads up', 'pods/web/proxy/a%2F..%2F..%2F..%2Fb/', 'GET', '/b/'],
  ['a slash that is escaped', 'pods/web/proxy/a%2Fb', 'GET', '/a/b'],
  ['bytes that are no text', 'pods/web/proxy/%ff%C3%BC', 'GET', '/%FF%C3%BC'],
  ['parameters that have a meaning elsewhere', 'pods/web/proxy/x?timeout=abc&watch=1', 'GET', '/x?timeout=abc&watch=1'],
  ['a service by the name of its port', 'services/shop:web/proxy/', 'GET', '/'],
  ['a service by its port', 'services/shop:80/proxy/x', 'POST', '/x'],
  ...(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).map((method): [string, string, string, string] => [
    method,
    'pods/web/proxy/x',
    method,
    '/x',
  ]),
];
for (const [name, place, method, asked] of through)
  test(`passes on ${name}`, async () => {
    const body = method === 'GET' ? undefined : 'a body';
    const answer = await client.request(method, `${namespace}/${place}`, { body, headers: { 'content-type': 'text/plain' } });
    assert.is(answer.text, `pod: ${method} ${asked} ${body ?? ''}`);
    assert.is(answer.headers['x-pod'], 'yes');
  });

test('HEAD has headers and no body', async () => {
  const { status, text, headers } = await client.request('HEAD', `${namespace}/pods/web/proxy/x`);
  assert.equal([status, text, headers['x-pod'], seen[0]?.method], [200, '', 'yes', 'HEAD']);
});
test('a body without a length goes in chunks', async () => {
  const answer = await client.request('POST', `${namespace}/pods/web/proxy/x`, {
    body: 'in chunks',
    headers: { 'transfer-encoding': 'chunked' },
  });
  assert.is(answer.text, 'pod: POST /x in chunks');
  assert.is(seen[0]?.headers['transfer-encoding'], 'chunked');
});
test('who asks stays here, where from is told', async () => {
  await client.request('GET', `${namespace}/pods/web/proxy/x/`, {
    headers: {
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-uri': '/forged',
      connection: 'x-private',
      'x-private': '1',
      te: 'trailers',
      cookie: 'a=b',
    },
  });
  const headers = seen[0]?.headers ?? {};
  assert.equal([headers.authorization, headers['x-private'], headers.te], [undefined, undefined, 'trailers']);
  assert.is(headers['x-forwarded-for'], '192.0.2.1, 127.0.0.1');
  assert.is(headers['x-forwarded-uri'], `${namespace}/pods/web/proxy/x/`);
  assert.is(headers.cookie, 'a=b');
  assert.is(headers.host, new URL(server.url).host);
});
test('without a slash behind it: a redirect', async () => {
  const { status, headers } = await client.get(`${namespace}/pods/web/proxy?x=1`);
  assert.equal([status, headers.location], [301, `${namespace}/pods/web/proxy/?x=1`]);
});
test('links to the pod lead through the proxy, others stay', async () => {
  const proxied = `${namespace}/pods/web/proxy`;
  assert.is((await client.get(`${proxied}/moved`)).headers.location, `${proxied}/elsewhere/?a=b`);
  assert.is((await client.get(`${proxied}/away`)).headers.location, 'https://other.example/x');
});
test('answers keep status, type and body; headers for one connection or for other origins are left out', async () => {
  const { status, headers, text } = await client.get(`${namespace}/pods/web/proxy/teapot`);
  assert.equal([status, headers['content-type'], text], [418, 'text/x-tea', 'short and stout']);
  const hop = await client.get(`${namespace}/pods/web/proxy/hop`);
  assert.equal([hop.headers['x-hop'], hop.headers['x-kept']], [undefined, '2']);
  const cross = await client.get(`${namespace}/pods/web/proxy/cross-origin`);
  assert.equal([cross.headers['access-control-allow-origin'], cross.headers['x-own']], [undefined, 'kept']);
});
test('hints before the answer go through, the type of an answer that has none is told by its bytes', async () => {
  const socket = await connect(server);
  socket.write(
    `GET ${namespace}/pods/web/proxy/hints HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.tokens.admin}\r\nConnection: close\r\n\r\n`,
  );
  const text = Buffer.concat(await Array.fromAsync(socket)).toString();
  assert.match(text, /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a>; rel=preload\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  assert.match(text, /\r\ncontent-type: text\/html; charset=utf-8\r\n/i);
});
test('an answer that breaks off breaks off here too', async () => {
  const error = await client.get(`${namespace}/pods/web/proxy/half`).then(
    () => undefined,
    (reason) => reason,
  );
  assert.ok(error instanceof Error);
});
test('WebSockets are joined', async () => {
  const headers = { authorization: `Bearer ${server.tokens.admin}` };
  const socket = new WebSocket(`${server.url.replace('https', 'wss')}${namespace}/pods/web/proxy/live?x=1`, {
    headers,
    ca: authority(server),
  });
  const [hello] = await once(socket, 'message');
  assert.is(String(hello), 'hello /live?x=1');
  socket.send('and');
  const [again] = await once(socket, 'message');
  assert.is(String(again), 'again and');
  socket.close();
  await once(socket, 'close');
});

const refused: [path: string, code: number, message: RegExp][] = [
  ['pods/web:x:y/proxy/', 400, /^invalid pod request "web:x:y"$/],
  ['pods/ftp:web:1/proxy/', 400, /^invalid pod request/],
  ['pods/none/proxy/', 404, /^pods "none" not found$/],
  ['pods/loopback/proxy/', 400, /^address not allowed$/],
  ['pods/mapped/proxy/', 400, /^address not allowed$/],
  ['pods/link-local/proxy/', 400, /^address not allowed$/],
  ['pods/waiting/proxy/', 400, /^address not allowed$/],
  ['pods/web:x/proxy/', 400, /^invalid port "x"$/],
  ['pods/web:0/proxy/', 503, /^error trying to reach service: dial tcp 127\.0\.0\.1:0: connect: connection refused$/],
  ['pods/web:99999/proxy/', 503, /^error trying to reach service: dial tcp: address 99999: invalid port$/],
  ['pods/closed/proxy/', 503, /^error trying to reach service: dial tcp 127\.0\.0\.1:1: connect: connection refused$/],
  ['services/a:b:c:d/proxy/', 400, /^invalid service request "a:b:c:d"$/],
  ['services/none/proxy/', 404, /^services "none" not found$/],
  ['services/none:80/proxy/', 404, /^services "none" not found$/],
  ['services/bare:80/proxy/', 404, /^services "bare" not found$/],
  ['services/empty:80/proxy/', 503, /^no endpoints available for service "empty"$/],
  ['services/unready:80/proxy/', 503, /^no endpoints available for service "unready:80"$/],
  ['services/stranger:80/proxy/', 503, /^no endpoints available for service "stranger:80"$/],
  ['services/liar:80/proxy/', 503, /^no endpoints available for service "liar:80"$/],
  ['services/shop:81/proxy/', 503, /^no service port 81 found for service "shop"$/],
  ['services/shop:other/proxy/', 503, /^no endpoints available for service "shop:other"$/],
];
for (const [place, code, message] of refused)
  test(`refuses ${place}`, async () => {
    const { status, body } = await client.get(`${namespace}/${place}`);
    assert.is(status, code);
    assert.match(body.message, message);
    assert.equal(seen, []);
  });

test('a node: its agent by any of its names, another port of its machine', async () => {
  const nodes = '/api/v1/nodes';
  agent.asked.length = 0;
  for (const name of ['near', `near:${agent.port}`, `https:near:${agent.port}`])
    assert.is((await client.get(`${nodes}/${name}/proxy/x`)).text, 'agent: GET /x');
  assert.equal(
    agent.asked.map(({ client: shown }) => shown),
    Array(3).fill('apiserver-of-the-test'),
  );
  assert.is((await client.get(`${nodes}/near:${port}/proxy/`)).status, 200);
  assert.is(seen.splice(0).length, 1);
  assert.equal((await client.get(`${nodes}/none/proxy/`)).body.message, 'nodes "none" not found');
  assert.equal((await client.get(`${nodes}/a:b:c:d/proxy/`)).body.message, 'invalid node request "a:b:c:d"');
  assert.match(
    (await client.get(`${nodes}/nowhere/proxy/`)).body.message,
    /^no preferred addresses found; known addresses: \[\{Other 10\.1\.1\.1\}\]$/,
  );
});

test('two lengths, or a length beside chunks, never reach a pod', async () => {
  for (const lines of [
    ['Content-Length: 5', 'Content-Length: 6'],
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked, identity'],
  ]) {
    const head = [`POST ${namespace}/pods/web/proxy/x HTTP/1.1`, 'Host: x', `Authorization: Bearer ${server.tokens.admin}`, ...lines].join(
      '\r\n',
    );
    const [answer] = await exchange(server, `${head}\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`, 2_000);
    assert.is(answer?.status, 400);
  }
  assert.equal(seen, []);
});
test('links of a page lead through the proxy', async () => {
  const { text } = await client.get(`${namespace}/services/shop:web/proxy/page`);
  assert.is(text, `<script src="${namespace}/services/shop:web/proxy/app.js"></script><a href="https://other.example/">`);
});

test('what a backend says twice reaches clients on HTTP/2 too', async () => {
  const session = http2.connect(server.url, { ca: authority(server) });
  const stream = session.request({ ':path': `${namespace}/pods/web/proxy/twice`, authorization: `Bearer ${server.tokens.admin}` });
  const [, , raw] = (await once(stream, 'response')) as [unknown, unknown, string[]];
  const values = (wanted: string) => raw.filter((_, at) => at % 2 === 1 && raw[at - 1] === wanted);
  assert.equal(values('expires'), ['0', '-1']);
  assert.equal(values('x-content-type-options'), ['nosniff', 'nosniff']);
  assert.is((await stream.setEncoding('utf8').toArray()).join(''), 'ok');
  session.close();
});

test('what a backend answers before it has read a long body reaches the client', async () => {
  const early = createServer((_, response) => response.writeHead(401).end('who?'));
  early.listen(0, '127.0.0.1');
  await once(early, 'listening');
  const place = `${namespace}/pods/web:${(early.address() as AddressInfo).port}/proxy/`;
  const socket = await connect(server);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = once(socket, 'close');
  socket.write(
    `POST ${place} HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer ${server.tokens.admin}\r\nConnection: close\r\nContent-Length: 16777216\r\n\r\n`,
  );
  // a client that sends without looking: what it has not read is lost where the connection is reset
  const { _handle: handle } = socket as unknown as { _handle: { readStop(): void; readStart(): void } };
  handle.readStop();
  for (let i = 0; i < 5; i++) {
    socket.write(Buffer.alloc(64 * 1024));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (!socket.destroyed) handle.readStart();
  await closed;
  early.closeAllConnections();
  early.close();
  const [answer] = parseAnswers(Buffer.concat(chunks));
  assert.equal([answer?.status, answer?.text], [401, 'who?']);
});

test.run();

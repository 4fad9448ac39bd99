/** Requests for group versions that another API server answers: what reaches it, and what comes back. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket, WebSocketServer } from 'ws';
import type { AggregatedServer } from '../../aggregation/aggregated-server.ts';
import { LAMPS, LampCluster, ok } from '../../aggregation/lamp-cluster.ts';
import { authority } from '../../harness/client.ts';

const cluster = await LampCluster.start();
const { admin, alice, lamps, server } = cluster;
await cluster.serveLamps();
await cluster.discovered();

const test = suite('requests for other API servers');
test.after(() => cluster.stop());

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

for (const upgrade of [false, true])
  test(`what a client names in Connection takes nothing of who asks away${upgrade ? ', where it wants to switch protocols either' : ''}`, async () => {
    lamps.asked.length = 0;
    lamps.answer = (_, response) => response.end('x');
    const connection = ['X-Remote-User', 'X-Remote-Group', 'x-remote-extra-team', 'Audit-ID', 'Host', ...(upgrade ? ['Upgrade'] : [])].join(
      ', ',
    );
    const headers = {
      connection,
      ...(upgrade && { upgrade: 'websocket' }),
      'x-remote-user': 'mallory',
      'x-remote-group': 'others',
    };
    await admin.get(`${LAMPS}/lamps`, {
      ...headers,
      'impersonate-user': 'bob',
      'impersonate-group': 'system:masters',
      'impersonate-extra-team': 'red',
    });
    const told = Object.entries(lamps.clients[0]?.headers ?? {}).filter(([name]) => name.startsWith('x-remote'));
    assert.equal(Object.fromEntries(told), {
      'x-remote-user': 'bob',
      'x-remote-group': 'system:masters, system:authenticated',
      'x-remote-extra-team': 'red',
    });
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

test('a switch whose answer breaks off is told of as one that was under way', async () => {
  lamps.server.on('upgrade', (_, socket) => socket.end());
  const socket = new WebSocket(`wss://127.0.0.1:${server.port}${LAMPS}/lamps/one/connect`, {
    ca: authority(server),
    headers: { authorization: `Bearer ${server.tokens.admin}` },
  });
  socket.on('error', () => {});
  const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  assert.equal([answer.statusCode, await readText(answer)], [503, 'unexpected EOF\n']);
  socket.terminate();
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
  [
    'speaks no HTTP',
    (request) => request.socket.end('hello\r\n\r\n'),
    503,
    /^error trying to reach service: net\/http: HTTP\/1\.x transport connection broken: malformed HTTP response "hello"\n$/,
  ],
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

test.run();

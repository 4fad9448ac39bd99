/** Watches whose events are messages of a WebSocket. */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { authority, Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const ORIGIN = 'https://console.example';
const test = suite('watches over WebSocket');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  client = new Client(server);
});
test.after(async () => {
  client.close();
  await server.stop();
});

const create = async (name: string, labels = {}) =>
  (await client.post(CONFIGMAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } })).body;

interface Opened {
  readonly socket: WebSocket;
  /** the next message */
  next(): Promise<{ data: Buffer; binary: boolean }>;
}

async function open(path: string, headers: Record<string, string> = {}, protocols: string[] = []): Promise<Opened> {
  const url = server.url.replace('https', 'wss') + path;
  const socket = new WebSocket(url, protocols, {
    ca: authority(server),
    headers: { authorization: `Bearer ${server.tokens.admin}`, origin: ORIGIN, ...headers },
  });
  const messages: { data: Buffer; binary: boolean }[] = [];
  let wake = (): void => {};
  socket.on('message', (data: Buffer, binary: boolean) => {
    messages.push({ data, binary });
    wake();
  });
  await once(socket, 'open');
  return {
    socket,
    async next() {
      while (messages.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return messages.shift() as { data: Buffer; binary: boolean };
    },
  };
}

test('each event is a message of text', async () => {
  const { metadata } = await create('a', { in: 'yes' });
  const { socket, next } = await open(`${CONFIGMAPS}?watch=1&labelSelector=in%3Dyes&resourceVersion=0`, {}, ['one']);
  assert.is(socket.protocol, 'one');
  const first = await next();
  const event = JSON.parse(first.data.toString());
  assert.equal([first.binary, event.type, event.object.metadata.resourceVersion], [false, 'ADDED', metadata.resourceVersion]);
  // what the client says changes nothing
  socket.send('hello');
  await client.patch(`${CONFIGMAPS}/a`, { metadata: { labels: { in: null } } });
  const left = JSON.parse((await next()).data.toString());
  assert.equal([left.type, left.object.metadata.labels], ['DELETED', { in: 'yes' }]);
  socket.close();
  await once(socket, 'close');
});

test('protobuf comes as binary messages without a length before them', async () => {
  const { metadata } = await create('b');
  const { socket, next } = await open(`${CONFIGMAPS}?watch=1&resourceVersion=${metadata.resourceVersion}`, {
    accept: 'application/vnd.kubernetes.protobuf;stream=watch',
  });
  await create('c');
  const { data, binary } = await next();
  // message WatchEvent: type = 1, then object = 2
  assert.equal([binary, data.subarray(0, 7).toString('latin1'), data[7]], [true, '\n\u0005ADDED', 0x12]);
  assert.ok(data.includes('k8s\0'));
  socket.terminate();
});

test('the end of the time is the end of the WebSocket', async () => {
  const { socket } = await open(`${CONFIGMAPS}?watch=1&resourceVersion=1&timeoutSeconds=1&labelSelector=none`);
  const [code] = await once(socket, 'close');
  assert.is(code, 1000);
});

const REFUSED: [name: string, query: string, token: string, status: number][] = [
  ['a wrong selector', 'labelSelector=%3D%3D', 'admin-token', 400],
  ['who may not', '', 'alice-token', 403],
  ['an unknown token', '', 'nobody', 401],
];
for (const [name, query, token, status] of REFUSED)
  test(`${name} gets a Status`, async () => {
    const socket = new WebSocket(`${server.url.replace('https', 'wss')}${CONFIGMAPS}?watch=1&${query}`, {
      ca: authority(server),
      headers: { authorization: `Bearer ${token}` },
    });
    socket.on('error', () => {});
    const [, response] = await once(socket, 'unexpected-response');
    const chunks = await Array.fromAsync(response as AsyncIterable<Buffer>);
    assert.equal([response.statusCode, JSON.parse(Buffer.concat(chunks).toString()).kind], [status, 'Status']);
  });

const HANDSHAKES: [name: string, origin: string | undefined, protocols: string[], status: number][] = [
  ['no page', undefined, [], 403],
  ['a page that keeps its origin secret', 'null', [], 403],
  ['a page that offers two subprotocols', ORIGIN, ['one', 'two'], 400],
];
for (const [name, origin, protocols, status] of HANDSHAKES)
  test(`the handshake of ${name} is refused, as in 1.32`, async () => {
    const headers = { authorization: `Bearer ${server.tokens.admin}`, ...(origin && { origin }) };
    const socket = new WebSocket(`${server.url.replace('https', 'wss')}${CONFIGMAPS}?watch=1`, protocols, {
      ca: authority(server),
      headers,
    });
    socket.on('error', () => {});
    const [, response] = await once(socket, 'unexpected-response');
    assert.equal([response.statusCode, (await Array.fromAsync(response)).length], [status, 0]);
  });

test('a switch that is none is refused, and nothing else', async () => {
  const headers = { connection: 'upgrade', upgrade: 'websocket', origin: ORIGIN, 'sec-websocket-version': '13', 'sec-websocket-key': 'x' };
  assert.is((await client.get(`${CONFIGMAPS}?watch=1`, headers)).status, 400);
});

test('a switch to another version is refused with the one that there is', async () => {
  const socket = new WebSocket(`${server.url.replace('https', 'wss')}${CONFIGMAPS}?watch=1`, {
    ca: authority(server),
    headers: { authorization: 'Bearer admin-token' },
    protocolVersion: 8,
  });
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  const chunks = await Array.fromAsync(response as AsyncIterable<Buffer>);
  const found = [response.statusCode, response.headers['sec-websocket-version'], Buffer.concat(chunks).toString()];
  assert.equal(found, [400, '13', 'missing or bad WebSocket Version']);
});

test('without a switch it is a stream as ever', async () => {
  const watch = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=0`);
  assert.is((await watch.next()).type, 'ADDED');
  watch.close();
  assert.equal(server.faults(), []);
});
test.run();

/** Watchers that stop reading: they are closed, what waits for them is bounded, and nobody else notices. */
import { once } from 'node:events';
import http2 from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authority, Client } from '../../harness/client.ts';
import { connect } from '../../harness/raw.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const STALLED = 5;
/** 20 MB for each watcher: more than the buffers of all sockets on the way take. */
const UPDATES = 40;
const TEXT = 'x'.repeat(500_000);
const CLOSED = 'a watcher is too slow and was closed';

const test = suite('slow watchers');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'cluster', flags: ['-v=1', '--controllers=-*'] });
  client = new Client(server);
});
test.after(async () => {
  client.close();
  await server.stop();
});

const watchPath = (resourceVersion: string) => `${CONFIGMAPS}?watch=1&resourceVersion=${resourceVersion}`;

/** A watch on HTTP/1.1 whose client reads the head of the answer and nothing more. */
async function stalledWatch(resourceVersion: string, headers: readonly string[] = []): Promise<TLSSocket> {
  const socket = await connect(server);
  const head = ['Host: x', `Authorization: Bearer ${server.tokens.admin}`, 'Accept: application/json', ...headers];
  socket.write(`GET ${watchPath(resourceVersion)} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  return socket;
}

const WEB_SOCKET = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Origin: https://console.example',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
];

/** The same on HTTP/2, where it is the stream's window that fills. */
async function stalledStream(resourceVersion: string): Promise<http2.ClientHttp2Session> {
  const session = http2.connect(server.url, { ca: authority(server) });
  session.on('error', () => {});
  const stream = session.request({ ':path': watchPath(resourceVersion), authorization: `Bearer ${server.tokens.admin}` });
  stream.on('error', () => {});
  await once(stream, 'response');
  return session;
}

async function createObject(name: string): Promise<string> {
  const { body } = await client.post(CONFIGMAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  return body.metadata.resourceVersion;
}

async function update(name: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { status } = await client.put(`${CONFIGMAPS}/${name}`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { number: String(i), text: TEXT },
    });
    assert.is(status, 200);
  }
}

const closed = (): number => server.log().split(CLOSED).length - 1;

async function closedWatchers(count: number): Promise<void> {
  for (let waited = 0; closed() < count; waited += 100) {
    if (waited > 20_000) throw new Error(`${closed()} of ${count} watchers were closed`);
    await sleep(100);
  }
}

test('are closed, while others get every event', async () => {
  // what the same changes take without anybody who is slow: the thread for long bodies, pages of the store, memory that is kept for the next ones
  await createObject('first');
  await update('first', UPDATES);
  const from = await createObject('big');
  const before = await server.residentBytes();
  const sockets = await Promise.all(Array.from({ length: STALLED }, () => stalledWatch(from)));
  sockets.push(await stalledWatch(from, WEB_SOCKET));
  const session = await stalledStream(from);
  const reading = await client.watch(watchPath(from));
  const numbers: string[] = [];
  const read = (async () => {
    while (numbers.length < UPDATES) numbers.push((await reading.next()).object.data.number);
  })();
  await update('big', UPDATES);
  await read;
  assert.equal(
    numbers,
    Array.from({ length: UPDATES }, (_, i) => String(i)),
  );
  const grown = (await server.residentBytes()) - before;
  await closedWatchers(STALLED + 2);
  reading.close();
  for (const socket of sockets) socket.destroy();
  session.destroy();
  // unbounded they would have held 20 MB each, which is 140 MB
  assert.ok(grown < 100e6, `resident memory grew by ${Math.round(grown / 1e6)} MB`);
  assert.equal(server.faults(), []);
});

test('that read again in time get every event', async () => {
  const from = await createObject('later');
  const socket = await stalledWatch(from);
  await update('later', 20);
  const chunks: Buffer[] = [];
  const all = new Promise<void>((resolve) => {
    socket.on('data', (bytes: Buffer) => {
      chunks.push(bytes);
      if (Buffer.concat(chunks.slice(-2)).includes('"number":"19"')) resolve();
    });
  });
  socket.resume();
  await Promise.race([all, sleep(20_000, undefined, { ref: false })]);
  socket.destroy();
  const text = Buffer.concat(chunks).toString('latin1');
  const numbers = [...text.matchAll(/"number":"(\d+)"/g)].map(([, number]) => Number(number));
  assert.equal(
    numbers,
    Array.from({ length: 20 }, (_, i) => i),
  );
});

test('that resume far behind are not taken for slow ones', async () => {
  const from = await createObject('behind');
  await update('behind', 12);
  const watch = await client.watch(watchPath(from));
  for (let i = 0; i < 12; i++) assert.is((await watch.next()).object.data.number, String(i));
  watch.close();
});

test('that take longer over the objects that are there get them all', async () => {
  const path = '/api/v1/namespaces/full/configmaps';
  await client.post('/api/v1/namespaces', { metadata: { name: 'full' } });
  const names = Array.from({ length: 30 }, (_, i) => `map-${10 + i}`);
  for (const name of names) await client.post(path, { metadata: { name }, data: { text: TEXT } });
  const socket = await connect(server);
  socket.write(
    `GET ${path}?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.tokens.admin}\r\nAccept: application/json\r\n\r\n`,
  );
  await once(socket, 'data');
  socket.pause();
  // One that is slow about changes, and begins to be later, is closed meanwhile.
  const from = await createObject('meanwhile');
  const before = closed();
  const slow = await stalledWatch(from);
  await update('meanwhile', UPDATES);
  await closedWatchers(before + 1);
  slow.destroy();
  let seen = '';
  const all = new Promise<void>((resolve) => {
    socket.on('data', (bytes: Buffer) => {
      seen += bytes.toString('latin1').replaceAll(/x{2,}/g, '');
      if (seen.includes(names.at(-1) as string)) resolve();
    });
  });
  socket.resume();
  await Promise.race([all, once(socket, 'close'), sleep(20_000, undefined, { ref: false })]);
  socket.destroy();
  assert.ok(seen.includes(names.at(-1) as string), 'the last object has arrived');
});

test.run();

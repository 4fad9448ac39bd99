/** Connections that break off, drip, stall or are no TLS at all: the server goes on serving others, within bounds. */
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authority, Client } from '../../harness/client.ts';
import { assertAnswers, assertRefused, attacksOn } from '../../harness/hostile.ts';
import { connect, exchange } from '../../harness/raw.ts';
import { startServer } from '../../harness/server.ts';

const test = suite('hostile connections');

const server = await startServer({ dialect: 'kubernetes', flags: ['-v=1'] });
const client = new Client(server);
const attack = attacksOn(server, test);
test.after(async () => {
  client.close();
  await server.stop();
});

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const bearer = `Authorization: Bearer ${server.tokens.admin}`;
const head = (method: string, path: string, ...headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', bearer, ...headers, '', ''].join('\r\n');
const MEBIBYTE = 1024 * 1024;
/** Milliseconds; far above what anything here takes. */
const PATIENCE = 30_000;

/** What comes back on a plain TCP connection until the server closes it. */
async function plain(bytes: string | Buffer): Promise<string> {
  const socket = net.connect(server.port, '127.0.0.1');
  let seen = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    seen += text;
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close', { signal: AbortSignal.timeout(PATIENCE) });
  return seen;
}

attack('garbage instead of TLS', async () => {
  await plain(Buffer.from(Array.from({ length: 10_000 }, (_, i) => (i * 131 + 7) & 255)));
  await plain('GET /api/v1/pods HTTP/1.1\r\nHost: x\r\n\r\n');
  await plain('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  // A handshake that promises 16 KB and stops.
  const stopped = net.connect(server.port, '127.0.0.1').on('error', () => {});
  stopped.write(Buffer.concat([Buffer.from([0x16, 3, 1, 0x40, 0]), Buffer.alloc(100, 1)]));
  await assertAnswers(server);
  stopped.destroy();
});

attack('garbage inside TLS', async () => {
  const answers = await exchange(server, Buffer.from(Array.from({ length: 10_000 }, (_, i) => (i * 131 + 7) & 255)));
  for (const { status } of answers) assert.is(status, 400);
});

attack('connections that are opened and nothing else', async () => {
  const sockets = await Promise.all(Array.from({ length: 50 }, () => connect(server)));
  const bare = Array.from({ length: 50 }, () => net.connect(server.port, '127.0.0.1').on('error', () => {}));
  await assertAnswers(server);
  for (const socket of [...sockets, ...bare]) socket.destroy();
});

attack('headers that drip', async () => {
  const sockets = await Promise.all(Array.from({ length: 30 }, () => connect(server)));
  for (const socket of sockets) socket.write('GET /version HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  for (let i = 0; i < 10; i++) {
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write('a', resolve))));
    assert.is((await client.get('/version')).status, 200);
  }
  for (const socket of sockets) socket.destroy();
});

attack('bodies that drip, then break off', async () => {
  const sockets = await Promise.all(Array.from({ length: 30 }, () => connect(server)));
  const lines = ['Content-Type: application/json', 'Content-Length: 1000', 'Expect: 100-continue'];
  for (const socket of sockets) socket.write(head('POST', CONFIGMAPS, ...lines));
  // The server asks for each body, and waits for it.
  for (const [invited] of await Promise.all(sockets.map((socket) => once(socket, 'data'))))
    assert.match(String(invited), /^HTTP\/1\.1 100 /);
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write('{"a', resolve))));
  assert.is((await client.get('/version')).status, 200);
  for (const socket of sockets) socket.destroy();
});

attack('a client that closes its half', async () => {
  const socket = await connect(server);
  const seen: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => seen.push(chunk));
  socket.end(head('GET', '/version', 'Connection: close'));
  const timer = setTimeout(() => socket.destroy(), 5_000);
  await once(socket, 'close');
  clearTimeout(timer);
  const text = Buffer.concat(seen).toString();
  assert.ok(text === '' || text.startsWith('HTTP/1.1 200'), text);
});

attack('a watch whose client closes its half, and one whose client vanishes', async () => {
  for (const leave of [(socket: TLSSocket) => socket.end(), (socket: TLSSocket) => socket.destroy()]) {
    const socket = await connect(server);
    socket.write(head('GET', `${CONFIGMAPS}?watch=1`));
    await once(socket, 'data');
    leave(socket);
    await client.get('/version');
    await client.post(CONFIGMAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'left-' } });
    socket.destroy();
  }
});

attack('200 requests that are given up', async () => {
  const agent = new https.Agent({ keepAlive: true, ca: authority(server), maxSockets: 20 });
  const give = (index: number) =>
    new Promise<void>((resolve) => {
      const post = index % 2 === 0;
      const headers = { authorization: `Bearer ${server.tokens.admin}`, 'content-type': 'application/json' };
      const request = https.request(server.url + CONFIGMAPS, { method: post ? 'POST' : 'GET', headers, agent });
      request.on('error', () => {});
      request.on('close', () => resolve());
      if (post) request.write(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"given-up-"},"data":{"a":"`);
      else request.end();
      // before there is a connection, when there is one, when it may have been written, behind a request of somebody else, at the answer
      const leave = () => request.destroy();
      if (index % 10 < 2) leave();
      else if (index % 10 < 4) request.once('socket', leave);
      else if (index % 10 < 6)
        request.once('socket', (socket) => (socket.connecting ? socket.once('secureConnect', leave) : setImmediate(leave)));
      else if (index % 10 < 8 || post) request.once('socket', () => void client.get('/version').then(leave, leave));
      else request.once('response', leave);
    });
  await Promise.all(Array.from({ length: 200 }, (_, index) => give(index)));
  agent.destroy();
});

attack('500 streams of HTTP/2 that are reset at once', async () => {
  const session = http2.connect(server.url, { ca: authority(server) });
  session.on('error', () => {});
  await once(session, 'connect');
  for (let i = 0; i < 500; i++) {
    const stream = session.request({ ':path': CONFIGMAPS, authorization: `Bearer ${server.tokens.admin}` });
    stream.on('error', () => {});
    stream.close(http2.constants.NGHTTP2_CANCEL);
  }
  // The answer to a ping stands behind all that the server makes of what came before.
  await new Promise((resolve) => session.ping(resolve));
  session.destroy();
});

attack('HTTP/2 and HTTP/1.1 give the same answer', async () => {
  const one = await client.get('/api/v1/namespaces/default');
  const session = http2.connect(server.url, { ca: authority(server) });
  const stream = session.request({
    ':path': '/api/v1/namespaces/default',
    accept: 'application/json',
    authorization: `Bearer ${server.tokens.admin}`,
  });
  const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader];
  const text = Buffer.concat(await Array.fromAsync(stream)).toString();
  session.close();
  assert.is(headers[':status'], 200);
  assert.is(headers['content-type'], one.headers['content-type']);
  assert.is(text, one.text);
});

attack('100 requests at once on one connection of HTTP/2, bodies above the limit among them', async () => {
  const session = http2.connect(server.url, { ca: authority(server), maxSessionMemory: 100 });
  const large = Buffer.alloc(4 * MEBIBYTE, 'x');
  const ask = (index: number) =>
    new Promise<number>((resolve, reject) => {
      const post = index % 25 === 0;
      const stream = session.request({
        ':method': post ? 'POST' : 'GET',
        ':path': CONFIGMAPS,
        'content-type': 'application/json',
        authorization: `Bearer ${server.tokens.admin}`,
      });
      let status = 0;
      stream.on('response', (headers) => {
        status = Number(headers[':status']);
      });
      // The server may reset a body that it has refused already.
      stream.on('error', (error) => (status === 0 ? reject(error) : resolve(status)));
      stream.on('close', () => resolve(status));
      stream.resume().end(post ? large : undefined);
    });
  const statuses = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(index)));
  session.destroy();
  assert.equal(
    statuses.map((status, index) => (index % 25 === 0 ? status === 413 : status === 200)),
    statuses.map(() => true),
    String(statuses),
  );
});

attack('pipelining: answers come in the order of the requests', async () => {
  const paths = ['/version', '/nothing', CONFIGMAPS, '/readyz', '/api/v1/namespaces/default', '/apis'];
  const answers = await exchange(
    server,
    paths.map((path, i) => head('GET', path, ...(i === paths.length - 1 ? ['Connection: close'] : []))).join(''),
  );
  assert.equal(
    answers.map(({ status }) => status),
    [200, 404, 200, 200, 200, 200],
  );
  assert.is(answers[4]?.body.metadata.name, 'default');
  assert.is(answers[5]?.body.kind, 'APIGroupList');
});

const smuggling: readonly { name: string; request: string }[] = [
  { name: 'two lengths', request: head('POST', CONFIGMAPS, 'Content-Length: 2', 'Content-Length: 30') },
  { name: 'a length and chunks', request: `${head('POST', CONFIGMAPS, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n` },
  { name: 'a negative length', request: head('POST', CONFIGMAPS, 'Content-Length: -1') },
  { name: 'a chunk without a size', request: `${head('POST', CONFIGMAPS, 'Transfer-Encoding: chunked')}zz\r\n` },
  { name: 'a header without a name', request: head('GET', CONFIGMAPS, ': x') },
  { name: 'a folded header', request: head('GET', CONFIGMAPS, 'X-A: b', ' c') },
  { name: 'a header with U+0000', request: head('GET', CONFIGMAPS, 'X-A: \0') },
  { name: 'no host', request: `GET /version HTTP/1.1\r\n${bearer}\r\n\r\n` },
];
for (const { name, request } of smuggling)
  attack(`${name} is refused`, async () => {
    const [answer] = await exchange(server, request);
    assert.ok(answer === undefined || answer.status === 400, `${answer?.status} ${answer?.text}`);
  });

attack('what follows a refused body is not taken for a request', async () => {
  const body = 'x'.repeat(4 * MEBIBYTE);
  const answers = await exchange(
    server,
    `${head('POST', CONFIGMAPS, `Content-Length: ${body.length}`)}${body}${head('DELETE', CONFIGMAPS, 'Connection: close')}`,
  );
  // A server that hangs up on the rest of a body may take its answer with it.
  if (answers[0] !== undefined) assertRefused(answers[0], 413);
  for (const answer of answers.slice(1)) assert.is.not(answer.status, 400);
});

/** The server has given up a watcher that took nothing for too long. */
async function slowWatcherClosed(): Promise<void> {
  for (const end = Date.now() + PATIENCE; !server.log().includes('a watcher is too slow and was closed'); await sleep(50))
    assert.ok(Date.now() < end, 'the watch of the client that did not read is still open');
}

const EVENTS = 56;
const EVENT_BYTES = 900_000;

attack('50 MB of events for a watcher that does not read', async () => {
  const path = `${CONFIGMAPS}/large`;
  await client.post(CONFIGMAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large' }, data: { a: '' } });
  const query = '?watch=1&fieldSelector=metadata.name%3Dlarge';
  const stalled = await connect(server);
  stalled.write(head('GET', CONFIGMAPS + query));
  await once(stalled, 'data');
  stalled.pause();
  const reader = await client.watch(CONFIGMAPS + query);
  const before = await server.residentBytes();
  let seen = 0;
  for (let i = 0; i < EVENTS; i++) {
    const { status, text } = await client.patch(path, { data: { a: String(i).padEnd(EVENT_BYTES, 'x') } });
    assert.is(status, 200, text.slice(0, 300));
    await reader.until((event) => event.object.data.a.startsWith(`${i}x`));
    seen++;
  }
  reader.close();
  assert.is(seen, EVENTS);
  const grown = (await server.residentBytes()) - before;
  assert.ok(grown < 300 * MEBIBYTE, `the server holds ${Math.round(grown / MEBIBYTE)} MiB more`);

  // The buffers of the system hold less than all events.
  await slowWatcherClosed();
  let received = 0;
  stalled.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  stalled.resume();
  const ended = await once(stalled, 'close', { signal: AbortSignal.timeout(PATIENCE) }).then(
    () => true,
    () => false,
  );
  stalled.destroy();
  assert.ok(ended, 'the watch of the client that did not read is still open');
  assert.ok(received < (EVENTS * EVENT_BYTES) / 2, `${received} bytes were kept for it`);
});

attack('20 lists of 45 MB for clients that do not read', async () => {
  // one after the other: of bodies that come slowly the server takes few at once
  for (let i = 0; i < 50; i++) {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `filler-${i}` }, data: { a: 'x'.repeat(EVENT_BYTES) } };
    assert.is((await client.post('/api/v1/namespaces/kube-public/configmaps', body)).status, 201);
  }
  const before = await server.residentBytes();
  const sockets = await Promise.all(Array.from({ length: 20 }, () => connect(server)));
  const begun = sockets.map(async (socket) => {
    socket.write(head('GET', '/api/v1/namespaces/kube-public/configmaps'));
    await once(socket, 'data');
    socket.pause();
  });
  await Promise.all(begun);
  // As much as the server can do for them it has done when another client has all of it.
  assert.is((await client.get('/api/v1/namespaces/kube-public/configmaps')).body.items.length >= 50, true);
  const grown = (await server.residentBytes()) - before;
  await assertAnswers(server);
  for (const socket of sockets) socket.destroy();
  assert.ok(grown < 400 * MEBIBYTE, `the server holds ${Math.round(grown / MEBIBYTE)} MiB more`);
});

attack('100 lists on HTTP/2 whose client takes nothing and leaves: lists go on', async () => {
  const path = '/api/v1/namespaces/kube-public/configmaps';
  const session = http2.connect(server.url, { ca: authority(server), settings: { initialWindowSize: 0 } });
  session.on('error', () => {});
  const begun = Array.from({ length: 100 }, () => {
    const stream = session.request({ ':path': path, authorization: `Bearer ${server.tokens.admin}` });
    return Promise.race([
      once(stream, 'response'),
      once(
        stream.on('error', () => {}),
        'close',
      ),
    ]);
  });
  await Promise.any(begun);
  await new Promise((resolve) => session.ping(resolve));
  session.destroy();
  for (let i = 0; i < 3; i++) {
    const { status, text } = await client.get(path);
    assert.is(status, 200, text.slice(0, 300));
  }
});

attack('what was begun and given up has left nothing behind', async () => {
  const { body } = await client.get(`${CONFIGMAPS}?fieldSelector=metadata.name!%3Dlarge`);
  const names: string[] = body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
  assert.equal(
    names.filter((name) => name.startsWith('given-up-')),
    [],
  );
});

test.run();

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forwarded } from '../../../runtime/relay/relay-request.ts';
import { type Certificates, ensureCertificates } from '../../../runtime/server/certificates/certificates.ts';
import { type Listener, type ListenOptions, listen } from '../../../runtime/server/listener/listen.ts';
import { eventually } from '../../harness/eventually.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'listen-'));
const certificates: Certificates = await ensureCertificates({ folder, names: ['127.0.0.1'], administrator: 'admin' });
const trust = { ca: certificates.authority, host: '127.0.0.1' };
const clientCertificate = { cert: certificates.administrator.certificate, key: certificates.administrator.key };

interface Answering extends IncomingMessage {
  socket: TLSSocket;
}

/** Answers to `/held` that have not been given yet. */
const held: ServerResponse[] = [];

/** `/who` tells what the connection is, `/held` waits for `release`, `/never` gets no answer. */
function handler(request: Answering, response: ServerResponse): void {
  if (request.url === '/never') return;
  if (request.url === '/held') return void held.push(response);
  const { authorized } = request.socket;
  const user = request.socket.getPeerCertificate().subject?.CN;
  response.end(JSON.stringify({ version: request.httpVersion, authorized, user, resumed: request.socket.isSessionReused() }));
}

const listeners: Listener[] = [];
async function start(options: Partial<ListenOptions> = {}): Promise<Listener> {
  const tls = { ...certificates.serving, clientAuthorities: [certificates.clientAuthority] };
  const listener = await listen({ handler, tls, address: '127.0.0.1', port: 0, ...options });
  listeners.push(listener);
  return listener;
}
async function closeAll(): Promise<void> {
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
}

function getHttp1(port: number, url: string, options: object = {}): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const request = requestHttps({ ...trust, agent: false, port, path: url, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('error', reject).end();
  });
}

function openHttp2(port: number): ClientHttp2Session {
  return connectHttp2(`https://127.0.0.1:${port}`, { ca: certificates.authority }).on('error', () => {});
}

async function getHttp2(session: ClientHttp2Session, url: string, headers = {}): Promise<{ headers: IncomingHttpHeaders; text: string }> {
  const stream = session.request({ ':path': url, ...headers });
  const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return { headers: answer, text };
}

async function openTls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ ...trust, port, ...options }).on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** All until the connection is closed, in whatever way. */
async function readAll(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  // not once(), which an error before would reject
  await new Promise((resolve) => socket.on('close', resolve));
  return text;
}

/** Answers to `/held` as soon as there are as many. */
async function release(count: number): Promise<void> {
  await until(() => held.length === count);
  for (const response of held.splice(0)) response.end('held');
}

/** Behind it the server has seen to all that had come on other connections. */
async function roundTrips(port: number): Promise<void> {
  for (let i = 0; i < 3; i++) await getHttp1(port, '/other');
}

/** Resolves when the limit has passed for a body that begins to arrive now, and never ends. */
async function lateBody(port: number): Promise<void> {
  const socket = await openTls(port, { ALPNProtocols: ['http/1.1'] });
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nbegun');
  assert.match(await readAll(socket), /^HTTP\/1.1 408 /);
}

const until = (condition: () => boolean): Promise<void> => eventually(String(condition), condition);

const protocols = suite('protocols');
protocols.after.each(closeAll);
protocols('HTTP/1.1 and HTTP/2 on one port', async () => {
  const { port } = await start();
  assert.match((await getHttp1(port, '/who')).text, '"version":"1.1"');
  const session = openHttp2(port);
  assert.match((await getHttp2(session, '/who')).text, '"version":"2.0"');
  session.close();
});
protocols('HTTP/1.1 alone when HTTP/2 is off', async () => {
  const { port } = await start({ http2: false });
  const socket = await openTls(port, { ALPNProtocols: ['h2', 'http/1.1'] });
  assert.is(socket.alpnProtocol, 'http/1.1');
  socket.destroy();
});
protocols('TLS 1.2 is spoken, and not when 1.3 is the oldest', async () => {
  const { port } = await start();
  const socket = await openTls(port, { maxVersion: 'TLSv1.2' });
  assert.is(socket.getProtocol(), 'TLSv1.2');
  socket.destroy();
  const strict = await start({ tls: { ...certificates.serving, clientAuthorities: [], minVersion: 'TLSv1.3' } });
  const refused = connectTls({ ...trust, port: strict.port, maxVersion: 'TLSv1.2' });
  const [error] = await once(refused, 'error');
  assert.match(String(error), /alert protocol version/i);
});
const suites: [name: string, cipherSuites: readonly string[], client: ConnectionOptions, chosen: string][] = [
  ['AES with 128 bits of those that a client likes equally', [], {}, 'TLS_AES_128_GCM_SHA256'],
  [
    'what its client prefers for want of AES',
    [],
    { ciphers: 'TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256' },
    'TLS_CHACHA20_POLY1305_SHA256',
  ],
  ['AES with 128 bits before TLS 1.3 as well', [], { maxVersion: 'TLSv1.2' }, 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['what is asked for', ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'], { maxVersion: 'TLSv1.2' }, 'ECDHE-ECDSA-AES256-GCM-SHA384'],
];
for (const [name, cipherSuites, client, chosen] of suites)
  protocols(`the cipher of a connection is ${name}`, async () => {
    const { port } = await start({ tls: { ...certificates.serving, clientAuthorities: [], cipherSuites } });
    const socket = await openTls(port, client);
    assert.is(socket.getCipher().name, chosen);
    socket.destroy();
  });
protocols('a connection has one handshake', async () => {
  const { port } = await start();
  const socket = await openTls(port, { maxVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] });
  const answer = await new Promise<unknown>((resolve) => {
    socket.on('error', resolve);
    socket.on('close', () => resolve('closed'));
    socket.renegotiate({ rejectUnauthorized: true }, (error) => resolve(error ?? 'again'));
  });
  assert.is.not(answer, 'again');
  socket.destroy();
});
protocols('a client that closes its side is gone', async () => {
  const aborted = Promise.withResolvers<void>();
  const handler = (_: IncomingMessage, response: ServerResponse): unknown => response.on('close', () => aborted.resolve());
  const { port } = await start({ handler });
  const socket = await openTls(port, { ALPNProtocols: ['http/1.1'] });
  socket.end('GET /never HTTP/1.1\r\nHost: x\r\n\r\n');
  await Promise.all([aborted.promise, once(socket.resume(), 'close')]);
});
protocols('requests of one connection of HTTP/1.1 are answered one after the other, and no more of them read than that takes', async () => {
  const begun: string[] = [];
  const held: ServerResponse[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    begun.push(request.url ?? '');
    if (request.url?.startsWith('/hold')) held.push(response);
    else response.end(request.url);
  };
  const { port } = await start({ handler: answer });
  const socket = await openTls(port, { ALPNProtocols: ['http/1.1'] });
  const head = (url: string, ...lines: string[]): string => `${[`GET ${url} HTTP/1.1`, 'Host: x', ...lines].join('\r\n')}\r\n\r\n`;
  socket.write(head('/hold/1') + head('/second') + head('/hold/3') + head('/fourth', 'Connection: close'));
  await until(() => held.length === 1);
  await roundTrips(port);
  assert.equal(
    begun.filter((url) => url !== '/other'),
    ['/hold/1'],
  );
  held[0]?.end('first');
  await until(() => held.length === 2);
  held[1]?.end('third');
  const text = await readAll(socket);
  assert.equal(
    begun.filter((url) => url !== '/other'),
    ['/hold/1', '/second', '/hold/3', '/fourth'],
  );
  assert.match(text, /first.*\/second.*third.*\/fourth$/s);

  const flood = await openTls(port, { ALPNProtocols: ['http/1.1'] });
  const requests = head('/hold/flood', `X: ${'x'.repeat(1_000)}`).repeat(20_000);
  flood.write(requests);
  await until(() => begun.includes('/hold/flood'));
  for (let before = -1; before !== flood.writableLength; ) {
    before = flood.writableLength;
    await roundTrips(port);
  }
  assert.ok(flood.writableLength > requests.length / 4, 'the server has read them all');
  flood.destroy();
  await roundTrips(port);
  assert.is(begun.filter((url) => url === '/hold/flood').length, 1);
});
protocols('a request on HTTP/2 whose body does not end is closed after its answer', async () => {
  const { port } = await start({ handler: (_request: IncomingMessage, response: ServerResponse) => response.end('answered') });
  const session = openHttp2(port);
  const stream = session.request({ ':path': '/', ':method': 'POST' });
  stream.write('and so on');
  const [headers] = await once(stream, 'response');
  assert.is(headers[':status'], 200);
  stream.resume();
  await once(stream, 'close');
  assert.is(stream.rstCode, 0);
  session.close();
});
protocols('a connection asks anew after GOAWAY', async () => {
  const { port } = await start({ goawayChance: 1 });
  const session = openHttp2(port);
  const goaway = once(session, 'goaway');
  const answer = getHttp2(session, '/held');
  await release(1);
  assert.is((await answer).text, 'held');
  await goaway;
});
protocols('new connections get a renewed certificate', async () => {
  const listener = await start();
  const before = await openTls(listener.port);
  const other = await ensureCertificates({ folder: path.join(folder, 'other'), names: ['127.0.0.1'], administrator: 'admin' });
  listener.renew({ ...other.serving, clientAuthorities: [] });
  const after = await openTls(listener.port, { ca: other.authority });
  assert.is.not(after.getPeerCertificate().serialNumber, before.getPeerCertificate().serialNumber);
  before.destroy();
  after.destroy();
});
protocols.run();

const clients = suite('client certificates');
clients.after.each(closeAll);
const shown: [name: string, options: object, answer: object][] = [
  ['none', {}, { authorized: false }],
  ['one that an authority signed', clientCertificate, { authorized: true, user: 'admin' }],
  [
    'one that no authority signed',
    { cert: certificates.serving.certificate, key: certificates.serving.key },
    { authorized: false, user: 'cluster-apiserver' },
  ],
];
for (const [name, options, answer] of shown)
  clients(name, async () => {
    const { port } = await start();
    assert.equal(JSON.parse((await getHttp1(port, '/who', options)).text), { version: '1.1', resumed: false, ...answer });
  });
clients('is known again on a resumed connection', async () => {
  const { port } = await start();
  const first = await openTls(port, { ...clientCertificate, ALPNProtocols: ['http/1.1'] });
  const [session] = await once(first, 'session');
  first.destroy();
  const answer = await getHttp1(port, '/who', { ...clientCertificate, session });
  assert.equal(JSON.parse(answer.text), { version: '1.1', authorized: true, user: 'admin', resumed: true });
});
clients('nobody is asked, and nobody believed, without authorities', async () => {
  const { port } = await start({ tls: { ...certificates.serving, clientAuthorities: [] } });
  assert.equal(JSON.parse((await getHttp1(port, '/who', clientCertificate)).text), { version: '1.1', authorized: false, resumed: false });
});
clients.run();

const limits = suite('limits');
limits.after.each(closeAll);
limits('a head of 900 KB is read over HTTP/1.1', async () => {
  const { port } = await start();
  assert.is((await getHttp1(port, '/who', { headers: { long: 'x'.repeat(900_000) } })).status, 200);
});
limits('a head of 120 KB in small frames is read over HTTP/2', async () => {
  const { port } = await start();
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: certificates.authority, maxSendHeaderBlockLength: 2 ** 20 });
  const headers = { one: 'x~'.repeat(30_000), two: 'y~'.repeat(30_000) };
  assert.is((await getHttp2(session, '/who', headers)).headers[':status'], 200);
  session.close();
});
limits('a head above 1 MiB is refused', async () => {
  const { port } = await start();
  const socket = await openTls(port, { ALPNProtocols: ['http/1.1'] });
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\nlong: ${'x'.repeat(1_100_000)}\r\n\r\n`);
  assert.match(await readAll(socket), /^HTTP\/1.1 431 /);
});
limits('a head that does not arrive in time is refused', async () => {
  const { port } = await start({ limits: { headers: 100 } });
  const socket = await openTls(port, { ALPNProtocols: ['http/1.1'] });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
  assert.match(await readAll(socket), /^HTTP\/1.1 408 /);
});
const BODIES: [name: string, head: string, part: string, rest: string][] = [
  ['of a length', 'Content-Length: 10', 'begun', 'ended'],
  ['in chunks', 'Transfer-Encoding: chunked', '5\r\nbegun\r\n', '5\r\nended\r\n0\r\n\r\n'],
];
for (const [name, head, part, rest] of BODIES) {
  const request = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n\r\n${part}`;
  const echo = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of message) text += chunk;
    response.end(text);
  };
  limits(`a body ${name} that does not arrive in time is refused`, async () => {
    const { port } = await start({ limits: { arrival: 100 }, handler: (...exchange) => echo(...exchange).catch(() => {}) });
    const socket = await openTls(port, { ALPNProtocols: ['http/1.1'] });
    socket.write(request);
    assert.match(await readAll(socket), /^HTTP\/1.1 408 /);
  });
  limits(`a body ${name} that is there may be answered late`, async () => {
    const answering = Promise.withResolvers<void>();
    const late = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
      await answering.promise;
      await echo(message, response).catch(() => {});
    };
    const { port } = await start({ limits: { arrival: 50 }, handler: late });
    const socket = await openTls(port, { ALPNProtocols: ['http/1.1'] });
    socket.write(request + rest);
    await lateBody(port);
    answering.resolve();
    assert.match(await readAll(socket), /^HTTP\/1.1 200 .*begunended/s);
  });
  limits(`a body ${name} that is passed on may take longer`, async () => {
    const passOn = (message: IncomingMessage, response: ServerResponse): Promise<void> => {
      if (message.headers.host === 'x.passed-on') forwarded(message, { host: '127.0.0.1', port: 1 }, '/');
      return echo(message, response).catch(() => {});
    };
    const { port } = await start({ limits: { arrival: 50 }, handler: passOn });
    const socket = await openTls(port, { ALPNProtocols: ['http/1.1'] });
    socket.write(request.replace('Host: x', 'Host: x.passed-on'));
    await lateBody(port);
    socket.write(rest);
    assert.match(await readAll(socket), /^HTTP\/1.1 200 .*begunended/s);
  });
}
limits('a handshake that does not come is given up', async () => {
  const { port } = await start({ limits: { handshake: 100 } });
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'close');
});
limits('an HTTP/2 connection without requests is closed when idle', async () => {
  const { port } = await start({ limits: { idle: 100 } });
  const session = openHttp2(port);
  const goaway = once(session, 'goaway');
  await once(session, 'close');
  const [code] = await goaway;
  assert.is(code, 0);
});
limits('an HTTP/2 connection with a silent request is not', async () => {
  const { port } = await start({ limits: { idle: 50 } });
  const session = openHttp2(port);
  const silent = session.request({ ':path': '/never' }).on('error', () => {});
  await once(session, 'connect');
  await once(openHttp2(port), 'close');
  assert.not(session.closed, 'though one that began later was idle for too long');
  silent.close();
  session.destroy();
});
limits('a client is told how many requests it may have open', async () => {
  const { port } = await start({ maxStreams: 7 });
  const session = openHttp2(port);
  const [settings] = await once(session, 'remoteSettings');
  assert.is(settings.maxConcurrentStreams, 7);
  session.close();
});
limits.run();

const closing = suite('closing');
closing.after(async () => {
  await closeAll();
  rmSync(folder, { recursive: true });
});
const deadline = 5_000;
/** Milliseconds that no test takes. */
const LONG = 2 ** 31 - 1;
closing('lets requests under way end, over both protocols', async () => {
  const listener = await start();
  const session = openHttp2(listener.port);
  const answers = [getHttp1(listener.port, '/held'), getHttp2(session, '/held')];
  await until(() => held.length === 2);
  const closed = listener.close(deadline);
  await release(2);
  for (const answer of answers) assert.is((await answer).text, 'held');
  await closed;
});
closing('an answer that was ended in the same turn arrives whole, over both protocols', async () => {
  const size = 8_000_000;
  let closed: Promise<void> | undefined;
  const waiting: ServerResponse[] = [];
  const listener = await start({
    handler: (_: IncomingMessage, response: ServerResponse) => {
      response.write('begin');
      waiting.push(response);
      if (waiting.length < 2) return;
      for (const each of waiting) each.end(Buffer.alloc(size));
      closed = listener.close(deadline);
    },
  });
  const session = openHttp2(listener.port);
  const answers = [getHttp1(listener.port, '/'), getHttp2(session, '/')];
  for (const answer of answers) assert.is((await answer).text.length, size + 5);
  await closed;
});
closing('ends idle connections at once', async () => {
  const listener = await start();
  const socket = await openTls(listener.port, { ALPNProtocols: ['http/1.1'] });
  socket.write('GET /who HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  const session = openHttp2(listener.port);
  await getHttp2(session, '/who');
  const cut: boolean[] = [];
  socket.once('close', (hadError: boolean) => cut.push(hadError));
  session.once('goaway', (code: number) => cut.push(code !== 0));
  await listener.close(LONG);
  await until(() => cut.length === 2);
  assert.equal(cut, [false, false]);
});
closing('takes no new connection', async () => {
  const listener = await start();
  await listener.close(0);
  try {
    await getHttp1(listener.port, '/who');
    assert.unreachable();
  } catch (error) {
    assert.is((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');
  }
});
closing('cuts what is left after the grace', async () => {
  const listener = await start();
  const socket = await openTls(listener.port, { ALPNProtocols: ['http/1.1'] });
  socket.write('GET /never HTTP/1.1\r\nHost: x\r\n\r\n');
  const session = openHttp2(listener.port);
  session.request({ ':path': '/never' }).on('error', () => {});
  await once(session, 'connect');
  await Promise.all([once(socket, 'close'), once(session, 'close'), listener.close(100)]);
});
closing('waits for what is under way before the grace begins', async () => {
  const listener = await start();
  const answer = getHttp1(listener.port, '/held');
  await until(() => held.length === 1);
  const underWay = Promise.withResolvers<void>();
  const closed = listener.close(0, underWay.promise);
  assert.is(closed, listener.close(0));
  await sleep(50);
  held.splice(0)[0]?.end('held');
  assert.is((await answer).text, 'held');
  await closed;
  underWay.resolve();
});
closing('answers tell that they are the last before it closes, of requests under way too, and connections are taken still', async () => {
  const listener = await start();
  const begun = new Promise<string | undefined>((resolve) =>
    requestHttps({ ...trust, agent: false, port: listener.port, path: '/held', headers: { connection: 'keep-alive' } }, (response) => {
      response.resume().on('end', () => resolve(response.headers.connection));
    }).end(),
  );
  await until(() => held.length === 1);
  listener.lastAnswers();
  listener.lastAnswers();
  await release(1);
  assert.is(await begun, 'close');
  const socket = await openTls(listener.port, { ALPNProtocols: ['http/1.1'] });
  socket.write('GET /who HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.match(await readAll(socket), /\r\nconnection: close\r\n/i);
  const session = openHttp2(listener.port);
  assert.match((await getHttp2(session, '/who')).text, '2.0');
  assert.not.ok(session.closed);
  session.close();
  await listener.close(0);
});
closing('a client whose long answer ends behind the announcement is answered once more', async () => {
  const listener = await start();
  const socket = await openTls(listener.port, { ALPNProtocols: ['http/1.1'] });
  const GET = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const all = readAll(socket);
  socket.write(GET('/held'));
  await until(() => held.length === 1);
  held[0]?.flushHeaders();
  listener.lastAnswers();
  const closed = listener.close(60_000);
  await sleep(50);
  await release(1);
  await sleep(50);
  socket.write(GET('/who'));
  assert.match(await all, /connection: keep-alive[\s\S]*held[\s\S]*connection: close[\s\S]*"version":"1.1"/i);
  await closed;
});
closing.run();

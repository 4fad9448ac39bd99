/**
 * Servers that this one asks, and that answer anything: webhooks of all kinds, services that say whose a token is or who may do what, and issuers are asked by
 * `PeerConnection`. Whatever they send, a question ends in its time, takes no more memory than its answer may have, and goes nowhere else.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ExchangeError, ExchangeTimeout, PeerConnection } from '../../runtime/outbound/exchange.ts';

/** Bytes that an answer may have. */
const MAX = 64 * 1024;
/** Milliseconds of a question that gets no whole answer; of one that does, far more than it takes. */
const SHORT = 200;
const LONG = 20_000;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const BOMB = gzipSync(Buffer.alloc(100 * 1024 * 1024));

/** Sends a beginning, and then a piece again and again, as fast as it is taken. */
function pour(socket: Socket, beginning: string, piece: Buffer | string): void {
  let isTaken = socket.write(beginning);
  while (isTaken && !socket.destroyed) isTaken = socket.write(piece);
  if (!socket.destroyed) socket.once('drain', () => pour(socket, '', piece));
}

/** The same, slowly. */
function drip(socket: Socket, beginning: string, piece: string): void {
  socket.write(beginning);
  const timer = setInterval(() => socket.write(piece), 20);
  socket.once('close', () => clearInterval(timer));
}

type Outcome = { status: number; body: string } | typeof ExchangeError | typeof ExchangeTimeout;

const rows: [name: string, answer: (socket: Socket) => void, outcome: Outcome][] = [
  ['says nothing', () => {}, ExchangeTimeout],
  ['closes', (socket) => socket.end(), ExchangeError],
  ['resets', (socket) => socket.resetAndDestroy(), ExchangeError],
  ['speaks another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n'), ExchangeError],
  ['stops within the head', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-'), ExchangeTimeout],
  ['sends its head byte by byte', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX: ', 'y'), ExchangeTimeout],
  ['never ends its head', (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', `X: ${'y'.repeat(1_000)}\r\n`), ExchangeError],
  ['says again and again that it goes on', (socket) => drip(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'), ExchangeTimeout],
  [
    'switches protocols',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    ExchangeError,
  ],
  ['states two lengths', (socket) => socket.end(`${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`), ExchangeError],
  [
    'states a length beside chunks',
    (socket) => socket.end(`${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`),
    ExchangeError,
  ],
  ['states a length of 100 MB', (socket) => socket.write(`${HEAD}Content-Length: 100000000\r\n\r\n{`), ExchangeError],
  ['sends 100 MB', (socket) => pour(socket, `${HEAD}Content-Length: 100000000\r\n\r\n`, Buffer.alloc(65_536, 'y')), ExchangeError],
  [
    'sends chunks without an end',
    (socket) => pour(socket, `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, `400\r\n${'y'.repeat(1_024)}\r\n`),
    ExchangeError,
  ],
  ['sends its body byte by byte', (socket) => drip(socket, `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\ny\r\n'), ExchangeTimeout],
  [
    'sends 100 MB in 100 KB',
    (socket) => socket.end(Buffer.concat([Buffer.from(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n\r\n`), BOMB])),
    ExchangeError,
  ],
  [
    'says that it packs what it does not',
    (socket) => socket.end(`${HEAD}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`),
    ExchangeError,
  ],
  ['breaks off', (socket) => socket.end(`${HEAD}Content-Length: 20\r\n\r\n{}`), ExchangeError],
  ['speaks HTTP/1.0', (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\n{}'), { status: 200, body: '{}' }],
  [
    'answers before it has read',
    (socket) => socket.end(`${HEAD}Content-Length: 2\r\nConnection: close\r\n\r\n{}`),
    { status: 200, body: '{}' },
  ],
];

/** Where those lead that redirect. */
let misled = 0;
const elsewhere = createServer((socket) => {
  misled++;
  socket.destroy();
}).listen(0, '127.0.0.1');
await once(elsewhere, 'listening');
const { port: elsewherePort } = elsewhere.address() as AddressInfo;
for (const status of [301, 302, 303, 307, 308])
  rows.push([
    `redirects with ${status}`,
    (socket) =>
      socket.end(
        `HTTP/1.1 ${status} Go\r\nLocation: http://127.0.0.1:${elsewherePort}/\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
      ),
    { status, body: '{}' },
  ]);

const test = suite('a server that is asked and');
for (const [name, answer, outcome] of rows)
  test(name, async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => answer(socket));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const connection = new PeerConnection({
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      token: 'secret',
      proxy: '',
    });
    const before = process.memoryUsage().arrayBuffers;
    try {
      const timeout = outcome === ExchangeTimeout ? SHORT : LONG;
      const got = await connection
        .exchange({ method: 'POST', body: { question: 1 }, timeout, maxBytes: MAX })
        .then(({ status, body }) => ({ status, body: body.toString() }))
        .catch((error: unknown) => error);
      if (typeof outcome === 'object') assert.equal(got, outcome);
      else {
        assert.instance(got, outcome);
        assert.is(got instanceof ExchangeTimeout, outcome === ExchangeTimeout, String(got));
        assert.not.match((got as Error).message, 'secret');
      }
      assert.ok(process.memoryUsage().arrayBuffers - before < 32 * 1024 * 1024, 'no more is kept than was to be');
    } finally {
      connection.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    }
    assert.is(misled, 0, 'nobody else is asked');
  });
test.after(() => void elsewhere.close());
test.run();

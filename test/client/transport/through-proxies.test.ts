/** Requests that go through proxies of the test's own. */
import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readText } from '../../../runtime/client/transport/read-body.ts';
import { Transport } from '../../../runtime/client/transport/transport.ts';
import { startServer } from '../../../runtime/embedded/start-server.ts';

const server = await startServer();
const { certificateAuthority, token } = server.clientConfig;
const apiPort = Number(new URL(server.url).port);
const plain = http.createServer((request, response) => response.end(`${request.method} ${request.url} for ${request.headers.host}`));

async function listen(listener: Server): Promise<number> {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return (listener.address() as AddressInfo).port;
}

const sockets = new Set<Socket>();
const join = (a: Socket, b: Socket): void => {
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    sockets.add(one);
    one.on('error', () => {}).on('close', () => other.destroy());
  }
  a.pipe(b).pipe(a);
};

/** What it was asked for: authorities of CONNECT, URLs of plain requests, each with what the client says of itself. */
const asked: string[] = [];
const httpProxy = http.createServer(({ url = '', headers }, response) => {
  asked.push(`${url} ${headers['proxy-authorization']}`);
  http.get(url, { headers: { host: headers.host } }, (answer) => answer.pipe(response));
});
httpProxy.on('connect', ({ url = '', headers }, socket: Socket) => {
  asked.push(`${url} ${headers['proxy-authorization']}`);
  if (url.startsWith('refused.example')) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  // the name leads nowhere but here
  const onward = connect(apiPort, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  join(socket, onward);
});

/** Speaks SOCKS 5 with the user `me`, byte by byte. */
const socksProxy = createServer((socket) => {
  socket.on('error', () => {});
  let received = Buffer.alloc(0);
  let step = 0;
  const reply = (...bytes: number[]) => {
    for (const byte of bytes) socket.write(Buffer.from([byte]));
  };
  const read = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    if (step === 0 && received.length >= 2 + (received[1] ?? 0)) {
      const methods = received.subarray(2, 2 + (received[1] ?? 0));
      received = received.subarray(2 + methods.length);
      step = 1;
      reply(5, methods.includes(2) ? 2 : 0xff);
    }
    if (step === 1 && received.length >= 2 && received.length >= 3 + (received[1] ?? 0)) {
      const nameEnd = 2 + (received[1] ?? 0);
      const passwordEnd = nameEnd + 1 + (received[nameEnd] ?? 0);
      if (received.length < passwordEnd) return;
      const isKnown = received.toString('utf8', 2, nameEnd) === 'me' && received.toString('utf8', nameEnd + 1, passwordEnd) === 'p@ss';
      received = received.subarray(passwordEnd);
      step = 2;
      reply(1, isKnown ? 0 : 1);
    }
    if (step === 2 && received.length >= 7 + (received[4] ?? 0)) {
      const length = received[4] ?? 0;
      const name = received.toString('latin1', 5, 5 + length);
      const port = received.readUInt16BE(5 + length);
      asked.push(`${name}:${port}`);
      step = 3;
      if (name === 'refused.example') return reply(5, 2, 0, 1, 0, 0, 0, 0, 0, 0);
      socket.off('data', read);
      const onward = connect(port === 80 ? plainPort : apiPort, '127.0.0.1', () => {
        reply(5, 0, 0, 3, 1, 0x78, 0, 0);
        join(socket, onward);
      });
    }
  };
  socket.on('data', read);
});

const [plainPort, httpPort, socksPort] = await Promise.all([listen(plain), listen(httpProxy), listen(socksProxy)]);

const test = suite('requests through proxies');
const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
async function answer(to: string, proxy: string, path: string): Promise<string> {
  const transport = new Transport({ server: to, certificateAuthority, tlsServerName: 'localhost', token, proxy });
  try {
    return await readText(await transport.send({ method: 'GET', path }), path);
  } finally {
    transport.close();
  }
}
test.before.each(() => {
  asked.length = 0;
});
test('go through CONNECT where the server speaks TLS', async () => {
  assert.match(await answer('https://api.example', `http://me:p%40ss@127.0.0.1:${httpPort}`, '/version'), /"gitVersion"/);
  assert.equal(asked, [`api.example:443 ${basic}`]);
});
test('are passed on by the proxy where it does not', async () => {
  const text = await answer(`http://127.0.0.1:${plainPort}/base`, `http://me:p%40ss@127.0.0.1:${httpPort}`, '/x?y=1');
  assert.is(text, `GET /base/x?y=1 for 127.0.0.1:${plainPort}`);
  assert.equal(asked, [`http://127.0.0.1:${plainPort}/base/x?y=1 ${basic}`]);
});
test('go through SOCKS, with and without TLS', async () => {
  const proxy = `socks5://me:p%40ss@127.0.0.1:${socksPort}`;
  assert.match(await answer('https://api.example:6443', proxy, '/version'), /"gitVersion"/);
  assert.is(await answer('http://plain.example', proxy, '/x'), 'GET /x for plain.example');
  assert.equal(asked, ['api.example:6443', 'plain.example:80']);
});
const refusals: [name: string, server: string, proxy: string, message: RegExp][] = [
  [
    'CONNECT',
    'https://refused.example',
    `http://127.0.0.1:${httpPort}`,
    /GET https:\/\/refused\.example\/version: proxy 127\.0\.0\.1:\d+: it answered with status 403$/,
  ],
  ['SOCKS', 'https://refused.example', `socks5://me:p%40ss@127.0.0.1:${socksPort}`, /proxy 127\.0\.0\.1:\d+: connection not allowed$/],
  ['a wrong password', 'https://a.example', `socks5://me:no@127.0.0.1:${socksPort}`, /: it does not take the user name and password$/],
  ['no user', 'https://a.example', `socks5://127.0.0.1:${socksPort}`, /: it takes no way of authentication that the client has$/],
  ['a proxy that is none', 'https://a.example', `socks5://127.0.0.1:${plainPort}`, /: it does not speak SOCKS version 5$/],
  ['a proxy that is not there', 'https://a.example', 'http://127.0.0.1:1', /: proxy 127\.0\.0\.1:1: connect ECONNREFUSED/],
];
for (const [name, to, proxy, message] of refusals)
  test(`say why there is no way: ${name}`, async () => {
    const error = await answer(to, proxy, '/version').catch((thrown: Error) => thrown);
    assert.ok(error instanceof Error);
    assert.match(error.message, message);
  });
test.after(async () => {
  for (const socket of sockets) socket.destroy();
  for (const listener of [plain, httpProxy]) listener.closeAllConnections();
  for (const listener of [plain, httpProxy, socksProxy]) listener.close();
  await server.stop();
});
test.run();

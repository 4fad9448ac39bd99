/** Servers that take a connection and say nothing, as those behind a broken balancer do. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodes } from '../../../generated/client/core/v1/index.ts';
import { ConnectionError, createClient } from '../../../generated/client/index.ts';
import { AskingTransport } from '../../../runtime/client/transport/asking-transport.ts';
import type { ConnectionSettings } from '../../../runtime/client/transport/connection-settings.ts';

const LIMIT = 30_000;
const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const test = suite('a connection that is not there in time');
let server: Server;
let port: number;
test.before(async () => {
  server = createServer((socket) => {
    socket.on('error', () => {});
    // a proxy that leads to such a server
    socket.once('data', (bytes) => {
      if (bytes.toString('latin1', 0, 7) === 'CONNECT') socket.write('HTTP/1.1 200 OK\r\n\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
test.after(() => {
  server.close();
});

/** Time passes when the client has said what begins TLS. */
async function passing(milliseconds: number, act: () => Promise<unknown>): Promise<unknown> {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const outcome = thrownBy(act());
    const [socket] = await once(server, 'connection');
    while (socket.bytesRead < 200) await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(milliseconds);
    for (let rounds = 0; rounds < 20; rounds++) await new Promise((resolve) => setImmediate(resolve));
    return await Promise.race([outcome, 'waits']);
  } finally {
    mock.timers.reset();
  }
}

const ways: [name: string, settings: () => ConnectionSettings][] = [
  ['straight', () => ({ server: `https://127.0.0.1:${port}`, proxy: '' })],
  ['by a proxy', () => ({ server: 'https://192.0.2.1', proxy: `http://127.0.0.1:${port}` })],
];
for (const [name, settings] of ways)
  test(`fails after half a minute: ${name}`, async () => {
    const client = createClient(settings());
    assert.is(await passing(LIMIT - 1, () => client.resource(nodes).get('x')), 'waits');
    await client.close();
    const later = createClient(settings());
    const error = await passing(LIMIT, () => later.resource(nodes).get('x'));
    assert.instance(error, ConnectionError);
    assert.match((error as Error).message, /no connection in 30 seconds/);
    assert.is((error as ConnectionError).code, 'ETIMEDOUT');
    await later.close();
  });
test('fails after half a minute, where the answer is taken as a whole', async () => {
  const transport = new AskingTransport({ server: `https://127.0.0.1:${port}`, proxy: '' });
  const error = await passing(LIMIT, () => transport.ask({ method: 'GET', path: '/', timeout: 60_000, maxBytes: 100 }));
  assert.instance(error, ConnectionError);
  assert.match((error as Error).message, /no connection in 30 seconds/);
  await transport.close();
});
test.run();

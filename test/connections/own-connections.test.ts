/** Connections of a server to itself: who is behind them, and how they end. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connectByPort, OwnConnections, ownUser } from '../../runtime/connections/own-connections.ts';
import { PeerConnection } from '../../runtime/outbound/exchange.ts';
import { WebhookClient, type WebhookPlace } from '../../runtime/outbound/webhook-client.ts';

const test = suite('connections of a server to itself');
// nothing of these connections holds a process up
const held = setInterval(() => {}, 1_000);
test.after(() => clearInterval(held));
const USER = { name: 'itself', uid: '1', groups: [], extra: {} };
const HOST = 'kubernetes.default.svc:443';

const told = (request: IncomingMessage): string =>
  JSON.stringify([ownUser(request.socket)?.name, request.socket.remoteAddress, request.headers.host, request.url]);

function connections(bindAddress = '0.0.0.0'): OwnConnections {
  const made = new OwnConnections(USER, bindAddress);
  made.serve((request, response) => void request.resume().on('end', () => response.end(told(request))));
  return made;
}

const peer = (connect: () => Duplex) => new PeerConnection({ server: `http://${HOST}`, tunnel: async () => connect() });
const ask = (of: PeerConnection, json = '{}') =>
  of.exchange({ method: 'POST', url: new URL(`http://${HOST}/a`), json, timeout: 5_000, maxBytes: 1_000 });

test('are known on the same thread and from another, and are used again', async () => {
  const own = connections();
  let made = 0;
  for (const connect of [() => own.connect(), () => connectByPort((port) => own.takePort(port))]) {
    const asking = peer(() => {
      made++;
      return connect();
    });
    for (const length of [1, 3_000_000]) {
      const { body } = await ask(asking, 'x'.repeat(length));
      assert.equal(JSON.parse(body.toString()), ['itself', '127.0.0.1', HOST, '/a']);
    }
    asking.close();
  }
  assert.is(made, 2);
  own.close();
});

test('come from where the server listens', async () => {
  for (const [bound, from] of [
    ['::', '::1'],
    ['192.0.2.1', '192.0.2.1'],
  ] as const) {
    const own = connections(bound);
    const asking = peer(() => own.connect());
    assert.is(JSON.parse((await ask(asking)).body.toString())[1], from);
    asking.close();
    own.close();
  }
});

test('are not those of anybody else, whatever they send', async () => {
  const server = createServer((request, response) => response.end(told(request))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/a`, { headers: { 'X-Remote-User': 'itself' } });
  assert.is(((await answer.json()) as unknown[])[0], null);
  server.close();
});

test('end on both sides', async () => {
  for (const fromThread of [false, true]) {
    const own = new OwnConnections(USER, '::');
    const gone = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    own.serve((_, response) => {
      response.once('close', gone.resolve);
      arrived.resolve();
    });
    const connect = () => (fromThread ? connectByPort((port) => own.takePort(port)) : own.connect());
    const abort = new AbortController();
    const asked = peer(connect).exchange({ method: 'GET', timeout: 5_000, maxBytes: 10, signal: abort.signal });
    await arrived.promise;
    abort.abort(new Error('given up'));
    await asked.then(
      () => assert.unreachable(),
      (error: Error) => assert.is(error.message, 'given up'),
    );
    await gone.promise;
    const cut = ask(peer(connect));
    await sleep(20);
    own.close();
    await cut.then(
      () => assert.unreachable(),
      (error: Error) => assert.match(error.message, /EOF|hang up/),
    );
    await ask(peer(connect)).then(
      () => assert.unreachable(),
      () => {},
    );
  }
});

test('lead to the webhooks behind the service of the server, whatever authorities these state', async () => {
  const own = connections();
  const asked: string[] = [];
  const itself = { host: HOST, tunnel: async () => own.connect() };
  const resolve = ({ name, port }: { name: string; port: number }) => {
    asked.push(`${name} ${port}`);
    throw new Error('elsewhere');
  };
  const post = async (place: WebhookPlace): Promise<string> => {
    const client = new WebhookClient(place, { serviceRoutes: { resolve, itself } });
    try {
      return JSON.parse((await client.post('{}', { maxBytes: 1_000, seconds: 5 })).toString())[3];
    } catch (error) {
      return (error as Error).message;
    } finally {
      client.close();
    }
  };
  const service = { namespace: 'default', name: 'kubernetes', path: '/apis/x/v1/y' };
  assert.is(await post({ service, caBundle: Buffer.from('no certificate').toString('base64') }), '/apis/x/v1/y?timeout=5s');
  assert.is(await post({ url: 'https://kubernetes.default.svc/b' }), '/b?timeout=5s');
  assert.equal(asked, []);
  await post({ service: { ...service, port: 444 } });
  await post({ service: { ...service, name: 'other' } });
  assert.equal(asked, ['kubernetes 444', 'other 443']);
  own.close();
});

test.run();

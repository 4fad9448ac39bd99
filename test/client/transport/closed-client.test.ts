/** What is under way when a client is closed ends with it: nothing of it is asked again, and nothing of its connections is left. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodes } from '../../../generated/client/core/v1/index.ts';
import { ApiError, ConnectionError, createClient } from '../../../generated/client/index.ts';
import { AskingTransport } from '../../../runtime/client/transport/asking-transport.ts';
import { eventually } from '../../harness/eventually.ts';
import { answeringServer } from '../answering-server.ts';

const test = suite('a client that is closed');

const NODE = JSON.stringify({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'x' } });
const outcomeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

const silent: readonly (readonly [state: string, before: number, answer: (response: ServerResponse) => unknown])[] = [
  ['has no answer', 0, () => {}],
  ['has no answer on a connection that was kept', 1, () => {}],
  ['has a part of its answer', 0, (response) => response.writeHead(200, { 'content-length': NODE.length }).write(NODE.slice(0, 9))],
];
for (const [state, before, answer] of silent)
  test(`ends a request that ${state}, and does not send it again`, async () => {
    // who is asked again has a whole answer
    await using server = await answeringServer((response, count) => (count === before ? answer(response) : response.end(NODE)));
    const asked = server.client.resource(nodes);
    for (let i = 0; i < before; i++) await asked.get('x');
    const outcome = outcomeOf(asked.get('x'));
    await eventually('the request has come', () => server.asked.length === before + 1);
    await server.client.close();
    assert.instance(await outcome, ConnectionError);
    assert.is(server.asked.length, before + 1);
    assert.is((await asked.get('x')).metadata.name, 'x', 'later requests make new connections');
  });

test('ends a request that waits until the server wants it again', async () => {
  await using server = await answeringServer((response) => response.writeHead(429, { 'retry-after': '3600' }).end());
  const outcome = outcomeOf(server.client.resource(nodes).get('x'));
  await eventually('the request has come', () => server.asked.length === 1);
  // its answer has come before this one's
  await outcomeOf(server.client.fetch('/version'));
  await server.client.close();
  const error = await outcome;
  assert.instance(error, ApiError);
  assert.is((error as ApiError).code, 429);
});

/** A proxy that leads nowhere. */
async function withSilentProxy(work: (proxy: string, connected: Promise<Socket>) => Promise<void>): Promise<void> {
  const proxy = createServer().listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const connected = once(proxy, 'connection').then(async ([socket]: Socket[]) => {
    await once(
      (socket as Socket).on('error', () => {}),
      'data',
    );
    return socket as Socket;
  });
  try {
    await work(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, connected);
  } finally {
    proxy.close();
  }
}

const SERVER = 'https://192.0.2.1';
for (const [name, open] of [
  [
    'requests',
    (proxy: string) => {
      const client = createClient({ server: SERVER, proxy });
      return { ask: () => client.resource(nodes).get('x') as Promise<unknown>, close: () => client.close() };
    },
  ],
  [
    'whole exchanges',
    (proxy: string) => {
      const transport = new AskingTransport({ server: SERVER, proxy });
      const question = { method: 'GET', path: '/', timeout: 60_000, maxBytes: 100 } as const;
      return { ask: () => transport.ask(question) as Promise<unknown>, close: () => transport.close() };
    },
  ],
] as const)
  test(`ends ${name} that a proxy has not led anywhere`, () =>
    withSilentProxy(async (proxy, connected) => {
      const { ask, close } = open(proxy);
      const outcome = outcomeOf(ask());
      const socket = await connected;
      const closed = once(socket, 'close');
      await close();
      assert.instance(await outcome, ConnectionError);
      await closed;
    }));

test.run();

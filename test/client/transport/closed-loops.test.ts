/** What goes on by itself ends when its client is closed: it asks the server nothing more, and whoever waits for it is told. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configmaps, nodes, pods } from '../../../generated/client/core/v1/index.ts';
import { ConnectionError, createClient, exec, InformerStopped, informer, LeaderElector } from '../../../generated/client/index.ts';
import { AskingTransport } from '../../../runtime/client/transport/asking-transport.ts';
import { Transport } from '../../../runtime/client/transport/transport.ts';
import { eventually } from '../../harness/eventually.ts';
import { type AnsweringServer, answeringServer } from '../answering-server.ts';

const outcomeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
/** Milliseconds in which what went on would have asked again: more than its first pauses. */
const LATER = 300;

const object = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'x', resourceVersion: '7' } };
const event = (value: object): string => `${JSON.stringify({ type: 'MODIFIED', object: value })}\n`;
const listEnd = {
  kind: 'Node',
  apiVersion: 'v1',
  metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } },
};
/** A watch that says what there is, and then nothing. */
const quiet = (response: ServerResponse): unknown => response.write(`${JSON.stringify({ type: 'BOOKMARK', object: listEnd })}\n`);

async function closing(server: AnsweringServer): Promise<number> {
  await server.client.close();
  return server.asked.length;
}

/** Nothing was asked since. */
async function isQuiet(server: AnsweringServer, asked: number): Promise<void> {
  await sleep(LATER);
  assert.is(server.asked.length, asked);
}

const isClosed = (error: unknown): void => {
  assert.instance(error, ConnectionError);
  assert.match((error as Error).message, /the client is closed/);
};

const test = suite('a client that is closed');

test('ends watches that wait for the next change', async () => {
  await using server = await answeringServer((response) => response.write(event(object)));
  const interruptions: unknown[] = [];
  const watch = server.client.resource(nodes).watch({ resourceVersion: '1', onInterrupted: (error) => interruptions.push(error) });
  assert.is((await watch.next()).value.object.metadata.name, 'x');
  const next = outcomeOf(watch.next());
  const asked = await closing(server);
  isClosed(await next);
  assert.equal(interruptions, []);
  await isQuiet(server, asked);
});

test('ends watches that wait to be asked again', async () => {
  await using server = await answeringServer((response) => response.writeHead(500).end());
  const watch = server.client.resource(nodes).watch({ resourceVersion: '1' });
  const next = outcomeOf(watch.next());
  await eventually('it was refused several times', () => server.asked.length > 2);
  const asked = await closing(server);
  isClosed(await next);
  await isQuiet(server, asked);
});

for (const [state, answer, isSynced] of [
  ['follow', quiet, true],
  ['wait to be asked again', (response: ServerResponse) => response.writeHead(500).end(), false],
] as const)
  test(`stops informers that ${state}`, async () => {
    await using server = await answeringServer(answer);
    const errors: unknown[] = [];
    const informed = informer(server.client.resource(nodes));
    informed.onError((error) => errors.push(error));
    let told = 0;
    const handled = informed.on(() => told++, { resync: 10 });
    informed.start();
    await (isSynced ? informed.synced() : eventually('it has failed', () => errors.length > 1));
    const synced = outcomeOf(informed.synced());
    const before = errors.length;
    const asked = await closing(server);
    assert.is((await synced) instanceof InformerStopped, !isSynced);
    assert.is((await outcomeOf(handled.synced())) instanceof InformerStopped, !isSynced);
    await isQuiet(server, asked);
    assert.is(errors.length, before);
    assert.is(told, 0);
    await informed.stop();
  });

test('has informers that are started later begin anew', async () => {
  await using server = await answeringServer(quiet);
  await server.client.close();
  const informed = informer(server.client.resource(nodes)).start();
  await informed.synced();
  await informed.stop();
});

test('ends elections, whoever leads', async () => {
  const leases: string[] = [];
  await using server = await answeringServer((response, _count, request) => {
    leases.push(String(request.method));
    if (request.method === 'GET') response.writeHead(404).end('{}');
    else request.pipe(response);
  });
  const errors: unknown[] = [];
  const elector = new LeaderElector(server.client, {
    namespace: 'default',
    name: 'one',
    identity: 'me',
    leaseDuration: 2_000,
    renewDeadline: 1_000,
    retryPeriod: 50,
    onError: (error) => errors.push(error),
  });
  const led = elector.run(async (signal) => {
    if (!signal.aborted) await once(signal, 'abort');
    throw signal.reason;
  });
  const outcome = outcomeOf(led);
  await eventually('it has renewed its lease', () => leases.includes('PUT'));
  const asked = await closing(server);
  isClosed(await outcome);
  assert.ok(errors.length > 0, 'the lease is not given up');
  await isQuiet(server, asked);
});

test('ends changes of objects that conflict', async () => {
  let conflicting: ServerResponse | undefined;
  await using server = await answeringServer((response, _count, request) => {
    if (request.method === 'GET') response.end(JSON.stringify(object));
    else conflicting = response;
  });
  const { client } = server;
  const changed = client.resource(nodes).modify('x', (node) => {
    // between what it reads and what it writes
    void client.close();
    return node;
  });
  isClosed(await outcomeOf(changed));
  assert.is(conflicting, undefined);
  assert.is(server.asked.length, 1);
});

test('ends lists whose next page is not read yet', async () => {
  await using server = await answeringServer((response) =>
    response.end(JSON.stringify({ kind: 'ConfigMapList', metadata: { continue: 'more' }, items: [] })),
  );
  const pages = server.client.resource(configmaps).pages();
  await pages.next();
  const asked = await closing(server);
  isClosed(await outcomeOf(pages.next()));
  await isQuiet(server, asked);
});

test('ends commands, and waits for their connections', async () => {
  const server = createServer();
  let isEnded = false;
  server.on('upgrade', (request, socket) => {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    const [protocol] = String(request.headers['sec-websocket-protocol']).split(', ');
    const head = [
      'HTTP/1.1 101 Switching Protocols',
      'upgrade: websocket',
      'connection: upgrade',
      `sec-websocket-accept: ${accept}`,
      `sec-websocket-protocol: ${protocol}`,
    ];
    socket.on('error', () => {}).resume();
    socket.on('end', () => {
      isEnded = true;
    });
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    server.emit('running');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const client = createClient({ server: `http://127.0.0.1:${port}` }, { dialect: 'kubernetes' });
  const outcome = outcomeOf(exec(client.resource(pods).in('default'), 'one', ['sleep', '100']));
  await once(server, 'running');
  await sleep(50);
  await client.close();
  const result = await Promise.race([outcome, sleep(2_000, 'it goes on')]);
  try {
    isClosed(result);
    await eventually('the server hears of the end', () => isEnded);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

/** Credentials that come when a test says. */
function slowCredentials() {
  const { promise, resolve } = Promise.withResolvers<{ authorization: string }>();
  return { resolve, credentials: { get: () => promise, refused: () => false } };
}

for (const [name, open] of [
  ['send', (server: string, credentials: object) => new Transport({ server, credentials: credentials as never })],
  ['ask', (server: string, credentials: object) => new AskingTransport({ server, credentials: credentials as never })],
] as const)
  test(`does not ${name} what waits for credentials`, async () => {
    await using server = await answeringServer((response) => response.end('{}'));
    const { credentials, resolve } = slowCredentials();
    const transport = open(`http://127.0.0.1:${server.port}`, credentials);
    const request = { method: 'GET', path: '/', timeout: 60_000, maxBytes: 100 } as const;
    const outcome = outcomeOf(transport instanceof AskingTransport ? transport.ask(request) : transport.send(request));
    await transport.close();
    // at once, whatever becomes of the credentials
    isClosed(await Promise.race([outcome, sleep(1_000)]));
    resolve({ authorization: 'Bearer x' });
    await isQuiet(server, 0);
  });

test.run();

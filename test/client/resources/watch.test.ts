/** Watches over connections that break, fall silent or are ended. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configmaps } from '../../../generated/client/core/v1/index.ts';
import { createClient, isForbidden, isGone, WatchStalled } from '../../../generated/client/index.ts';
import { serverAndClient } from '../client-of.ts';

type Serve = (query: URLSearchParams, response: ServerResponse, request: IncomingMessage) => void;

const event = (type: string, name: string, resourceVersion: string): string =>
  `${JSON.stringify({ type, object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, resourceVersion } } })}\n`;

/** A server that answers the watches in turn, the last one for ever. @returns the versions from which it was asked, and what the client saw */
async function watched(serves: readonly Serve[], { count, idleTimeout = 60_000 }: { count: number; idleTimeout?: number }) {
  const asked: (string | null)[] = [];
  const server = http.createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    const serve = serves[Math.min(asked.length, serves.length - 1)] as Serve;
    asked.push(query.get('resourceVersion'));
    serve(query, response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = createClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const seen: string[] = [];
  const interruptions: unknown[] = [];
  let error: unknown;
  try {
    const changes = client
      .resource(configmaps)
      .watch({ resourceVersion: '1', idleTimeout, onInterrupted: (why) => interruptions.push(why) });
    for await (const { type, object } of changes) if (seen.push(`${type} ${object.metadata.name}`) === count) break;
  } catch (thrown) {
    error = thrown;
  } finally {
    client.close();
    server.closeAllConnections();
    server.close();
  }
  return { asked, seen, interruptions, error };
}

const test = suite('watches');
test('go on from the last change where the server ends them', async () => {
  const { asked, seen } = await watched(
    [
      (_query, response) => response.end(event('ADDED', 'a', '5') + event('MODIFIED', 'a', '7')),
      (_query, response) => response.end(event('DELETED', 'a', '9')),
    ],
    { count: 3 },
  );
  assert.equal(
    [asked, seen],
    [
      ['1', '7'],
      ['ADDED a', 'MODIFIED a', 'DELETED a'],
    ],
  );
});
test('go on from the last bookmark, of which nobody hears', async () => {
  const { asked, seen } = await watched(
    [
      (_query, response) => response.end(event('ADDED', 'a', '5') + event('BOOKMARK', '', '20')),
      (_query, response) => response.end(event('ADDED', 'b', '21')),
    ],
    { count: 2 },
  );
  assert.equal(
    [asked, seen],
    [
      ['1', '20'],
      ['ADDED a', 'ADDED b'],
    ],
  );
});
test('go on where a connection breaks within a change', async () => {
  const whole = event('ADDED', 'b', '6');
  const { asked, seen, interruptions } = await watched(
    [
      (_query, response) => {
        response.write(event('ADDED', 'a', '5') + whole.slice(0, 30));
        setTimeout(() => response.socket?.resetAndDestroy(), 20);
      },
      (_query, response) => {
        // a change that arrives in pieces, and in the middle of a character
        const bytes = Buffer.from(event('ADDED', 'b', '6') + event('ADDED', 'é', '7'));
        response.write(bytes.subarray(0, 10));
        setTimeout(() => response.write(bytes.subarray(10, bytes.length - 40)), 10);
        setTimeout(() => response.write(bytes.subarray(bytes.length - 40)), 20);
      },
    ],
    { count: 3 },
  );
  assert.equal([asked, seen, interruptions.length], [['1', '5'], ['ADDED a', 'ADDED b', 'ADDED é'], 1]);
});
test('go on where the server falls silent', async () => {
  const { asked, interruptions } = await watched(
    [(_query, response) => response.write(event('ADDED', 'a', '5')), (_query, response) => response.end(event('ADDED', 'b', '6'))],
    // long enough for what is answered at once to come in time
    { count: 2, idleTimeout: 1_000 },
  );
  assert.equal(asked, ['1', '5']);
  assert.instance(interruptions[0], WatchStalled);
});
test('go on after answers that say nothing of them', async () => {
  const { asked, interruptions, seen } = await watched(
    [
      (_query, response) => response.writeHead(500).end(),
      (_query, response) => response.writeHead(429).end(),
      (_query, response) => response.socket?.destroy(),
      (_query, response) => response.end(event('ADDED', 'b', '6')),
    ],
    { count: 1 },
  );
  assert.equal([[...new Set(asked)], seen], [['1'], ['ADDED b']]);
  assert.ok(interruptions.length >= 2);
});
test('go on at once where the server ends what has lasted, though nothing has happened', async () => {
  const { now } = performance;
  let passed = 0;
  performance.now = () => now.call(performance) + passed;
  const quiet = (_query: URLSearchParams, response: ServerResponse): void => {
    passed += 300_000;
    response.end();
  };
  const began = now.call(performance);
  try {
    const { seen } = await watched(
      [...Array.from({ length: 7 }, () => quiet), (_query, response) => response.end(event('ADDED', 'b', '6'))],
      { count: 1 },
    );
    assert.equal(seen, ['ADDED b']);
    assert.ok(now.call(performance) - began < 2_000);
  } finally {
    performance.now = now;
  }
});
test('go on as late as the server asks for, where it ends them for a while', async () => {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 500, details: { retryAfterSeconds: 1 } };
  const began = performance.now();
  const { asked, seen, interruptions } = await watched(
    [
      (_query, response) => response.end(`${event('ADDED', 'a', '5')}${JSON.stringify({ type: 'ERROR', object: status })}\n`),
      (_query, response) => response.end(event('ADDED', 'b', '6')),
    ],
    { count: 2 },
  );
  assert.equal([asked, seen, interruptions.length], [['1', '5'], ['ADDED a', 'ADDED b'], 1]);
  assert.ok(performance.now() - began >= 1_000);
});
for (const resourceVersion of ['', '0'])
  test(`do not begin at the version ${JSON.stringify(resourceVersion)}, from which none could go on`, async () => {
    const client = createClient({ server: 'http://127.0.0.1:1' });
    const first = client.resource(configmaps).watch({ resourceVersion }).next();
    const error = await first.catch((thrown: unknown) => thrown);
    assert.instance(error, TypeError);
    assert.match((error as Error).message, /leave it out/);
    client.close();
  });
test('end with an error where there is no way on', async () => {
  const status = (code: number, reason: string) =>
    JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: reason });
  const gone = await watched(
    [(_query, response) => response.end(`${event('ADDED', 'a', '5')}{"type":"ERROR","object":${status(410, 'Expired')}}\n`)],
    { count: 2 },
  );
  assert.ok(isGone(gone.error));
  assert.equal(gone.seen, ['ADDED a']);
  const forbidden = await watched([(_query, response) => response.writeHead(403).end(status(403, 'Forbidden'))], { count: 1 });
  assert.ok(isForbidden(forbidden.error));
});
test('end where an event has no object, and say so', async () => {
  for (const object of ['null', '[]', '5', ' null']) {
    const { error } = await watched([(_query, response) => response.end(`{"type":"ADDED","object":${object}}\n`)], { count: 1 });
    assert.is((error as Error).message, 'the watch has an event without an object');
  }
});
test('read events however they are laid out', async () => {
  const spaced = event('ADDED', 'a', '5').replace('"object":', '"object": ');
  assert.equal((await watched([(_query, response) => response.end(spaced)], { count: 1 })).seen, ['ADDED a']);
});
test('ask for bookmarks and for an end in time', async () => {
  let asked: URLSearchParams | undefined;
  await watched(
    [
      (query, response) => {
        asked = query;
        response.end(event('ADDED', 'a', '5'));
      },
    ],
    { count: 1 },
  );
  assert.equal([asked?.get('watch'), asked?.get('allowWatchBookmarks')], ['true', 'true']);
  const seconds = Number(asked?.get('timeoutSeconds'));
  assert.ok(seconds >= 300 && seconds < 600, `${seconds}`);
});
test('wait for a reader that takes its time', async () => {
  await using context = await serverAndClient();
  const maps = context.client.resource(configmaps).in('default');
  const { metadata } = await maps.list();
  const changes = maps.watch({ idleTimeout: 50, labels: { of: 'test' }, resourceVersion: metadata?.resourceVersion as string });
  const first = changes.next();
  const size = 200;
  for (let i = 0; i < size; i++)
    await maps.create({ metadata: { name: `map-${i}`, labels: { of: 'test' } }, data: { text: 'x'.repeat(10_000) } });
  const seen = [(await first).value.object.metadata.name];
  for (let i = 1; i < size; i++) {
    if (i % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    seen.push((await changes.next()).value.object.metadata.name);
  }
  assert.equal(
    seen,
    Array.from({ length: size }, (_, i) => `map-${i}`),
  );
  await changes.return(undefined as never);
});
test('end when they are told to, with the reason', async () => {
  await using context = await serverAndClient();
  const controller = new AbortController();
  const changes = context.client
    .resource(configmaps)
    .in('default')
    .watch({ signal: controller.signal, labels: { of: 'test' } });
  const next = changes.next().catch((error: unknown) => error);
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 100);
  assert.is(await next, reason);
});
test.run();

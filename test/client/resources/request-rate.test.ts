/** A client that asks no more often than it was told to. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodes } from '../../../generated/client/core/v1/index.ts';
import { ConnectionError, createClient } from '../../../generated/client/index.ts';
import type { Client } from '../../../runtime/client/resources/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { type AnsweringServer, answeringServer } from '../answering-server.ts';

const NODE = JSON.stringify({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'x' } });
const outcomeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

const clientOf = ({ port }: AnsweringServer, perSecond: number, burst?: number): Client =>
  createClient(
    { server: `http://127.0.0.1:${port}` },
    { dialect: 'kubernetes', requestRate: { perSecond, ...(burst !== undefined && { burst }) } },
  );

const test = suite('a client with a rate of requests');

test('sends as many at once as it may, and the others at its rate', async () => {
  await using server = await answeringServer((response) => response.end(NODE));
  const client = clientOf(server, 50, 5);
  const began = performance.now();
  const times = await Promise.all(
    Array.from({ length: 15 }, async () => {
      await client.resource(nodes).get('x');
      return performance.now() - began;
    }),
  );
  // ten more than at once, each 20 ms after the one before; timers are a millisecond early at most
  assert.ok((times[14] as number) >= 190, String(times));
  await client.close();
});

test('counts repetitions, and requests without types', async () => {
  await using server = await answeringServer((response, count) =>
    count === 0 ? response.writeHead(429, { 'retry-after': '0' }).end() : response.end(NODE),
  );
  const client = clientOf(server, 5, 1);
  const began = performance.now();
  await client.resource(nodes).get('x');
  assert.ok(performance.now() - began >= 190, 'the second attempt has had its turn');
  await client.fetch('/version');
  assert.ok(performance.now() - began >= 390);
  await client.close();
});

test('gives the turn of a request that is given up to the next one', async () => {
  await using server = await answeringServer((response) => response.end(NODE));
  const client = clientOf(server, 1, 1);
  const asked = client.resource(nodes);
  await asked.get('x');
  const began = performance.now();
  const reason = new Error('nobody waits');
  const ending = new AbortController();
  const outcomes = Array.from({ length: 50 }, () => outcomeOf(asked.get('x', { signal: ending.signal })));
  // all of them wait for their turns by then
  await sleep(5);
  ending.abort(reason);
  for (const outcome of await Promise.all(outcomes)) assert.is(outcome, reason);
  await asked.get('x');
  assert.ok(performance.now() - began < 25_000, 'half of the time of their turns');
  assert.is(server.asked.length, 2);
  await client.close();
});

test('sends nothing that waits for its turn when the client is closed', async () => {
  await using server = await answeringServer((response) => response.end(NODE));
  const client = clientOf(server, 0.001, 1);
  await client.resource(nodes).get('x');
  const outcome = outcomeOf(client.resource(nodes).get('x'));
  await client.close();
  const error = await outcome;
  assert.instance(error, ConnectionError);
  assert.match((error as Error).message, /the client is closed/);
  assert.is(server.asked.length, 1);
});

test('has ten at once where nothing else is said, and no rate where none is', async () => {
  await using server = await answeringServer((response) => response.end(NODE));
  const client = clientOf(server, 0.001);
  const ending = new AbortController();
  const asks = (from: Client) => Array.from({ length: 100 }, () => outcomeOf(from.resource(nodes).get('x', { signal: ending.signal })));
  const limited = asks(client);
  await eventually('ten have come', () => server.asked.length === 10);
  await Promise.all(asks(server.client));
  assert.is(server.asked.length, 110);
  ending.abort();
  await Promise.all(limited);
  await client.close();
});

for (const [name, rate] of [
  ['a rate of nothing', { perSecond: 0 }],
  ['one that is no number', { perSecond: Number.NaN }],
  ['a burst of nothing', { perSecond: 5, burst: 0 }],
] as const)
  test(`refuses ${name}`, () => {
    assert.throws(() => createClient({ server: 'http://127.0.0.1' }, { requestRate: rate }), /requestRate/);
  });

test.run();

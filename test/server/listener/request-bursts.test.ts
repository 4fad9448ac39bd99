import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RequestBursts } from '../../../runtime/server/listener/request-bursts.ts';

const test = suite('request bursts');

const RESPONSE = {} as ServerResponse;
const requests = (count: number) => Array.from({ length: count }, () => ({ stream: { closed: false, destroyed: false } }));

/** Takes what came at once; each request keeps the thread for a millisecond. */
function burst() {
  const begun: unknown[] = [];
  const bursts = new RequestBursts((request) => {
    begun.push(request);
    for (const until = performance.now() + 1; performance.now() < until; );
  });
  return { begun, take: (request: object) => bursts.take(request as IncomingMessage, RESPONSE) };
}

test('a request that comes alone begins at once', async () => {
  const { begun, take } = burst();
  for (const request of requests(10)) {
    take(request);
    assert.is(begun.at(-1), request);
    await sleep(2);
  }
});

test('of many that come together the first begin at once, and all of them in time, in their order', async () => {
  const { begun, take } = burst();
  const all = requests(60);
  for (const request of all) take(request);
  assert.ok(begun.length >= 1 && begun.length <= 5, `${begun.length} have begun`);
  let rounds = 0;
  // on a busy machine there are milliseconds between the rounds in which some begin
  for (const until = performance.now() + 5_000; begun.length < all.length && performance.now() < until; rounds++)
    await new Promise(setImmediate);
  assert.equal(begun, all);
  assert.ok(rounds >= 5, `${rounds} rounds of the event loop`);
});

test('few of those that take long only later begin at once', async () => {
  let begun = 0;
  const bursts = new RequestBursts(async () => {
    begun++;
    await undefined;
    for (const until = performance.now() + 1; performance.now() < until; );
  });
  for (const request of requests(200)) bursts.take(request as unknown as IncomingMessage, RESPONSE);
  // a machine that is busy with others ends the round sooner
  assert.ok(begun >= 1 && begun <= 32, `${begun} have begun`);
  for (let waited = 0; begun < 200 && waited < 1_000; waited++) await sleep(5);
  assert.is(begun, 200);
});

test('those that were given up meanwhile do not begin', async () => {
  const { begun, take } = burst();
  const all = requests(60);
  for (const request of all) take(request);
  const first = begun.length;
  all.forEach(({ stream }, index) => {
    stream.closed = index % 3 === 0;
    stream.destroyed = index % 3 === 1;
  });
  const wanted = all.filter(({ stream }, index) => index < first || !(stream.closed || stream.destroyed));
  for (let waited = 0; begun.length < wanted.length && waited < 1_000; waited++) await sleep(5);
  await sleep(20);
  assert.equal(begun, wanted);
});

test.run();

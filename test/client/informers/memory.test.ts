/** How much memory an informer takes. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configmaps } from '../../../generated/client/core/v1/index.ts';
import { informer } from '../../../generated/client/index.ts';
import { eventually } from '../../harness/eventually.ts';
import { usedHeap } from '../../harness/heap.ts';
import { bookmark, listWatchServer } from './list-watch-server.ts';

const OBJECTS = 20_000;

const eventOf = (type: string, index: number, version: number): string => {
  const metadata = { name: `map-${index}`, namespace: 'n', uid: `u${index}`, resourceVersion: String(version) };
  return `${JSON.stringify({ type, object: { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { text: 'x'.repeat(900) } } })}\n`;
};

/** @returns bytes of the objects' JSON */
async function send(response: ServerResponse, events: Iterable<string>): Promise<number> {
  let size = 0;
  for (const event of events) {
    size += event.length;
    if (!response.write(event)) await once(response, 'drain');
  }
  return size;
}

/** Once what was on its way is gone: V8 frees buffers beside other work. */
async function heapAtRest(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    await sleep(50);
    least = Math.min(least, usedHeap());
  }
  return least;
}

const test = suite('the memory of an informer');
test('is not much more than the JSON of its objects, before and after each of them has changed', async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  const server = await listWatchServer((_asked, given) => asked.resolve(given));
  const informed = informer(server.client.resource(configmaps)).start();
  try {
    const response = await asked.promise;
    await send(response, [eventOf('ADDED', OBJECTS, 1)]);
    await eventually('there is an object', () => informed.size > 0);
    const before = await heapAtRest();
    const numbers = Array.from({ length: OBJECTS }, (_, index) => index);
    const size = await send(
      response,
      numbers.values().map((index) => eventOf('ADDED', index, 1)),
    );
    response.write(bookmark('1', true));
    await informed.synced();
    const first = ((await heapAtRest()) - before) / size;
    assert.ok(first < 1.25, `${first} times at first`);
    // in no order that the objects have
    await send(
      response,
      numbers.values().map((index) => eventOf('MODIFIED', (index * 7_919) % OBJECTS, index + 2)),
    );
    await eventually('all changes have come', () => informed.resourceVersion === String(OBJECTS + 1));
    const changed = ((await heapAtRest()) - before) / size;
    assert.ok(changed < 1.5, `${changed} times after the changes`);
    console.log(`${first.toFixed(2)} times the JSON, ${changed.toFixed(2)} times after the changes`);
  } finally {
    await informed.stop();
    server.close();
  }
});
test.run();

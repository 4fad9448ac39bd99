import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { snapshotHandler } from '../../../../runtime/endpoints/handlers/pages/snapshot.ts';
import { StatusError } from '../../../../runtime/status/status.ts';
import { AskedServer } from '../asked-server.ts';

const test = suite('snapshots of what is stored');

/** A client that waits for an answer, and what it gets. */
function asked(method = 'GET') {
  const sent: [status: number, body: Readable][] = [];
  const headers = new Map<string, string>();
  const res = Object.assign(new EventEmitter(), { destroyed: false, setHeader: (name: string, value: string) => headers.set(name, value) });
  const state = { answer: { pipe: (status: number, body: Readable) => sent.push([status, body]) } };
  return { context: { method, res, state } as unknown as Context, res, sent, headers };
}
const refusal = (handled: Promise<void>): Promise<number> =>
  handled.then(
    () => assert.unreachable() as never,
    (error) => (error instanceof StatusError ? error.code : Promise.reject(error)),
  );

test('leave as bytes', async () => {
  const bytes = Readable.from(['all']);
  const { context, sent, headers } = asked();
  await snapshotHandler({ take: async () => bytes })(context);
  assert.equal([sent, headers.get('content-type')], [[[200, bytes]], 'application/octet-stream']);
});

test('are not waited for by a second one', async () =>
  assert.is(await refusal(snapshotHandler({ take: () => undefined })(asked().context)), 429));

test('are not read for a client that has gone while they were made', async () => {
  const bytes = Readable.from(['all']);
  const { context, res } = asked();
  await snapshotHandler({
    async take() {
      res.destroyed = true;
      return bytes;
    },
  })(context);
  if (!bytes.closed) await once(bytes, 'close');
  assert.ok(bytes.destroyed);
});

test('are for GET alone', async () => {
  const take = () => assert.unreachable() as never;
  assert.is(await refusal(snapshotHandler({ take })(asked('POST').context)), 405);
});

test('are not to be had of a store that is in memory', async () => {
  const server = await AskedServer.start();
  try {
    assert.is((await server.get('/debug/store/snapshot')).status, 404);
  } finally {
    await server.stop();
  }
});

test.run();

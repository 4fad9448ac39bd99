import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dial } from '../../runtime/relay/dial.ts';
import { exchange } from '../../runtime/relay/exchange.ts';
import { ThrottledConnection } from '../../runtime/relay/throttled-connection.ts';

const test = suite('throttled connections');
const RATE = 100_000;
const SIZE = 30_000;
/** Milliseconds that the bytes take at least, but for the last piece, behind which nobody waits. */
const SHORTEST = ((SIZE - RATE / 10) / RATE) * 1_000;

test('carry what comes, no faster than they may', async () => {
  const [far, near] = duplexPair();
  const throttled = new ThrottledConnection(near, RATE);
  const bytes = randomBytes(SIZE);
  const begun = performance.now();
  far.end(bytes);
  assert.ok((await buffer(throttled)).equals(bytes));
  const took = performance.now() - begun;
  assert.ok(took >= SHORTEST - 1, `${took} ms`);
  throttled.destroy();
});
test('carry what goes, no faster than they may, and then its end', async () => {
  const [far, near] = duplexPair();
  const throttled = new ThrottledConnection(near, RATE);
  const bytes = randomBytes(SIZE);
  const begun = performance.now();
  throttled.end(bytes);
  assert.ok((await buffer(far)).equals(bytes));
  const took = performance.now() - begun;
  assert.ok(took >= SHORTEST - 1, `${took} ms`);
  far.destroy();
});
test('carry both directions, each at its own pace', async () => {
  const [far, near] = duplexPair();
  const throttled = new ThrottledConnection(near, 1_000_000_000);
  const [there, back] = [randomBytes(5_000_000), randomBytes(3_000_000)];
  throttled.end(there);
  far.end(back);
  const [came, went] = await Promise.all([buffer(throttled), buffer(far)]);
  assert.ok(came.equals(back));
  assert.ok(went.equals(there));
});
test('take one byte a second', async () => {
  const [far, near] = duplexPair();
  const throttled = new ThrottledConnection(near, 1);
  far.write('abc');
  const [first] = await once(throttled, 'data');
  assert.is(String(first), 'a');
  throttled.destroy();
});
test('that nobody reads take no more than they hold', async () => {
  const [far, near] = duplexPair();
  const throttled = new ThrottledConnection(near, 1_000_000_000);
  let taken = 0;
  const more = (): void => {
    while (taken < 100_000_000) {
      taken += 100_000;
      if (!far.write(Buffer.alloc(100_000))) return;
    }
  };
  far.on('drain', more);
  more();
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(taken < 2_000_000, `${taken} bytes`);
  throttled.destroy();
});
test('end with what they carry', async () => {
  const [far, near] = duplexPair();
  const throttled = new ThrottledConnection(near, 1);
  far.write('abc');
  throttled.destroy();
  await once(near, 'close');
  const [other, side] = duplexPair();
  const second = new ThrottledConnection(side, 1).on('error', () => {});
  side.destroy(new Error('reset'));
  if (!second.closed) await once(second, 'close').catch(() => {});
  assert.ok(second.destroyed);
  other.destroy();
});
test('are what a request gets that has switched, where there is a limit', async () => {
  const backend = createServer((socket: Socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
      socket.on('data', (chunk) => socket.write(chunk));
    });
    socket.on('error', () => {});
  });
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const { port } = backend.address() as { port: number };
  const ask = (bytesPerSecond?: number) =>
    exchange(
      { target: { host: '127.0.0.1', port }, method: 'GET', path: '/', headers: [], upgrade: 'x' },
      { dial, bytesPerSecond, connectLimit: 5_000, signal: new AbortController().signal },
    );
  const limited = (await ask(RATE)).switched?.socket;
  assert.instance(limited, ThrottledConnection);
  limited?.write('echo');
  assert.is(String((await once(limited as ThrottledConnection, 'data'))[0]), 'echo');
  const unlimited = (await ask()).switched?.socket;
  assert.not.instance(unlimited, ThrottledConnection);
  for (const each of [limited, unlimited]) each?.destroy();
  backend.close();
});
test.run();

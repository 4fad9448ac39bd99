import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ObjectWriteQueue } from '../../../runtime/registry/resource-store/object-write-queue.ts';

const turns = suite('turns of writers');

/** A write that ends when it is told to. */
function heldWrite() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const run = (): Promise<string> => {
    write.began = true;
    return promise;
  };
  const write = { began: false, end: resolve, fail: reject, run };
  return write;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

turns('writers of one key follow each other in the order in which they came', async () => {
  const line = new ObjectWriteQueue();
  const writes = [heldWrite(), heldWrite(), heldWrite()];
  const results = writes.map(({ run }) => line.take('a', run));
  for (const [index, write] of writes.entries()) {
    await settled();
    assert.equal(
      writes.map(({ began }) => began),
      writes.map((_, other) => other <= index),
    );
    write.end(`result ${index}`);
  }
  assert.equal(await Promise.all(results), ['result 0', 'result 1', 'result 2']);
});

turns('writers of different keys do not wait for each other', async () => {
  const line = new ObjectWriteQueue();
  const [first, second] = [heldWrite(), heldWrite()];
  const results = [line.take('a', first.run), line.take('b', second.run)];
  await settled();
  assert.ok(first.began && second.began);
  first.end('');
  second.end('');
  await Promise.all(results);
});

turns('a write that fails gives its turn on', async () => {
  const line = new ObjectWriteQueue();
  const [first, second] = [heldWrite(), heldWrite()];
  const failed = line.take('a', first.run).catch((error: Error) => error.message);
  const result = line.take('a', second.run);
  first.fail(new Error('refused'));
  second.end('done');
  assert.equal([await failed, await result], ['refused', 'done']);
});

turns('who has waited too long goes ahead, and the turns of others stay what they were', async () => {
  const line = new ObjectWriteQueue(1);
  const [first, second, third] = [heldWrite(), heldWrite(), heldWrite()];
  const held = line.take('a', first.run);
  second.end('went ahead');
  assert.is(await line.take('a', second.run), 'went ahead');
  const last = line.take('a', third.run);
  first.end('');
  await held;
  await settled();
  assert.ok(third.began);
  third.end('done');
  assert.is(await last, 'done');
});

turns.run();

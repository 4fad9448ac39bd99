/** The first bytes of a stream are looked at, and whoever reads it has them still. */
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { firstBytes } from '../../runtime/relay/first-bytes.ts';

const test = suite('the first bytes of a stream');

test('are told, and stay in it', async () => {
  const stream = new PassThrough();
  const first = firstBytes(stream);
  stream.write('abc');
  assert.is(String(await first), 'abc');
  stream.end('def');
  assert.is(String(await buffer(stream)), 'abcdef');
});
test('are told of a stream that has them already', async () => {
  const stream = Readable.from([Buffer.from('abc'), Buffer.from('def')]);
  assert.is(String(await firstBytes(stream)), 'abc');
  assert.is(String(await buffer(stream)), 'abcdef');
});
test('are none of a stream that ends without any, which ends for whoever reads it', async () => {
  const stream = new PassThrough();
  const first = firstBytes(stream);
  stream.end();
  assert.is(await first, undefined);
  assert.is((await buffer(stream)).length, 0);
});
test('are none of a stream that has failed, or fails meanwhile', async () => {
  const stream = new PassThrough();
  const first = firstBytes(stream);
  stream.destroy(new Error('broken'));
  assert.is(await first, undefined);
  assert.is(await firstBytes(stream), undefined);
});
test('are none of a message that has come whole without a byte', async () => {
  const stream = Object.assign(new PassThrough(), { complete: true });
  assert.is(await firstBytes(stream), undefined);
});
test('are waited for as long as is said, and are there for others when they come later', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const stream = new PassThrough();
    const first = firstBytes(stream, 200);
    mock.timers.tick(199);
    assert.is(await Promise.race([first, Promise.resolve('waits')]), 'waits');
    mock.timers.tick(1);
    assert.is(await first, undefined);
    stream.end('abc');
    assert.is(String(await buffer(stream)), 'abc');
  } finally {
    mock.timers.reset();
  }
});

test.run();

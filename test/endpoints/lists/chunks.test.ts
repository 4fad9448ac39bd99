import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Chunks } from '../../../runtime/endpoints/lists/chunks.ts';

const test = suite('chunks');

test('hold what was added, in order, each byte once', () => {
  const chunks = new Chunks();
  const large = Buffer.alloc(300 * 1024, 'l');
  chunks.byte(0x61);
  chunks.ascii('bc');
  const first = Buffer.concat(chunks.drain()).toString();
  chunks.bytes(large);
  chunks.bytes(Buffer.from('d'));
  const second = chunks.drain();
  chunks.ascii('e');
  assert.is(first, 'abc');
  assert.equal(Buffer.concat(second), Buffer.concat([large, Buffer.from('d')]));
  assert.is(Buffer.concat(chunks.drain()).toString(), 'e');
  assert.equal(chunks.drain(), []);
  assert.is(chunks.length, 3 + large.length + 2);
});

test('that were drained are not written again', () => {
  const chunks = new Chunks();
  chunks.ascii('kept');
  const [kept] = chunks.drain();
  chunks.ascii('other');
  assert.is(kept?.toString(), 'kept');
});

test.run();

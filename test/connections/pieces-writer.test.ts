/** What a stream gets of a body in pieces, at whatever pace it takes it, and that nothing is written into bytes that it still holds. */
import { once } from 'node:events';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyPieces } from '../../runtime/connections/body-pieces.ts';
import { writePieces } from '../../runtime/connections/pieces-writer.ts';

const test = suite('writing a body in pieces');

function bodyOf(sizes: readonly number[]): BodyPieces {
  const pieces = new BodyPieces();
  for (const [i, length] of sizes.entries()) pieces.bytes(Buffer.alloc(length, i + 1));
  return pieces;
}

/** Takes bytes when it is asked again and looks at them only then, and holds more than one write at a time. */
class Slow extends Writable {
  readonly taken: Buffer[] = [];

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    setImmediate(() => {
      for (const { chunk } of chunks) this.taken.push(Buffer.from(chunk));
      done();
    });
  }
}

/** Around the size of a buffer. */
const size = fc.oneof(fc.nat(10), fc.integer({ min: 65_530, max: 65_540 }), fc.constant(200_000));

test('the stream gets all of it, and is told to end', () =>
  fc.assert(
    fc.asyncProperty(fc.array(size, { maxLength: 6 }), async (sizes) => {
      const body = bodyOf(sizes);
      const stream = new Slow();
      let given = 0;
      writePieces(stream, body, (bytes) => (given += bytes.length));
      await once(stream, 'finish');
      assert.ok(Buffer.concat(stream.taken).equals(Buffer.concat(body.pieces)));
      assert.is(given, body.length);
    }),
    { numRuns: 30 },
  ));

test('a stream that takes nothing is given two buffers, and no more', async () => {
  let writes = 0;
  const stream = new Writable({ write: () => void writes++ });
  let given = 0;
  writePieces(stream, bodyOf([1_000_000]), (bytes) => (given += bytes.length));
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  assert.is(writes, 1);
  assert.is(given, 2 * 64 * 1024);
  stream.destroy();
});

test('nothing is written after the stream was destroyed', async () => {
  let given = 0;
  const stream = new Writable({ write: (_chunk, _encoding, done) => void setImmediate(done) }).on('error', () => {});
  writePieces(stream, bodyOf([10_000_000]), (bytes) => (given += bytes.length));
  await new Promise(setImmediate);
  stream.destroy();
  const before = given;
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  assert.is(given, before);
});

test.run();

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyPieces } from '../../runtime/connections/body-pieces.ts';

const test = suite('a body in pieces');

test('is read as a whole, whatever buffers it is read into', () =>
  fc.assert(
    fc.property(fc.array(fc.nat(30), { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), (sizes, bufferSize) => {
      const pieces = new BodyPieces();
      const all = Buffer.concat(sizes.map((length, i) => Buffer.alloc(length, i + 1)));
      for (const [i, length] of sizes.entries()) pieces.bytes(Buffer.alloc(length, i + 1));
      assert.is(pieces.length, all.length);
      const reader = pieces.reader();
      const read: Buffer[] = [];
      for (let left = all.length; left > 0; ) {
        const buffer = Buffer.alloc(bufferSize);
        const filled = reader.fill(buffer);
        assert.is(filled, Math.min(bufferSize, left));
        read.push(buffer.subarray(0, filled));
        left -= filled;
      }
      assert.is(reader.fill(Buffer.alloc(1)), 0);
      assert.ok(Buffer.concat(read).equals(all));
    }),
  ));

test('may be read several times, with texts in it', () => {
  const pieces = new BodyPieces();
  pieces.text('{"ü":');
  pieces.bytes(Buffer.from('1}'));
  assert.is(pieces.length, 8);
  for (let i = 0; i < 2; i++) {
    const buffer = Buffer.alloc(8);
    assert.is(pieces.reader().fill(buffer), 8);
    assert.is(buffer.toString(), '{"ü":1}');
  }
});

test.run();

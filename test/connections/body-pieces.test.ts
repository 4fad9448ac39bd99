import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyPieces } from '../../runtime/connections/body-pieces.ts';

const test = suite('a body in pieces');

/** Around the size of what leaves at a time. */
const size = fc.oneof(fc.nat(10), fc.integer({ min: 65_530, max: 65_540 }), fc.constant(200_000));

test('leaves as a whole, in chunks of one size but for the last', () =>
  fc.assert(
    fc.property(fc.array(size, { maxLength: 6 }), (sizes) => {
      const pieces = new BodyPieces();
      const all = sizes.map((length, i) => Buffer.alloc(length, i + 1));
      for (const each of all) pieces.bytes(each);
      const chunks = [...pieces.chunks()];
      assert.ok(Buffer.concat(chunks).equals(Buffer.concat(all)));
      assert.is(
        pieces.length,
        all.reduce((sum, { length }) => sum + length, 0),
      );
      for (const { length } of chunks.slice(0, -1)) assert.is(length, 64 * 1024);
      assert.ok(chunks.every(({ length }) => length > 0));
    }),
  ));

test('may be sent several times, with texts in it', () => {
  const pieces = new BodyPieces();
  pieces.text('{"ü":');
  pieces.bytes(Buffer.from('1}'));
  for (let i = 0; i < 2; i++) assert.is(Buffer.concat([...pieces.chunks()]).toString(), '{"ü":1}');
  assert.is(pieces.length, 8);
});

test.run();

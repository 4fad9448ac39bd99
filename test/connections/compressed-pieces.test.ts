import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyPieces } from '../../runtime/connections/body-pieces.ts';
import { gzipPieces } from '../../runtime/connections/compressed-pieces.ts';
import { joinedChecksum, shiftBy } from '../../runtime/connections/crc32.ts';

const test = suite('bodies in pieces as gzip');

function bodyOf(pieces: readonly Buffer[]): BodyPieces {
  const body = new BodyPieces();
  for (const each of pieces) body.bytes(each);
  return body;
}

const member = (i: number, fill = 'x'): Buffer => Buffer.from(`,"member${i}":"${fill.repeat(500 + (i % 7) * 100)}"`);
const unpacked = (body: BodyPieces): Buffer => gunzipSync(Buffer.concat(body.pieces));

test('the checksum of bytes one behind the other follows from those of both', () =>
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (a, b) => {
      assert.is(joinedChecksum(crc32(a), crc32(b), shiftBy(b.length)), crc32(Buffer.concat([a, b])));
    }),
  ));

test('the checksum of bytes before many', () => {
  const zeros = Buffer.alloc(40_000_000);
  assert.is(joinedChecksum(crc32('abc'), crc32(zeros), shiftBy(zeros.length)), crc32(zeros, crc32('abc')));
});

test('any pieces are unpacked as they were', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 2_000 }), { maxLength: 80 }), async (all) => {
      const body = bodyOf(all.map((each) => Buffer.from(each)));
      assert.ok(unpacked(await gzipPieces(body, 1)).equals(Buffer.concat(body.pieces)));
    }),
    { numRuns: 30 },
  ));

test('pieces that are longer than a run', async () => {
  const body = bodyOf([Buffer.alloc(700_000, 'a'), Buffer.alloc(600_000, 'b'), Buffer.from('c')]);
  assert.ok(unpacked(await gzipPieces(body, 1)).equals(Buffer.concat(body.pieces)));
});

test('a change compresses what is around it anew, and nothing else', async () => {
  const pieces = Array.from({ length: 2_000 }, (_, i) => member(i));
  const before = await gzipPieces(bodyOf(pieces), 1);
  for (const changed of [
    pieces.toSpliced(1_000, 1, member(1_000, 'y')),
    pieces.toSpliced(1_000, 1),
    pieces.toSpliced(1_000, 0, member(5, 'y')),
  ]) {
    const after = await gzipPieces(bodyOf(changed), 1);
    assert.ok(unpacked(after).equals(Buffer.concat(changed)));
    const known = new Set(before.pieces);
    const anew = after.pieces.filter((each) => !known.has(each));
    // what was cut there, and the trailer
    assert.ok(anew.length <= 3, `${anew.length} of ${after.pieces.length}`);
    assert.ok(before.pieces.length > 20);
  }
});

test('the same body is compressed once', async () => {
  const body = bodyOf([member(1), member(2)]);
  assert.is(await gzipPieces(body, 1), await gzipPieces(body, 1));
});

test.run();

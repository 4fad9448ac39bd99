import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checksumBehindHead } from '../../../runtime/storage/lmdb/codecs/checksum-behind-head.ts';

const test = suite('checksums behind the first four bytes');

test('are those of zlib, whatever the first four bytes are', () => {
  const seeds = fc.nat({ max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4, maxLength: 300 }), seeds, (array, seed) => {
      const bytes = Buffer.from(array);
      assert.is(checksumBehindHead(bytes, seed), crc32(bytes.subarray(4), seed));
    }),
  );
});

test.run();

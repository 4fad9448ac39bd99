import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { utf8Text } from '../../../runtime/schema/text/utf8-text.ts';

const test = suite('text of bytes');
const read = (hex: string, ...range: number[]): string => utf8Text(Buffer.from(hex.replaceAll(' ', ''), 'hex'), ...range);

for (const [name, hex, text] of [
  ['a character that is cut off', 'e282 78', '\ufffd\ufffdx'],
  ['four bytes of which three are there', 'f09f98', '\ufffd\ufffd\ufffd'],
  ['a surrogate', 'eda080', '\ufffd\ufffd\ufffd'],
  ['a long form', 'c080', '\ufffd\ufffd'],
  ['beyond the last character', 'f4908080', '\ufffd\ufffd\ufffd\ufffd'],
  ['a byte that begins nothing', '61ff62', 'a\ufffdb'],
  ['a byte that goes on alone', '8061', '\ufffda'],
  ['a beginning behind another one', 'e282 c3a9', '\ufffd\ufffdé'],
  ['the replacement itself', 'efbfbd', '\ufffd'],
  ['a mark of the order of bytes', 'efbbbf61', '\ufeffa'],
] as const)
  test(`${name}: each byte that belongs to no character counts`, () => assert.is(read(hex), text));

test('of a part', () => assert.is(read('61e2826200', 1, 4), '\ufffd\ufffdb'));

test('what is UTF-8 stays', () =>
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.is(utf8Text(Buffer.from(text)), text))));

test('among any bytes each character is found', () =>
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (array) => {
      const bytes = Buffer.from(array);
      let text = '';
      for (let i = 0; i < bytes.length; ) {
        const size = [1, 2, 3, 4].find((count) => i + count <= bytes.length && isUtf8(bytes.subarray(i, i + count))) ?? 0;
        text += size === 0 ? '\ufffd' : bytes.toString('utf8', i, i + size);
        i += size || 1;
      }
      assert.is(utf8Text(bytes), text);
    }),
    { numRuns: 2_000 },
  ));

test('millions of wrong bytes take one pass', () => {
  const before = process.cpuUsage();
  assert.is(utf8Text(Buffer.alloc(3_000_000, 0xe2)).length, 3_000_000);
  assert.ok(process.cpuUsage(before).user < 1_000_000);
});

test.run();

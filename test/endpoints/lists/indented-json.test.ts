import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { indentedJson } from '../../../runtime/endpoints/lists/indented-json.ts';

const test = suite('indented JSON');

const indented = (text: string, depth = 0): string => indentedJson(Buffer.from(text), depth).toString();

test('is what JSON.stringify gives', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      assert.is(indented(JSON.stringify(value)), JSON.stringify(value, null, 2));
    }),
  );
});

test('stands at the level of what is around it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(5), (value, depth) => {
      const inside = JSON.stringify(value, null, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`);
      assert.is(indented(JSON.stringify(value), depth), inside);
    }),
  );
});

for (const [name, text, expected] of [
  [
    'leaves white space between parts out',
    '{ "a" :\n[ 1\t,2 ] , "b":{ },"c":[\r\n]}',
    '{\n  "a": [\n    1,\n    2\n  ],\n  "b": {},\n  "c": []\n}',
  ],
  ['keeps the digits of numbers', '[12345678901234567890,1.10,1e3]', '[\n  12345678901234567890,\n  1.10,\n  1e3\n]'],
  ['keeps texts with quotes, braces and white space', '{"a\\"{":"b\\\\","c":" [,:] "}', '{\n  "a\\"{": "b\\\\",\n  "c": " [,:] "\n}'],
  ['keeps a long text', `["${'é,'.repeat(200_000)}"]`, `[\n  "${'é,'.repeat(200_000)}"\n]`],
] as const)
  test(name, () => {
    assert.is(indented(text), expected);
  });

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { duplicate, invalid, Notation, notFound, notSupported } from '../../runtime/contract/field-error.ts';

const test = suite('errors of fields');

const rows: [value: unknown, shown: string][] = [
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ['\u0000\u0001\u007f', '"\\x00\\x01\\x7f"'],
  ['\u0007\u000b\n', '"\\a\\v\\n"'],
  ['ü日 \u00a0\u200b', '"ü日 \\u00a0\\u200b"'],
  ['\u{e0001}', '"\\U000e0001"'],
  [5, '5'],
  [true, 'true'],
  [undefined, '"null"'],
  [new Notation('[]string{}'), '[]string{}'],
];
for (const [value, shown] of rows)
  test(`show ${JSON.stringify(value)} as Go does`, () => {
    assert.is(invalid('a', value, 'x').message, `Invalid value: ${shown}: x`);
    assert.is(duplicate('a', value).message, `Duplicate value: ${shown}`);
    assert.is(notFound('a', value).message, `Not found: ${shown}`);
  });

test('show what is supported as Go does', () => {
  assert.is(notSupported('a', '\u0000', ['\u0001', 'b']).message, 'Unsupported value: "\\x00": supported values: "\\x01", "b"');
});

test.run();

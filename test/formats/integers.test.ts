import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { integerProblem } from '../../runtime/formats/integers.ts';

const test = suite('integers as texts');
const RANGE = 'value out of range';
const SYNTAX = 'invalid syntax';
const rows: readonly [text: string, bits: 32 | 64, problem?: string][] = [
  ['0', 64],
  ['+7', 64],
  ['-007', 64],
  ['9223372036854775807', 64],
  ['-9223372036854775808', 64],
  ['9223372036854775808', 64, RANGE],
  ['-9223372036854775809', 64, RANGE],
  ['2147483647', 32],
  ['-2147483648', 32],
  ['2147483648', 32, RANGE],
  ['-2147483649', 32, RANGE],
  ['9223372036854775808', 32, RANGE],
  [`${'0'.repeat(100)}5`, 32],
  ['9'.repeat(100_000), 64, RANGE],
  ['', 64, SYNTAX],
  ['1.0', 64, SYNTAX],
  ['1e3', 64, SYNTAX],
  [' 1', 64, SYNTAX],
  ['0x1', 64, SYNTAX],
];
for (const [text, bits, problem] of rows)
  test(`${text.slice(0, 24)} in ${bits} bits: ${problem ?? 'is one'}`, () =>
    assert.is(integerProblem(text, bits), problem && `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${problem}`));
test('a text is quoted as Go does', () => assert.is(integerProblem('\u2028'), 'strconv.ParseInt: parsing "\\u2028": invalid syntax'));
test.run();

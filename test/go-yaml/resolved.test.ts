import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isNoText } from '../../runtime/go-yaml/resolved.ts';

const test = suite('texts that YAML reads as something else');

const others: readonly [what: string, texts: readonly string[]][] = [
  ['nulls', ['', '~', 'null', 'Null', 'NULL']],
  ['booleans', ['y', 'N', 'yes', 'No', 'TRUE', 'false', 'on', 'Off']],
  [
    'integers',
    ['0', '-0', '+1', '00', '0777', '0o17', '0X1f', '0B11', '1_000', '0b-1', '-0b1', '9223372036854775808', '0xffffffffffffffff'],
  ],
  ['floats', ['.5', '.5_0', '1.', '1e3', '-.5E-3', '08', '1._5', '18446744073709551616', '.inf', '-.INF', '.NaN']],
  ['numbers to the base 60', ['1:30', '190:20:30.15', '-1:0']],
  ['times', ['2024-01-02', '2024-2-29', '2024-01-02T03:04:05Z', '2024-1-2t3:4:5.5-01:30', '2024-01-02 03:04:05', '2024-01-02  3:4:5,25']],
];
for (const [what, texts] of others)
  test(what, () => {
    for (const text of texts) assert.is(isNoText(text), true, text);
  });

const plain: readonly [what: string, texts: readonly string[]][] = [
  ['words in other letters', ['nULL', 'yEs', 'oN', 'nan', 'Infinity', '+Inf', '<<', '=']],
  [
    'what is almost a number',
    ['.', '-', '+', '_1', '.5_', '._5', '0x', '0xg', '0b2', '-0b', '0o8', '1e', '1.5.5', '1e400', '.5e400', '-0x8000000000000001'],
  ],
  ['what is almost to the base 60', ['1:60', '1:', ':30', 'a:30']],
  [
    'times that there are not',
    [
      '2023-02-29',
      '2024-13-01',
      '2024-01-00',
      '24-01-02',
      '2024-01-02T24:00:00Z',
      '2024-01-02 03:60:05',
      '2024-01-02T03:04:05',
      '2024-01-02T03:04:05+25:00',
      '2024-01-02 03:04:05.',
    ],
  ],
];
for (const [what, texts] of plain)
  test(what, () => {
    for (const text of texts) assert.is(isNoText(text), false, text);
  });

test.run();

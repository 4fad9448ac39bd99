import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kubernetesLibraries } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { result } from './evaluation.ts';

const LIBRARIES = kubernetesLibraries(32);
const NAMES_NOTHING = 'error: no such overload';

const values: readonly (readonly [expression: string, value: unknown])[] = [
  // A double below zero is no uint, whatever is left of it without its fraction.
  ['uint(dyn(-0.5))', 'error: unsigned integer overflow'],
  ['uint(dyn(0.5))', '0u'],
  ["double(dyn('1_2.5_0e1_0'))", 125_000_000_000],
  ["double(dyn('+.5'))", 0.5],
  ...["'1__0'", "'_1'", "'1_'", "'1_.0'", "'1._0'", "'1e_5'", "'+nan'"].map(
    (text) => [`double(dyn(${text}))`, "error: type conversion error from 'string' to 'double'"] as const,
  ),

  // What no value of the type can do names the function, what one may do with other operands does not.
  ...['true + 1', 'null + 1', '{} + 1'].map((sum) => [sumOfDyn(sum), 'error: no such overload: _+_'] as const),
  ["dyn(1) + 'a'", NAMES_NOTHING],
  ["dyn('a') - 1", NAMES_NOTHING],
  ['dyn([1]) - 1', 'error: no such overload: _-_'],
  ['dyn(1.5) % 2', 'error: no such overload: _%_'],
  ["dyn(duration('1s')) * 2", NAMES_NOTHING],
  ["dyn(b'a') / 2", 'error: no such overload: _/_'],
  ['dyn([1]) < dyn([2])', 'error: no such overload: _<_'],
  ['dyn(null) >= 1', 'error: no such overload: _>=_'],
  ["dyn(1) < 'a'", NAMES_NOTHING],
  ['-dyn(1u)', 'error: no such overload: -_'],
  ['-dyn(true)', NAMES_NOTHING],
  ["-dyn('a')", NAMES_NOTHING],
  ['!dyn(1)', NAMES_NOTHING],
  ['size(dyn(1))', 'error: no such overload: size'],
  ["size(dyn(duration('1s')))", NAMES_NOTHING],
  ["dyn(1).startsWith('a')", NAMES_NOTHING],
  ["'a'.contains(dyn(1))", NAMES_NOTHING],
  ["dyn(1).matches('a')", 'error: no such overload'],
  ["'a'.matches(dyn(1))", NAMES_NOTHING],
  ['dyn(1).getHours()', 'error: no such overload: getHours(int)'],
  ["dyn('a').getHours()", 'error: no such overload: getHours(string)'],
  ["dyn([1]).getFullYear('UTC')", 'error: no such overload: getFullYear(list, string)'],
  ['timestamp(0).getHours(dyn(1))', 'error: no such overload: getHours(google.protobuf.Timestamp, int)'],
  ['int(dyn([1]))', 'error: no such overload: int(list)'],

  ["timestamp(0).getMinutes('1:05')", 5n],
  ["timestamp(0).getHours('-2:-30')", 22n],
  ["timestamp(0).getDayOfMonth('48:00')", 2n],
  ["timestamp(0).getHours('a:b')", 'error: strconv.Atoi: parsing "a": invalid syntax'],
  ["timestamp(0).getHours('1:')", 'error: strconv.Atoi: parsing "": invalid syntax'],
  ["timestamp(0).getHours('1:2:3')", 'error: strconv.Atoi: parsing "2:3": invalid syntax'],
  ["timestamp(0).getHours('99999999999999999999:00')", 'error: strconv.Atoi: parsing "99999999999999999999": value out of range'],
  ["timestamp(0).getHours('9000000000000000000:00') >= 0", true],
  ["timestamp(0).getHours('../UTC')", 'error: time: invalid location name'],
  ["timestamp(0).getHours('nowhere')", 'error: unknown time zone nowhere'],

  // A point in time has the clock that it was told by.
  ["string(timestamp('2011-08-18T19:03:37.010+01:00'))", '2011-08-18T19:03:37.01+01:00'],
  ["string(timestamp('2011-08-18T00:03:37-05:30') + duration('1h'))", '2011-08-18T01:03:37-05:30'],
  ["string(duration('1h') + timestamp('2011-08-18T00:03:37-05:30'))", '2011-08-18T01:03:37-05:30'],
  ["string(timestamp('2011-08-18T00:03:37+00:00') - duration('1h'))", '2011-08-17T23:03:37Z'],
  ["string(timestamp('9999-12-31T23:59:59+01:00') + duration('1h'))", '10000-01-01T00:59:59+01:00'],
  ["string(timestamp('0001-01-01T01:30:00+01:00') - duration('30m'))", '0001-01-01T01:00:00+01:00'],
  ["'%s'.format([timestamp('2011-08-18T19:03:37+01:00')])", '2011-08-18T19:03:37+01:00'],
  // its parts are those of UTC
  ["timestamp('2011-08-18T00:03:37+01:00').getDate()", 17n],
  ["timestamp('2011-08-18T00:03:37+01:00').getDate('UTC')", 17n],
  ["timestamp('2011-08-18T00:03:37+01:00').getHours()", 23n],
  ["timestamp('2011-08-18T00:03:37+01:00') == timestamp('2011-08-17T23:03:37Z')", true],

  // Seconds are a double when they are written.
  ["string(duration('9223372036.854775807s'))", '9223372036.854776s'],
  ["string(duration('-92233720.368547753s'))", '-92233720.36854775s'],
  ["string(duration('1h0m0.000000001s'))", '3600.000000001s'],
  ["string(duration('-1ns'))", '-0.000000001s'],
  ["string(duration('1500ns'))", '0.0000015s'],
  ["string(duration('0s'))", '0s'],

  ['dyn(1).all(x, true)', "error: got 'types.Int', expected iterable type"],
  ["dyn('a').map(x, x)", "error: got 'types.String', expected iterable type"],
  ['dyn(null).exists_one(x, true)', "error: got 'types.Null', expected iterable type"],
  ['dyn(1u).all(i, x, true)', 'error: unsupported comprehension range type: types.Uint'],
  ["dyn(duration('1s')).transformList(i, x, x)", 'error: unsupported comprehension range type: types.Duration'],

  ["double('NaN') < 1.0", 'error: NaN values cannot be ordered'],
  ["dyn(1) >= double('NaN')", 'error: NaN values cannot be ordered'],

  // The last entry of a key counts.
  ['{1: 1, 1: 2}', { 1: 2n }],
  ['{1: 1, 1: 2}.size()', 1n],
  ['{dyn(1): 1, dyn(1u): 2}.size()', 2n],
  ['{dyn(1u): 1, dyn(1): 2, dyn(1u): 3}[1u]', 3n],
  ['{dyn(1u): 1, dyn(1): 2}[1]', 2n],
  ['{dyn(1u): 1, dyn(1): 2}[1.0]', 2n],
  ['{1u: 1}[dyn(1)]', 1n],
  ['{1: 1}[dyn(1u)]', 1n],
  ['dyn(-1) in {18446744073709551615u: 1}', false],
  ['dyn(1) in {1.0: 1}', false],
  ['1.0 in {1.0: 1}', true],
  ["-dyn(duration('1s')) == duration('-1s')", true],
  ["duration('1m1.5s').getMilliseconds()", 61_500n],
  ["-dyn('a')", NAMES_NOTHING],
  ["double('0x1p-2')", 0.25],
  ["double('-0X_1.8P+1')", -3],
  ["double('0x.8p0')", 0.5],
  ["double('0x1p-1075')", 0],
  ["double('0x1.8p-1075') == double('5e-324')", true],
  ["double('0x1fffffffffffff8p0') == 144115188075855872.0", true],
  ["double('0x0p99999')", 0],
  ["double('0x1')", "error: type conversion error from 'string' to 'double'"],
  ["double('0x1p1024')", "error: type conversion error from 'string' to 'double'"],
  ["double('0x1_p1')", "error: type conversion error from 'string' to 'double'"],
  ["timestamp(0).getHours('us/central')", 'error: unknown time zone us/central'],
  ["timestamp(0).getHours('US/Central')", 18n],
  ["timestamp(0).getHours('Asia/Kolkata')", 5n],
  ["timestamp(0).getHours('Etc/GMT+5')", 19n],
  ["timestamp(0).getHours('utc')", 'error: unknown time zone utc'],
  ["timestamp(0).getHours('UTC')", 0n],
  ["timestamp(0).getHours('+01')", 'error: unknown time zone +01'],
  ['{dyn(1.5): 1}[dyn(1.5)]', 1n],
  ["string(timestamp('2024-01-01T00:00:00-00:60'))", '2024-01-01T00:00:00-01:00'],
  ["string(timestamp('2024-01-01T5:00:00Z'))", '2024-01-01T05:00:00Z'],
  ["timestamp('9999-01-01T00:00:00Z') - timestamp('1970-01-01T00:00:00Z')", 'error: integer overflow'],
  ["duration('9223372036854775807ns') + duration('1ns')", 'error: integer overflow'],
  ["-dyn(duration('-9223372036854775808ns'))", 'error: integer overflow'],
  ['{dyn(1): 2}[dyn(1234567.5)]', 'error: no such key: 1.2345675e+06'],
  ["timestamp(0) - duration('-9223372036854775808ns')", 'error: integer overflow'],
  ['duration(size([1]))', "error: type conversion error from 'int' to 'google.protobuf.Duration'"],
  ["int(dyn('a'))", "error: type conversion error from 'string' to 'int'"],
  ['[?dyn(1)]', 'error: cannot initialize optional list element from non-optional value 1'],
  ['[int].all(each, each == int)', 'error: reference to undefined type: each'],
  ['timestamp(null) == null', `error: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp(null) == null\n | ..........^`],
  ["{?'a': dyn(1)}", "error: cannot initialize optional entry 'a' from non-optional value 1"],
];

function sumOfDyn(sum: string): string {
  const [left, right] = sum.split(' + ');
  return `dyn(${left}) + ${right}`;
}

const standard = suite('what the standard library of 1.32 gives');
for (const [expression, value] of values)
  standard(expression, () => {
    let found: unknown;
    try {
      found = result(expression, LIBRARIES);
    } catch (error) {
      found = `error: ${(error as Error).message}`;
    }
    assert.equal(found, value);
  });
standard.run();

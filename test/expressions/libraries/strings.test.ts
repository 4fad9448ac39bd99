import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kubernetesLibraries } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { compileError, result } from './evaluation.ts';

const LIBRARIES = kubernetesLibraries(32);

const values: readonly (readonly [expression: string, value: unknown])[] = [
  ["'tacocat'.charAt(7)", ''],
  ["'a😀b'.charAt(1)", '😀'],
  ["'tacocat'.charAt(8)", 'error: index out of range: 8'],
  ["'hello mellow'.indexOf('')", 0n],
  ["'hello mellow'.indexOf('', 40)", 40n],
  ["'hello mellow'.indexOf('ello', 2)", 7n],
  ["'hello mellow'.indexOf('ello', 20)", -1n],
  ["'hello mellow'.indexOf('ello', -1)", 'error: index out of range: -1'],
  ["'abc'.indexOf('x', 3)", -1n],
  ["''.indexOf('x')", -1n],
  ["''.lastIndexOf('x')", 'error: index out of range: -1'],
  ["''.lastIndexOf('x', 0)", -1n],
  ["'abc'.lastIndexOf('c', 3)", -1n],
  ["'abc'.lastIndexOf('c', 30)", -1n],
  ["'abc'.lastIndexOf('abcd')", -1n],
  ["'😀😀x'.indexOf('x')", 2n],
  ["'hello mellow'.lastIndexOf('')", 12n],
  ["'hello mellow'.lastIndexOf('ello')", 7n],
  ["'hello mellow'.lastIndexOf('ello', 6)", 1n],
  ["'hello mellow'.lastIndexOf('ello', -1)", 'error: index out of range: -1'],
  ["'TacoCÆt Xii'.lowerAscii()", 'tacocÆt xii'],
  ["'hello hello'.replace('he', 'we', 1)", 'wello hello'],
  ["'hello hello'.replace('he', 'we', 0)", 'hello hello'],
  ["'hello hello'.replace('he', 'we', -1)", 'wello wello'],
  ["'abc'.replace('', '_')", '_a_b_c_'],
  ["'abc'.replace('', '_', 2)", '_a_bc'],
  ["'a😀'.replace('', '_')", '_a_😀_'],
  ["'hello hello hello'.split(' ', 2)", ['hello', 'hello hello']],
  ["'hello'.split(' ', 0)", []],
  ["'héllo'.split('')", ['h', 'é', 'l', 'l', 'o']],
  ["'hello'.split('', 2)", ['h', 'ello']],
  ["''.split('')", []],
  ["''.split(',')", ['']],
  ["'tacocat'.substring(2, 1)", 'error: invalid substring range. start: 2, end: 1'],
  ["'ta©o©αT'.substring(2, 6)", '©o©α'],
  ["'\\u0085 x\\u200b '.trim()", 'x\u200b'],
  ["['a', 'b'].join('-')", 'a-b'],
  ["[dyn('a'), dyn(1)].join()", 'error: join: invalid input: 1'],
  ['strings.quote("a\\u0007\\"b\\\\")', '"a\\a\\"b\\\\"'],
];

const formats: readonly (readonly [expression: string, value: unknown])[] = [
  ["'%s %s %s'.format([true, null, 'x'])", 'true null x'],
  ["'%%%d%%'.format([5])", '%5%'],
  ["'%f'.format([1234567.891])", '1,234,567.891000'],
  ["'%.2f'.format([-0.005])", '-0.01'],
  ["'%.3f'.format([1.2345])", '1.234'],
  ["'%.0f'.format([2.5])", '2'],
  ["'%.0f'.format([0.5])", '0'],
  ["'%.300f'.format([1.5])", `1.5${'0'.repeat(43)}`],
  ["'%f'.format(['NaN'])", 'NaN'],
  ["'%f'.format([double('-Infinity')])", '-∞'],
  ["'%e'.format([3.14])", '3.140000\u202f×\u202f10⁰⁰'],
  ["'%e'.format([0.000314])", '3.140000\u202f×\u202f10⁻⁰⁴'],
  ["'%e'.format([9.9999999e22])", '1.000000\u202f×\u202f10²³'],
  ["'%.20e'.format([1.0])", '     1.000000\u202f×\u202f10⁰⁰'],
  ["'%b %o %x %X'.format([5, 8, 255, 255])", '101 10 ff FF'],
  ["'%x'.format([-255])", '-ff'],
  ["'%x'.format(['hé'])", '68c3a9'],
  ["'%b'.format([true])", '1'],
  ["'%s'.format([[1, 2.5, 'a\"', b'x', null]])", '[1, 2.500000, "a\\"", b"x", null]'],
  ['\'%s\'.format([{"b": duration("1m"), "a": [double("Infinity")]}])', '{"a":["+Inf"], "b":duration("60s")}'],
  ["'%s'.format([timestamp('2023-02-03T23:31:20Z')])", '2023-02-03T23:31:20Z'],
  ["'%s'.format([type(1)])", 'int'],
  ["'%d'.format([dyn('x')])", 'error: error during formatting: decimal clause can only be used on integers, was given string'],
  [
    "'%s'.format([dyn(quantity('1'))])",
    'error: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity',
  ],
  ["dyn('%d %d').format([1])", 'error: index 1 out of range'],
  ["dyn('%').format([1])", 'error: unexpected end of string'],
  ["dyn('%a').format([1])", 'error: could not parse formatting clause: unrecognized formatting clause "a"'],
  [
    "dyn('%.1').format([1])",
    'error: could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
  ],
];

const refusals: readonly (readonly [expression: string, message: string])[] = [
  ["'%d'.format(['x'])", 'error during formatting: decimal clause can only be used on integers, was given string'],
  ["'%s'.format([[1, quantity('1')]])", 'durations, and timestamps, was given kubernetes.Quantity'],
  ["'%d'.format([1, 2])", 'too many arguments supplied to string.format (expected 1, got 2)'],
  ["'%d %d'.format([1])", 'index 1 out of range'],
  ["'%z'.format([1])", 'unrecognized formatting clause "z"'],
];

const test = suite('texts in expressions');
for (const [expression, value] of [...values, ...formats]) test(expression, () => assert.equal(result(expression, LIBRARIES), value));
for (const [expression, message] of refusals)
  test(`${expression} is refused`, () => assert.match(compileError(expression, LIBRARIES), message));
test('formats that are not stated are not held against their arguments', () =>
  assert.is(compileError("(true ? '%d' : '%s').format(['x'])", LIBRARIES), ''));
test.run();

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addQuantities,
  canonicalQuantity,
  canonicalResourceQuantity,
  compareQuantities,
  formatQuantity,
  integerValue,
  negateQuantity,
  parseQuantity,
  type QuantityFormat,
} from '../../../runtime/schema/scalar/quantity.ts';
import { ScalarError } from '../../../runtime/schema/scalar/scalar-error.ts';

const quantity = suite('quantity');

const canonical: readonly [text: string, canonical: string][] = [
  ['0', '0'],
  ['-0', '0'],
  ['0Ki', '0'],
  ['000', '0'],
  ['m', '0'],
  ['1', '1'],
  ['+1', '+1'],
  ['00012', '00012'],
  ['00012Ki', '00012Ki'],
  ['00016Ki', '16Ki'],
  ['1.500', '1.500'],
  ['0.500', '500m'],
  ['1.5000', '1500m'],
  ['1234567890123456789000', '1234567890123456789k'],
  ['1000m', '1'],
  ['0.5', '500m'],
  ['.5', '500m'],
  ['5.', '5.'],
  ['2.0', '2'],
  ['0.1', '100m'],
  ['0.0005', '500u'],
  ['1000', '1k'],
  ['1000k', '1M'],
  ['1500', '1500'],
  ['10000', '10k'],
  ['1024', '1024'],
  ['1024Ki', '1Mi'],
  ['1.5Gi', '1536Mi'],
  ['0.5Gi', '512Mi'],
  ['10000Ki', '10000Ki'],
  ['10240Mi', '10Gi'],
  ['1.5Ki', '1536'],
  ['0.5Ki', '512'],
  ['0.1Ki', '102400m'],
  ['0.0001Ki', '102400u'],
  ['1Ei', '1Ei'],
  ['1024Ei', '9223372036854775807'],
  ['1.953125Ki', '2k'],
  ['128974848', '128974848'],
  ['1e3', '1e3'],
  ['1E3', '1E3'],
  ['1e1', '10'],
  ['1e-1', '100e-3'],
  ['12e6', '12e6'],
  ['1e+3', '1e+3'],
  ['100e-3', '100e-3'],
  ['1E', '1E'],
  ['1000E', '1e21'],
  ['1n', '1n'],
  ['0.1n', '1n'],
  ['-0.1n', '-1n'],
  ['1.0000000001', '1000000001n'],
  ['1e-100', '1e-9'],
  ['-1.5Gi', '-1536Mi'],
  ['-1', '-1'],
  [' 1 ', '1'],
  ['Ti', '0'],
  ['e3', '0'],
  ['0e-20', '0'],
  ['0e2147483648', '0'],
  ['0e99999999999999', '0'],
];
for (const [text, expected] of canonical) {
  quantity(`${JSON.stringify(text)} is ${expected}`, () => {
    assert.is(canonicalQuantity(text), expected);
    assert.is(canonicalQuantity(expected), expected);
  });
}

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const refused: readonly [text: string, message: string][] = [
  ['', WRONG_FORMAT],
  ['1 core', WRONG_FORMAT],
  ['one', WRONG_FORMAT],
  ['1.2.3', WRONG_FORMAT],
  ['1Q', WRONG_FORMAT],
  ['1ki', "unable to parse quantity's suffix"],
  ['1K', "unable to parse quantity's suffix"],
  ['1e', "unable to parse quantity's suffix"],
  ['1Mi5', "unable to parse quantity's suffix"],
  ['--1', "unable to parse quantity's suffix"],
  ['1+', "unable to parse quantity's suffix"],
  ['Pi', 'unable to parse numeric part of quantity'],
  ['-Ei', 'unable to parse numeric part of quantity'],
  ['e-20', 'unable to parse numeric part of quantity'],
  ['1e9223372036854775808', "unable to parse quantity's suffix"],
  ['1e1000000000', 'unable to parse numeric part of quantity'],
  ['9'.repeat(5_000), 'unable to parse numeric part of quantity'],
];
for (const [text, message] of refused) {
  quantity(`refuses ${JSON.stringify(text.slice(0, 20))}`, () => {
    assert.throws(
      () => canonicalQuantity(text),
      (error: unknown) => error instanceof ScalarError && error.message === message,
    );
  });
}

const rounded: readonly [text: string, canonical: string][] = [
  ['0.0005', '1m'],
  ['-0.0005', '-1m'],
  ['1.0001', '1001m'],
  ['100m', '100m'],
  ['1Gi', '1Gi'],
  ['1n', '1m'],
];
for (const [text, expected] of rounded) {
  quantity(`${text} in a resource list is ${expected}`, () => assert.is(canonicalResourceQuantity(text), expected));
}

const compared: readonly [a: string, order: number, b: string][] = [
  ['1', 0, '1000m'],
  ['1Ki', 0, '1024'],
  ['1k', -1, '1Ki'],
  ['-1', -1, '0'],
  ['1e3', 0, '1k'],
  ['100e-3', 0, '100m'],
];
for (const [a, order, b] of compared) {
  quantity(`${a} against ${b}`, () => {
    assert.is(compareQuantities(parseQuantity(a), parseQuantity(b)), order);
    assert.is(compareQuantities(parseQuantity(b), parseQuantity(a)), order === 0 ? 0 : -order);
  });
}

quantity('sums keep the format of the first, unless it is zero', () => {
  const sum = (a: string, b: string) => formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)));
  assert.is(sum('1Gi', '1024Mi'), '2Gi');
  assert.is(sum('500m', '0.5'), '1');
  assert.is(sum('0', '1Gi'), '1Gi');
  assert.is(sum('1', '1m'), '1001m');
  assert.is(formatQuantity(negateQuantity(parseQuantity('1Gi'))), '-1Gi');
});

quantity('integers', () => {
  assert.is(integerValue(parseQuantity('1500m')), undefined);
  assert.is(integerValue(parseQuantity('2000m')), 2n);
  assert.is(integerValue(parseQuantity('1Gi')), 1024n ** 3n);
});

const formats: QuantityFormat[] = ['decimalSI', 'binarySI', 'decimalExponent'];

quantity('the canonical text is a fixed point with the same value', () => {
  const value = fc.record({
    unscaled: fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
    exponent: fc.integer({ min: -9, max: 2 }),
    format: fc.constantFrom(...formats),
  });
  fc.assert(
    fc.property(value, (one) => {
      const text = formatQuantity({ ...one });
      const back = parseQuantity(text);
      assert.is(compareQuantities(back, one), 0);
      assert.is(formatQuantity(back), text);
    }),
  );
});

quantity.run();

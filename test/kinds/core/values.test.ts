import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compare, isWhole, roundedValue, signOf, validateWholePages } from '../../../runtime/kinds/core/resource-amounts/quantities.ts';
import { allowsOvercommit, isInteger, isNative } from '../../../runtime/kinds/core/resource-amounts/resource-names.ts';
import { numeric, rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';
import { ruleContext } from '../context.ts';

const test = suite('values of core kinds');
const context = ruleContext();

test('quantities: the order is that of their values', () => {
  assert.ok(compare('1Gi', '1G') > 0);
  assert.is(compare('1000m', '1'), 0);
  assert.equal(['-1', '0', '1n'].map(signOf), [-1, 0, 1]);
  assert.equal(['1', '1500m', '1Ki', '500u'].map(isWhole), [true, false, true, false]);
  assert.equal(['1500m', '-1500m', '2Ki'].map(roundedValue), [2n, -2n, 2048n]);
});

test('quantities: comparing is a total order on integers', () =>
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (a, b) => {
      assert.is(Math.sign(compare(String(a), String(b))), a < b ? -1 : a > b ? 1 : 0);
    }),
  ));

test('huge pages come whole', () => {
  assert.equal(validateWholePages('hugepages-2Mi', '4Mi', 'p'), []);
  assert.is(validateWholePages('hugepages-2Mi', '3Mi', 'p').length, 1);
  assert.is(validateWholePages('hugepages-x', '1', 'p').length, 1);
});

const resources: [string, { native: boolean; integer: boolean; overcommit: boolean }][] = [
  ['cpu', { native: true, integer: false, overcommit: true }],
  ['pods', { native: true, integer: true, overcommit: true }],
  ['hugepages-2Mi', { native: true, integer: false, overcommit: false }],
  ['example.com/gpu', { native: false, integer: true, overcommit: false }],
  ['pod.alpha.kubernetes.io/x', { native: true, integer: false, overcommit: true }],
];
for (const [name, { native, integer, overcommit }] of resources)
  test(`resource ${name}`, () =>
    assert.equal([isNative(name, context), isInteger(name, context), allowsOvercommit(name, context)], [native, integer, overcommit]));

test('numbers of 64 bits', () => {
  assert.is(numeric(5), 5);
  assert.ok(numeric(rawNumber('9223372036854775807')) > 2 ** 62);
  assert.is(numeric(undefined), 0);
});

test.run();

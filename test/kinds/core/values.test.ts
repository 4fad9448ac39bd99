import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { familyOf, validateOrdinaryAddress, validateRange } from '../../../runtime/kinds/core/addresses.ts';
import { configMapKey, environmentName, httpHeaderName, portName, portNumber } from '../../../runtime/kinds/core/formats.ts';
import { numeric } from '../../../runtime/kinds/core/numbers.ts';
import { validateDescendingPath, validateUnreservedPath } from '../../../runtime/kinds/core/paths.ts';
import { compare, isWhole, roundedValue, signOf, validateWholePages } from '../../../runtime/kinds/core/quantities.ts';
import { allowsOvercommit, isInteger, isNative } from '../../../runtime/kinds/core/resource-names.ts';
import { rawNumber } from '../../../runtime/schema/raw-number.ts';
import { ruleContext } from '../context.ts';

const test = suite('values of core kinds');
const context = ruleContext();

const addresses: [string, 'IPv4' | 'IPv6' | undefined][] = [
  ['10.0.0.1', 'IPv4'],
  ['010.000.0.01', 'IPv4'],
  ['256.0.0.1', undefined],
  ['10.0.0', undefined],
  ['', undefined],
  ['::', 'IPv6'],
  ['fd00::1', 'IPv6'],
  ['::ffff:1.2.3.4', 'IPv4'],
  ['64:ff9b::1.2.3.4', 'IPv6'],
  ['fe80::1%eth0', undefined],
  ['1::2::3', undefined],
];
for (const [text, family] of addresses) test(`address ${JSON.stringify(text)}`, () => assert.is(familyOf(text), family));

const special: [string, string | undefined][] = [
  ['10.0.0.1', undefined],
  ['127.0.0.5', 'loopback'],
  ['::1', 'loopback'],
  ['0.0.0.0', 'unspecified'],
  ['169.254.0.1', 'link-local range'],
  ['fe80::1', 'link-local range'],
  ['224.0.0.1', 'link-local multicast'],
  ['ff02::1', 'link-local multicast'],
  ['224.0.1.1', undefined],
  ['fec0::1', undefined],
];
for (const [text, use] of special)
  test(`use of ${text}`, () => {
    const [error] = validateOrdinaryAddress(text, 'p');
    assert.is(error === undefined, use === undefined);
    if (use !== undefined) assert.ok(error?.message.includes(use));
  });

const ranges: [string, boolean][] = [
  ['10.0.0.0/24', true],
  ['10.0.0.1/24', true],
  ['10.0.0.0/33', false],
  ['10.0.0.0', false],
  ['fd00::/64', true],
  ['fd00::/129', false],
  ['/8', false],
];
for (const [text, good] of ranges) test(`range ${text}`, () => assert.is(validateRange(text, 'p').length === 0, good));

const formats: [string, (value: string) => readonly string[], string, number][] = [
  ['port name', portName, 'http', 0],
  ['port name', portName, '80', 1],
  ['port name', portName, 'a--b', 1],
  ['port name', portName, '-a', 1],
  ['port name', portName, 'a'.repeat(16), 1],
  ['key', configMapKey, 'A_b.c-d', 0],
  ['key', configMapKey, '.', 1],
  ['key', configMapKey, '..', 1],
  ['key', configMapKey, '...', 1],
  ['key', configMapKey, '', 1],
  ['variable', environmentName, 'a b.c-d/9', 0],
  ['variable', environmentName, 'a=', 1],
  ['variable', environmentName, 'é', 1],
  ['variable', environmentName, '', 1],
  ['header', httpHeaderName, 'X-A', 0],
  ['header', httpHeaderName, 'X A', 1],
];
for (const [what, check, value, count] of formats) test(`${what} ${JSON.stringify(value)}`, () => assert.is(check(value).length, count));

test('ports', () => {
  assert.equal([1, 65_535].flatMap(portNumber), []);
  for (const port of [undefined, 0, -1, 65_536]) assert.equal(portNumber(port), ['must be between 1 and 65535, inclusive']);
});

test('paths', () => {
  assert.equal(validateDescendingPath('a/..b/c', 'p'), []);
  assert.is(validateDescendingPath('/a/../b', 'p').length, 2);
  assert.is(validateUnreservedPath('..a', 'p').length, 1);
  assert.is(validateUnreservedPath('../a', 'p').length, 1);
});

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

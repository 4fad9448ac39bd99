import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, double, int64, list, map, string, struct } from '../../../runtime/contract/descriptor.ts';
import { ANY_ORDER, cborHead, encodeCbor, encodeCborDocument } from '../../../runtime/schema/cbor/encode.ts';
import { compileType } from '../../../runtime/schema/codec/codec.ts';
import { rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';
import { identity } from '../types.ts';

const test = suite('encoding CBOR');
const hex = (text: string): string => text.replaceAll(' ', '');

const VALUES: readonly [name: string, value: unknown, cbor: string][] = [
  ['zero', 0, '00'],
  ['23', 23, '17'],
  ['24', 24, '1818'],
  ['255', 255, '18ff'],
  ['256', 256, '190100'],
  ['65,536', 65_536, '1a00010000'],
  ['2^32', 2 ** 32, '1b0000000100000000'],
  ['the largest safe integer', Number.MAX_SAFE_INTEGER, '1b001fffffffffffff'],
  ['minus one', -1, '20'],
  ['-25', -25, '3818'],
  ['the largest integer', rawNumber('9223372036854775807'), '1b7fffffffffffffff'],
  ['the smallest integer', rawNumber('-9223372036854775808'), '3b7fffffffffffffff'],
  ['beyond the integers', rawNumber('9223372036854775808'), 'fa5f000000'],
  ['1.5', 1.5, 'f93e00'],
  ['a number as it was written', rawNumber('2.0'), 'f94000'],
  ['the largest half', 65_504.5, 'fa477fe080'],
  ['a half', -4.125, 'f9c420'],
  ['the smallest half', 2 ** -24, 'f90001'],
  ['the largest half below normal', 1023 * 2 ** -24, 'f903ff'],
  ['the smallest normal half', 2 ** -14, 'f90400'],
  ['what no half is', 2 ** -25, 'fa33000000'],
  ['a single', 3.4028234663852886e38, 'fa7f7fffff'],
  ['a double', 1.1, 'fb3ff199999999999a'],
  ['the smallest double', 5e-324, 'fb0000000000000001'],
  ['1e300', 1e300, 'fb7e37e43c8800759c'],
  ['an empty text', '', '40'],
  ['a text', 'hello', '4568656c6c6f'],
  ['a text beyond ASCII', 'ü\u{10151}', '46c3bcf0908591'],
  ['a text of 24', 'a'.repeat(24), `5818${'61'.repeat(24)}`],
  ['false', false, 'f4'],
  ['true', true, 'f5'],
  ['null', null, 'f6'],
  ['a list', [1, [], [2]], '8301808102'],
  ['a member that is undefined', { a: undefined, b: 1 }, 'a1416201'],
  ['shorter names first', { aa: 1, b: 2, ü: 3, a: 4 }, hex('a4 4161 04 4162 02 426161 01 42c3bc 03')],
  ['names in the order of their bytes', { '\uffff': 1, '\u{10000}': 2, '\u{ff}a': 3 }, hex('a3 43c3bf61 03 43efbfbf 01 44f0908080 02')],
  ['a long name last', { ['a'.repeat(24)]: 1, ['b'.repeat(23)]: 2 }, hex(`a2 57${'62'.repeat(23)} 02 5818${'61'.repeat(24)} 01`)],
];
for (const [name, value, cbor] of VALUES) test(name, () => assert.is(encodeCbor(value).toString('hex'), cbor));

test('members in an order of chance, from one of them on', () => {
  const seen = new Set(Array.from({ length: 400 }, () => encodeCbor({ b: 1, aa: 2, a: 3 }, undefined, ANY_ORDER).toString('hex')));
  const orders = ['a3 4162 01 426161 02 4161 03', 'a3 426161 02 4161 03 4162 01', 'a3 4161 03 4162 01 426161 02'];
  assert.equal([...seen].sort(), orders.map(hex).sort());
  assert.is(encodeCbor({ b: 1, a: 2 }).toString('hex'), hex('a2 4161 02 4162 01'), 'what follows is sorted again');
  assert.is(encodeCbor({}, undefined, ANY_ORDER).toString('hex'), 'a0');
});

const Thing = struct('io.example.v1.Thing', () => [
  { name: 'b', type: bytes },
  { name: 'd', type: double },
  { name: 'i', type: int64 },
  { name: 'm', type: map(bytes) },
  { name: 'l', type: list(double) },
  { name: 's', type: string },
  { name: 't', type: Thing },
]);
const thing = compileType(Thing, identity);

const TYPED: readonly [name: string, value: unknown, cbor: string][] = [
  ['bytes', { b: 'aGVsbG8=' }, 'a1 4162 d6 4568656c6c6f'],
  ['no bytes', { b: '' }, 'a1 4162 d6 40'],
  ['a double without a fraction', { d: 2 }, 'a1 4164 f94000'],
  ['an integer', { i: 2 }, 'a1 4169 02'],
  ['a map of bytes', { m: { k: 'AQ==', n: null } }, 'a1 416d a2 416b d6 4101 416e f6'],
  ['a list of doubles', { l: [1, 0.5] }, 'a1 416c 82 f93c00 f93800'],
  ['a text that looks like bytes', { s: 'AQ==' }, 'a1 4173 4441513d3d'],
  ['in each other', { t: { b: 'AQ==' } }, 'a1 4174 a1 4162 d6 4101'],
  ['an unknown member', { x: 'AQ==' }, 'a1 4178 4441513d3d'],
];
for (const [name, value, cbor] of TYPED) test(`of a type: ${name}`, () => assert.is(encodeCbor(value, thing).toString('hex'), hex(cbor)));

test('a document says that it is one', () => assert.is(encodeCborDocument({}).toString('hex'), 'd9d9f7a0'));

test('heads of containers', () => {
  assert.is(cborHead('array', 1000).toString('hex'), '9903e8');
  assert.is(cborHead('map', 2).toString('hex'), 'a2');
});

test('what is nested too deep is refused, and the next one is not', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  assert.throws(
    () => encodeCbor(deep),
    (error: unknown) => error instanceof RangeError,
  );
  assert.is(encodeCbor(1).toString('hex'), '01');
});

test.run();

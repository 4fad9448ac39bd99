import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  json as anyJson,
  bytes,
  double,
  fieldsV1,
  int32,
  int64,
  intOrString,
  list,
  map,
  named,
  quantity,
  rawExtension,
  string,
  struct,
  time,
  union,
} from '../../../runtime/contract/descriptor.ts';
import { decodeCbor, namesOfCbor } from '../../../runtime/schema/cbor/decode.ts';
import { CborError } from '../../../runtime/schema/cbor/error.ts';
import { UNLIMITED } from '../../../runtime/schema/cbor/well-formed.ts';
import { compileType } from '../../../runtime/schema/codec/codec.ts';
import { identity } from '../types.ts';

const test = suite('decoding CBOR');
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const json = (text: string): string => JSON.stringify(decodeCbor(hex(text)).value);

function problem(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.instance(error, CborError);
    return (error as Error).message;
  }
  throw new Error('it was read');
}

/** Where there is a colon what is read is a JSON text, and what is said of it else. */
const VALUES: readonly [name: string, cbor: string, value: string][] = [
  ['an integer', '0a', '10'],
  ['zero', '00', '0'],
  ['an integer of a byte', '1864', '100'],
  ['an integer of two bytes', '1903e8', '1000'],
  ['an integer of four bytes', '1a000f4240', '1000000'],
  ['an integer of eight bytes', '1b000000e8d4a51000', '1000000000000'],
  ['an integer in more bytes than it needs', '1b0000000000000001', '1'],
  ['the largest integer', '1b7fffffffffffffff', '9223372036854775807'],
  ['minus one', '20', '-1'],
  ['the smallest integer', '3b7fffffffffffffff', '-9223372036854775808'],
  ['an empty string of bytes', '40', '""'],
  ['a string of bytes', '4449455446', '"IETF"'],
  ['bytes that are no text', '41ff', '"\ufffd"'],
  ['an empty text', '60', '""'],
  ['a text', '62c3bc', '"ü"'],
  ['a text beyond the basic plane', '64f0908591', '"\u{10151}"'],
  ['a text with the character for what is none', '63efbfbd', '"\ufffd"'],
  ['a text in pieces', '7f616161626163ff', '"abc"'],
  ['bytes in pieces', '5f42010243030405ff', '"\\u0001\\u0002\\u0003\\u0004\\u0005"'],
  ['a character in two pieces of bytes', '5f41c341bcff', '"ü"'],
  ['no pieces', '7fff', '""'],
  ['an empty array', '80', '[]'],
  ['arrays in each other', '8301820203820405', '[1,[2,3],[4,5]]'],
  ['arrays that end with breaks', '9f9f8080ff9f8080ffff', '[[[],[]],[[],[]]]'],
  ['an array of 25', `9818${'00'.repeat(24)}`, `[${Array(24).fill(0)}]`],
  ['an empty map', 'a0', '{}'],
  ['a map', 'a26161016162820203', '{"a":1,"b":[2,3]}'],
  ['maps that end with breaks', 'bf6141bf616101616202ff6142bf616901616a02ffff', '{"A":{"a":1,"b":2},"B":{"i":1,"j":2}}'],
  ['keys of bytes', 'a143414243187b', '{"ABC":123}'],
  ['keys of different bytes that are no text', 'a241ab0141cd02', '{"\ufffd":2}'],
  ['a key that objects inherit', 'a1495f5f70726f746f5f5f01', '{"__proto__":1}'],
  ['false', 'f4', 'false'],
  ['true', 'f5', 'true'],
  ['null', 'f6', 'null'],
  ['half of a number', 'f93e00', '1.5'],
  ['the smallest half', 'f90001', '5.960464477539063e-8'],
  ['a half below zero', 'f9c400', '-4'],
  ['the largest half', 'f97bff', '65504'],
  ['the largest single', 'fa7f7fffff', '3.4028234663852886e+38'],
  ['the smallest double', 'fb0000000000000001', '5e-324'],
  ['the largest double', 'fb7fefffffffffffff', '1.7976931348623157e+308'],
  ['a double without a fraction', 'fb4000000000000000', '2'],
  ['a double that no half is', 'fb3ff199999999999a', '1.1'],
  ['a time', 'c074323031332d30332d32315432303a30343a30305a', '"2013-03-21T20:04:00Z"'],
  [
    'a time with a fraction and an offset',
    'c0781d323030362d30312d30325431353a30343a30352e3530302b30313a3030',
    '"2006-01-02T15:04:05.5+01:00"',
  ],
  ['seconds', 'c11a514b67b0', '"2013-03-21T20:04:00Z"'],
  ['half seconds', 'c1fb41d452d9ec200000', '"2013-03-21T20:04:00.5Z"'],
  ['seconds before 1970', 'c120', '"1969-12-31T23:59:59Z"'],
  ['seconds as a half', 'c1f9bc00', '"1969-12-31T23:59:59Z"'],
  ['less than a nanosecond before 1970', 'c1fbbc00000000000000', '"1970-01-01T00:00:00Z"'],
  ['half a second before 1970', 'c1f9b800', '"1969-12-31T23:59:59.5Z"'],
  ['bytes for base64', 'd64401020304', '"AQIDBA=="'],
  ['bytes for base64 of URLs', 'd542fbff', '"-_8"'],
  ['bytes for base16', 'd74401020304', '"01020304"'],
  ['bytes for base64 in an array', 'd6824101a1614b4102', '["AQ==",{"K":"Ag=="}]'],
  ['names for base16 in a map', 'd7a1410141ff', '{"01":"ff"}'],
  ['the nearest of tags for texts', 'd7824142d6824143d541fb', '["42",["Qw==","-w"]]'],
  ['a text for base64, which is one', 'd66161', '"a"'],
  ['a name behind a tag', 'a1c4616102', '{"a":2}'],
  ['a name that is null', 'a1f602', '{"":2}'],
  ['a tag that nobody knows', 'c48221196ab3', '[-2,27315]'],
  ['what says that it is CBOR', 'd9d9f7a0', '{}'],
];
for (const [name, cbor, value] of VALUES) test(name, () => assert.is(json(cbor), value));

const deep = (levels: number, innermost = '00'): string => '81'.repeat(levels) + innermost;
const UNACCEPTED = 'cbor: data item of cbor type primitives is not accepted by protocol';
const REFUSED: readonly [name: string, cbor: string, problem: string][] = [
  ['nothing', '', 'EOF'],
  ['an integer that ends early', '19ff', 'unexpected EOF'],
  ['bytes that end early', '4401', 'unexpected EOF'],
  ['an array that ends early', '8201', 'unexpected EOF'],
  ['a map that ends early', 'a101', 'unexpected EOF'],
  ['no break', '9f01', 'unexpected EOF'],
  ['a tag of nothing', 'c0', 'unexpected EOF'],
  ['what follows', '0000', 'cbor: 1 bytes of extraneous data starting at index 1'],
  ['a break', 'ff', 'cbor: unexpected "break" code'],
  ['a key without a value', 'bf01ff', 'cbor: unexpected "break" code'],
  ['a reserved length', '1c', 'cbor: invalid additional information 28 for type positive integer'],
  ['a reserved length of a map', 'be', 'cbor: invalid additional information 30 for type map'],
  ['an integer without an end', '3f', 'cbor: invalid additional information 31 for type negative integer'],
  ['a tag without an end', 'df00ff', 'cbor: invalid additional information 31 for type tag'],
  ['a piece of another type', '5f6161ff', 'cbor: wrong element type UTF-8 text string for indefinite-length byte string'],
  ['pieces in a piece', '7f7fffff', 'cbor: indefinite-length UTF-8 text string chunk is not definite-length'],
  ['a long simple value', 'f818', 'cbor: invalid simple value 24 for type primitives'],
  ['undefined', 'f7', `${UNACCEPTED}: simple value 23 is not recognized`],
  ['a simple value', 'e0', `${UNACCEPTED}: simple value 0 is not recognized`],
  ['a simple value of a byte', 'f8ff', `${UNACCEPTED}: simple value 255 is not recognized`],
  ['no number', 'f97e00', `${UNACCEPTED}: floating-point NaN`],
  ['no number, as a double', 'fb7ff8000000000000', `${UNACCEPTED}: floating-point NaN`],
  ['infinity', 'fa7f800000', `${UNACCEPTED}: floating-point infinity`],
  ['infinity below zero', '81f9fc00', `${UNACCEPTED}: floating-point infinity`],
  [
    'a large integer',
    '1bffffffffffffffff',
    "cbor: cannot unmarshal positive integer into Go value of type int64 (18446744073709551615 overflows Go's int64)",
  ],
  [
    'a small integer',
    '3bffffffffffffffff',
    "cbor: cannot unmarshal negative integer into Go value of type int64 (-18446744073709551616 overflows Go's int64)",
  ],
  ['a larger integer', 'c249010000000000000000', 'cbor: data item of cbor type tag is not accepted by protocol: bignum'],
  ['a text that is none', '6180', 'cbor: invalid UTF-8 string'],
  ['a surrogate', '63eda080', 'cbor: invalid UTF-8 string'],
  ['a key that is no text', 'a1fb40091eb851eb851f63706965', 'cbor: cannot unmarshal primitives into Go value of type string'],
  ['a key that is a number', 'a10102', 'cbor: cannot unmarshal positive integer into Go value of type string'],
  ['a name twice', 'a2614101614102', 'cbor: found duplicate map key "A" at map element index 1'],
  ['a name twice, once as bytes', 'a2414101614102', 'cbor: found duplicate map key "A" at map element index 1'],
  ['the same bytes twice', 'a241ff0141ff02', 'cbor: found duplicate map key "\ufffd" at map element index 1'],
  [
    'a name twice, in other pieces',
    'a25f426865436c6c6fff015f416844656c6c6fff02',
    'cbor: found duplicate map key "hello" at map element index 1',
  ],
  ['the same bytes twice, with heads of two lengths', 'a241ff015801ff02', 'cbor: found duplicate map key "\ufffd" at map element index 1'],
  ['a name twice further down', '81a2414101414102', 'cbor: found duplicate map key "A" at map element index 1'],
  [
    'a time of bytes',
    'c054323030362d30312d30325431353a30343a30355a',
    'cbor: tag number 0 must be followed by text string, got byte string',
  ],
  [
    'a text that is no time',
    'c06474657874',
    'cbor: cannot set text for time.Time: parsing time "text" as "2006-01-02T15:04:05Z07:00": cannot parse "text" as "2006"',
  ],
  ['seconds that are a text', 'c16161', 'cbor: tag number 1 must be followed by integer or floating-point number, got UTF-8 text string'],
  [
    'a year of five digits',
    'c11b0000003afff44181',
    'cbor: decoded time cannot be represented in RFC3339 format with sub-second precision: Time.MarshalText: year outside of range [0,9999]',
  ],
  ['a character in two pieces of text', '7f61c361bcff', 'cbor: invalid UTF-8 string'],
  ['a name that is null, behind another one', 'a2616101f602', 'cbor: found duplicate map key "a" at map element index 1'],
  ['a name of two lines twice', 'a2430a0a2201430a0a2202', String.raw`cbor: found duplicate map key "\n\n\"" at map element index 1`],
  ['bignums of anything', 'c26161', 'cbor: data item of cbor type tag is not accepted by protocol: bignum'],
  ['65 levels', deep(65), 'cbor: exceeded max nested level 64'],
  ['65 levels of tags', `c4${'c4'.repeat(65)}00`, 'cbor: exceeded max nested level 64'],
  ['1,025 elements', `990401${'00'.repeat(1025)}`, 'cbor: exceeded max number of elements 1024 for CBOR array'],
  ['1,025 elements and a break', `9f${'00'.repeat(1025)}ff`, 'cbor: exceeded max number of elements 1024 for CBOR array'],
  ['1,025 pairs', `b90401${'00'.repeat(2050)}`, 'cbor: exceeded max number of key-value pairs 1024 for CBOR map'],
];
for (const [name, cbor, wanted] of REFUSED)
  test(`${name}: refused`, () =>
    assert.is(
      problem(() => decodeCbor(hex(cbor))),
      wanted,
    ));

test('what was not sent may be deeper', () => {
  const { value } = decodeCbor(hex(deep(1_000)), undefined, UNLIMITED);
  assert.is(JSON.stringify(value), `${'['.repeat(1_000)}0${']'.repeat(1_000)}`);
});

test('what is deeper than the stack is refused', () => {
  for (const bytes of [Buffer.alloc(1_000_000, 0x81), hex(deep(20_000))])
    assert.is(
      problem(() => decodeCbor(bytes, undefined, UNLIMITED)),
      'exceeded max depth',
    );
});

test('64 levels, and 1,024 elements', () => {
  assert.is(json(deep(64)), `${'['.repeat(64)}0${']'.repeat(64)}`);
  assert.is(json(`990400${'00'.repeat(1024)}`).length, 2049);
});

test('all simple values but three are refused', () => {
  for (let value = 0; value < 256; value++) {
    if (value >= 20 && value <= 22) continue;
    const cbor = value < 24 ? Buffer.from([0xe0 | value]) : Buffer.from([0xf8, value]);
    assert.match(
      problem(() => decodeCbor(cbor)),
      `simple value ${value} `,
    );
  }
});

test('lengths that are declared cost nothing', () => {
  for (const [cbor, wanted] of [
    ['9b7fffffffffffffff', 'unexpected EOF'],
    ['bb7fffffffffffffff', 'unexpected EOF'],
    ['9bffffffffffffffff', 'cbor: array length 18446744073709551615 is too large, it would cause integer overflow'],
    ['5b7fffffffffffffff', 'unexpected EOF'],
    ['5bffffffffffffffff', 'cbor: byte string length 18446744073709551615 is too large, causing integer overflow'],
    ['7a7fffffff', 'unexpected EOF'],
  ] as const)
    assert.is(
      problem(() => decodeCbor(hex(cbor), undefined, UNLIMITED)),
      wanted,
    );
});

test('many small items take time by their number', () => {
  const many = Buffer.concat([hex('9f'), Buffer.alloc(3_000_000, 0x80), hex('ff')]);
  assert.is((decodeCbor(many, undefined, UNLIMITED).value as unknown[]).length, 3_000_000);
  const pieces = Buffer.concat([hex('7f'), Buffer.alloc(3_000_000, 0x60), hex('ff')]);
  assert.is(decodeCbor(pieces).value, '');
  assert.match(
    problem(() => decodeCbor(Buffer.alloc(3_000_000, 0x81))),
    /max nested level/,
  );
  assert.match(
    problem(() => decodeCbor(Buffer.alloc(3_000_000, 0xc4))),
    /max nested level/,
  );
  assert.match(
    problem(() => decodeCbor(Buffer.alloc(3_000_000, 0x9f))),
    /max nested level/,
  );
});

const Part = struct('example.v1.Part', () => [{ name: 'name', type: string }]);
const Thing = struct('io.example.v1.Thing', () => [
  { name: 'kind', type: string },
  { name: 'text', type: named('v1.Word', string) },
  { name: 'small', type: int32 },
  { name: 'large', type: int64 },
  { name: 'ratio', type: double },
  { name: 'bytes', type: bytes },
  { name: 'at', type: time },
  { name: 'amount', type: quantity },
  { name: 'parts', type: list(Part) },
  { name: 'labels', type: map(string) },
  { name: 'any', type: rawExtension },
  { name: 'owned', type: fieldsV1 },
  { name: 'port', type: intOrString },
  { name: 'json', type: anyJson },
  { name: 'more', type: union('structOrBoolean', () => Part) },
  { name: 'each', type: union('structOrList', () => Part) },
  { name: 'names', type: union('structOrNames', () => Part) },
]);
const thing = compileType(Thing, identity);

const TYPED: readonly [name: string, cbor: string, value: string][] = [
  ['names of either type', 'a2 44 74657874 61 61 65 736d616c6c 01', '{"text":"a","small":1}'],
  ['null', 'f6', 'null'],
  ['members that are null', 'a1 44 74657874 f6', '{"text":null}'],
  ['bytes', 'a1 45 6279746573 d6 44 01020304', '{"bytes":"AQIDBA=="}'],
  ['bytes for another form of text', 'a1 45 6279746573 d7 44 01020304', '{"bytes":"AQIDBA=="}'],
  ['bytes as base64', 'a1 45 6279746573 48 415149444241 3d3d', '{"bytes":"AQIDBA=="}'],
  ['bytes one by one', 'a1 45 6279746573 84 01020304', '{"bytes":"AQIDBA=="}'],
  ['a text of bytes', 'a1 44 74657874 d6 44 01020304', '{"text":"AQIDBA=="}'],
  ['an integer as a ratio', 'a1 45 726174696f 02', '{"ratio":2}'],
  ['a ratio', 'a1 45 726174696f f9 3e00', '{"ratio":1.5}'],
  ['a time behind its tag', 'a1 42 6174 c0 74 323030362d30312d30325431353a30343a30355a', '{"at":"2006-01-02T15:04:05Z"}'],
  ['parts', 'a1 45 7061727473 82 a1 44 6e616d65 41 61 a0', '{"parts":[{"name":"a"},{}]}'],
  ['what is of any type', 'a1 43 616e79 a1 41 61 d6 41 01', '{"any":{"a":"AQ=="}}'],
  ['a number without a fraction in what is of any type', 'a1 43 616e79 82 f9 4000 f9 3e00', '{"any":[2,1.5]}'],
  ['a number without a fraction as JSON', 'a1 44 6a736f6e f9 4000', '{"json":2}'],
  ['a port by its number', 'a1 44 706f7274 01', '{"port":1}'],
  ['a port by its name', 'a1 44 706f7274 61 61', '{"port":"a"}'],
  ['a schema or none', 'a1 44 6d6f7265 f4', '{"more":false}'],
  ['a schema', 'a1 44 6d6f7265 a1 44 6e616d65 41 61', '{"more":{"name":"a"}}'],
  ['one of one or many', 'a1 44 65616368 a1 44 6e616d65 41 61', '{"each":{"name":"a"}}'],
  ['many of one or many', 'a1 44 65616368 81 a1 44 6e616d65 41 61', '{"each":[{"name":"a"}]}'],
  ['names or a schema', 'a1 45 6e616d6573 81 41 61', '{"names":["a"]}'],
  ['a tag for texts around all', 'd6 a2 44 74657874 41 01 45 6279746573 41 01', '{"text":"AQ==","bytes":"AQ=="}'],
  ['a tag for texts around what is read apart', 'd6 a2 42 6174 41 61 43 616e79 41 61', '{"at":"a","any":"a"}'],
  ['null among bytes one by one', 'a1 45 6279746573 82 01f6', '{"bytes":"AQA="}'],
];
for (const [name, cbor, value] of TYPED)
  test(`of a type: ${name}`, () =>
    assert.equal(
      { ...decodeCbor(hex(cbor), thing), value: undefined, json: JSON.stringify(decodeCbor(hex(cbor), thing).value) },
      { value: undefined, unknownAt: undefined, json: value },
    ));

const MISFITS: readonly [name: string, cbor: string, problem: string][] = [
  [
    'an array',
    '80',
    'cbor: cannot unmarshal array into Go value of type v1.Thing (cannot decode CBOR array to struct without toarray option)',
  ],
  ['a number', '01', 'cbor: cannot unmarshal positive integer into Go value of type v1.Thing'],
  ['a number as a text', 'a1 44 74657874 01', 'cbor: cannot unmarshal positive integer into Go struct field v1.Thing.text of type v1.Word'],
  [
    'a text as a number',
    'a1 45 736d616c6c 61 61',
    'cbor: cannot unmarshal UTF-8 text string into Go struct field v1.Thing.small of type int32',
  ],
  [
    'a fraction as an integer',
    'a1 45 736d616c6c f9 3c00',
    'cbor: cannot unmarshal primitives into Go struct field v1.Thing.small of type int32',
  ],
  [
    'a large integer',
    'a1 45 736d616c6c 1a 80000000',
    'cbor: cannot unmarshal positive integer into Go struct field v1.Thing.small of type int32 (2147483648 overflows int32)',
  ],
  [
    'a text as bytes',
    'a1 45 6279746573 61 61',
    'cbor: cannot unmarshal UTF-8 text string into Go struct field v1.Thing.bytes of type []uint8',
  ],
  [
    'an integer below all',
    'a1 45 736d616c6c 3bffffffffffffffff',
    "cbor: cannot unmarshal negative integer into Go struct field v1.Thing.small of type int32 (-18446744073709551616 overflows Go's int64)",
  ],
  [
    'no byte',
    'a1 45 6279746573 82 01 190100',
    'cbor: cannot unmarshal positive integer into Go struct field v1.Thing.bytes of type uint8 (256 overflows uint8)',
  ],
  ['no byte at all', 'a1 45 6279746573 81 20', 'cbor: cannot unmarshal negative integer into Go struct field v1.Thing.bytes of type uint8'],
  ['what is no value', 'a1 44 74657874 e0', `${UNACCEPTED}: simple value 0 is not recognized`],
  ['a port that is true', 'a1 44 706f7274 f5', 'cbor: cannot unmarshal primitives into Go struct field v1.Thing.port of type int32'],
  [
    'a large port',
    'a1 44 706f7274 1a 80000000',
    'cbor: cannot unmarshal positive integer into Go struct field v1.Thing.port of type int32 (2147483648 overflows int32)',
  ],
  [
    'neither a schema nor whether there is one',
    'a1 44 6d6f7265 01',
    'cbor: cannot unmarshal positive integer into Go struct field v1.Thing.more of type v1.Part',
  ],
  ['a member that a schema does not have', 'a1 44 6d6f7265 a1 41 78 01', 'cbor: found unknown field at map element index 0'],
  [
    'a member that the only schema does not have',
    'a1 44 65616368 a1 41 78 01',
    'cbor: cannot unmarshal map into Go struct field v1.Thing.each of type []v1.Part',
  ],
  ['a member that one of many does not have', 'a1 44 65616368 81 a1 41 78 01', 'cbor: found unknown field at map element index 0'],
  [
    'neither names nor a schema',
    'a1 45 6e616d6573 81 01',
    'cbor: cannot unmarshal array into Go struct field v1.Thing.names of type v1.Part (cannot decode CBOR array to struct without toarray option)',
  ],
  [
    'a name twice in what is of any type',
    'a1 43 616e79 a2 41 61 01 41 61 02',
    'failed to transcode RawExtension to JSON: failed to parse RawExtension bytes as CBOR: cbor: found duplicate map key "a" at map element index 1',
  ],
  [
    'a name twice in fields',
    'a1 45 6f776e6564 a2 41 61 01 41 61 02',
    'failed to transcode FieldsV1 to JSON: metav1.FieldsV1 cbor invalid: cbor: found duplicate map key "a" at map element index 1',
  ],
  [
    'what is of any type, and then a fraction as an integer',
    'a2 43 616e79 62 fffe 45 736d616c6c f9 3c00',
    'cbor: cannot unmarshal primitives into Go struct field v1.Thing.small of type int32',
  ],
  [
    'an integer below all as bytes',
    'a1 45 6279746573 3b8000000000000000',
    "cbor: cannot unmarshal negative integer into Go struct field v1.Thing.bytes of type []uint8 (-9223372036854775809 overflows Go's int64)",
  ],
  [
    'a large integer in what is of any type',
    'a1 43 616e79 1bffffffffffffffff',
    "failed to transcode RawExtension to JSON: failed to parse RawExtension bytes as CBOR: cbor: cannot unmarshal positive integer into Go value of type int64 (18446744073709551615 overflows Go's int64)",
  ],
  [
    'a number below all as a name',
    'a1 3bffffffffffffffff 01',
    "cbor: cannot unmarshal negative integer into Go value of type int64 (-1-18446744073709551615 overflows Go's int64)",
  ],
  [
    'bytes that are no base64',
    'a1 45 6279746573 41 ff',
    'cbor: failed to decode base64 from byte string: illegal base64 data at input byte 0',
  ],
  [
    'a number as an amount',
    'a1 46 616d6f756e74 01',
    'cbor: cannot unmarshal positive integer into Go struct field v1.Thing.amount of type string',
  ],
  [
    'the outermost field is told',
    'a1 45 7061727473 81 a1 44 6e616d65 01',
    'cbor: cannot unmarshal positive integer into Go struct field v1.Thing.parts of type string',
  ],
  ['a map as a list', 'a1 45 7061727473 a0', 'cbor: cannot unmarshal map into Go struct field v1.Thing.parts of type []v1.Part'],
  [
    'a list as a map',
    'a1 46 6c6162656c73 80',
    'cbor: cannot unmarshal array into Go struct field v1.Thing.labels of type map[string]string',
  ],
  ['a name twice', 'a2 44 74657874 41 61 64 74657874 41 62', 'cbor: found duplicate map key "text" at map element index 1'],
  ['an unknown name twice', 'a2 41 78 01 41 78 02', 'cbor: found duplicate map key "x" at map element index 1'],
  ['a number twice', 'a2 20 01 20 02', 'cbor: found duplicate map key -1 at map element index 1'],
  ['a number twice, with heads of two lengths', 'a2 20 01 3800 02', 'cbor: found duplicate map key -1 at map element index 1'],
  [
    'a fraction as a name',
    'a1 f93e00 01',
    'cbor: cannot unmarshal primitives into Go value of type string (map key is of type primitives and cannot be used to match struct field name)',
  ],
];
for (const [name, cbor, wanted] of MISFITS)
  test(`none of a type: ${name}`, () =>
    assert.is(
      problem(() => decodeCbor(hex(cbor), thing)),
      wanted,
    ));

const UNKNOWN: readonly [name: string, cbor: string, value: object, unknownAt: number][] = [
  ['the first', 'a2 41 78 01 44 74657874 41 61', { text: 'a' }, 0],
  ['the second', 'a2 44 74657874 41 61 41 78 01', { text: 'a' }, 1],
  ['in another case', 'a1 44 54657874 41 61', {}, 0],
  ['a number', 'a1 01 02', {}, 0],
  ['a large number', 'a1 1b7fffffffffffffff 02', {}, 0],
  ['in a part', 'a1 45 7061727473 81 a2 44 6e616d65 41 61 41 78 01', { parts: [{ name: 'a' }] }, 1],
  // whatever stands in it, as long as it is well-formed
  ['with names that stand twice in it', 'a1 41 78 a2 41 61 01 41 61 02', {}, 0],
  ['with a text that is none', 'a1 41 78 82 61 80 d6 01', {}, 0],
  ['of its own, after one of a part', 'a2 45 7061727473 81 a1 41 78 01 41 79 01', { parts: [{}] }, 1],
  ['of the first of two parts', 'a1 45 7061727473 82 a1 41 78 01 a2 44 6e616d65 41 61 41 78 01', { parts: [{}, { name: 'a' }] }, 0],
  ['a number that is larger than all', 'a1 1bffffffffffffffff 01', {}, 0],
  ['of bytes that are no text, and a text of them', 'a2 42 c328 01 43 c38328 02', {}, 0],
  ['before another one', 'a2 41 78 01 41 79 01', {}, 0],
];
for (const [name, cbor, value, unknownAt] of UNKNOWN)
  test(`an unknown member: ${name}`, () => assert.equal(decodeCbor(hex(cbor), thing), { value, unknownAt }));

test('what an object says that it is', () => {
  assert.equal(namesOfCbor(hex('a3 44 6b696e64 41 61 4a 61706956657273696f6e 41 62 41 78 80'), identity), { kind: 'a', apiVersion: 'b' });
  assert.equal(namesOfCbor(hex('f6'), identity), {});
  assert.is(
    problem(() => namesOfCbor(hex('a1 44 6b696e64 01'), identity)),
    'cbor: cannot unmarshal positive integer into Go struct field v1.TypeMeta.kind of type string',
  );
});

test.run();

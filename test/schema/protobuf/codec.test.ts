import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as d from '../../../runtime/contract/descriptor.ts';
import { compileType, decode } from '../../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import {
  decodeProtobuf,
  encodeProtobuf,
  ProtobufError,
  unwrapEnvelope,
  WrittenJson,
  wrapEnvelope,
} from '../../../runtime/schema/protobuf/codec.ts';
import { identity, scalars, widget } from '../types.ts';

const protobuf = suite('protobuf');

function objectOf(text: string, type = widget): object {
  return decode(type, parseJson(text).value, { defaults: false }).object;
}

/** Of a type with the one field `f`. */
function single(type: d.Type, options: Partial<d.Field> = {}) {
  return compileType(
    d.struct('x.v1.Single', () => [{ name: 'f', type, number: 1, ...options }]),
    identity,
  );
}

const encoded: readonly [name: string, type: d.Type, options: Partial<d.Field>, json: string, hex: string][] = [
  ['a text is written when empty', d.string, {}, '{}', '0a00'],
  ['a pointer only when present', d.string, { go: { pointer: true } }, '{}', ''],
  ['a pointer to an empty text', d.string, { go: { pointer: true } }, '{"f":""}', '0a00'],
  ['text beyond ASCII', d.string, {}, '{"f":"é😀"}', '0a06c3a9f09f9880'],
  ['long text', d.string, {}, `{"f":"${'x'.repeat(200)}"}`, `0ac801${'78'.repeat(200)}`],
  ['long text beyond ASCII', d.string, {}, `{"f":"${'é'.repeat(100)}"}`, `0ac801${'c3a9'.repeat(100)}`],
  ['false', d.boolean, {}, '{}', '0800'],
  ['true', d.boolean, {}, '{"f":true}', '0801'],
  ['a negative int32 takes ten bytes', d.int32, {}, '{"f":-1}', '08ffffffffffffffffff01'],
  ['the largest int32', d.int32, {}, '{"f":2147483647}', '08ffffffff07'],
  ['int64 beyond 2^53', d.int64, {}, '{"f":9007199254740993}', '088180808080808010'],
  ['the smallest int64', d.int64, {}, '{"f":-9223372036854775808}', '0880808080808080808001'],
  ['the largest int64', d.int64, {}, '{"f":9223372036854775807}', '08ffffffffffffffff7f'],
  ['a double', d.double, {}, '{"f":1.5}', '09000000000000f83f'],
  ['bytes', d.bytes, {}, '{"f":"aGk="}', '0a026869'],
  ['no bytes', d.bytes, {}, '{}', ''],
  ['the zero time is an empty message', d.time, {}, '{}', '0a00'],
  ['a time has its nanoseconds too', d.time, {}, '{"f":"2008-01-01T01:01:01Z"}', '0a0808cda1e6bb041000'],
  ['a time before 1970', d.time, {}, '{"f":"1969-12-31T23:59:59Z"}', '0a0d08ffffffffffffffffff011000'],
  ['1970 is not the zero time', d.time, {}, '{"f":"1970-01-01T00:00:00Z"}', '0a0408001000'],
  ['a micro time', d.microTime, {}, '{"f":"1970-01-01T00:00:01.000001Z"}', '0a05080110e807'],
  ['a duration', d.duration, {}, '{"f":"1s"}', '0a06088094ebdc03'],
  ['a negative duration', d.duration, {}, '{"f":"-1ns"}', '0a0b08ffffffffffffffffff01'],
  ['a quantity', d.quantity, {}, '{"f":"1000m"}', '0a030a0131'],
  ['the zero quantity', d.quantity, {}, '{}', '0a030a0130'],
  ['a number of int-or-string', d.intOrString, {}, '{"f":80}', '0a06080010501a00'],
  ['a text of int-or-string', d.intOrString, {}, '{"f":"80"}', '0a080801100 01a023830'.replaceAll(' ', '')],
  ['raw JSON', d.rawExtension, {}, '{"f":{"a":1.0}}', '0a0b0a097b2261223a312e307d'],
  ['no raw JSON', d.rawExtension, {}, '{}', '0a00'],
  ['a list repeats its field', d.list(d.string), {}, '{"f":["a","b"]}', '0a01610a0162'],
  ['a list of numbers', d.list(d.int32), {}, '{"f":[1,2]}', '08010802'],
  ['a map is sorted', d.map(d.string), {}, '{"f":{"b":"2","a":"1"}}', '0a060a016112013 10a060a0162120132'.replaceAll(' ', '')],
  ['a map of lists', d.map(d.list(d.string)), {}, '{"f":{"a":["x","y"]}}', '0a0b0a016112060a01780a0179'],
  ['an empty list in a map', d.map(d.list(d.string)), {}, '{"f":{"a":null}}', '0a050a01611200'],
  ['a map of times', d.map(d.time), {}, '{"f":{"a":"1970-01-01T00:00:01Z"}}', '0a090a0161120408011000'],
];
for (const [name, type, options, json, hex] of encoded) {
  protobuf(name, () => {
    const compiled = single(type, options);
    const object = objectOf(json, compiled);
    assert.is(encodeProtobuf(compiled, object).toString('hex'), hex);
    assert.is(JSON.stringify(decodeProtobuf(compiled, Buffer.from(hex, 'hex'))), JSON.stringify(object));
  });
}

protobuf('fields are written by number, inline structs as messages of their own', () => {
  const inner = d.struct('x.v1.Inner', () => [
    { name: 'b', type: d.string, number: 2, go: { pointer: true } },
    { name: 'a', type: d.string, number: 1, go: { pointer: true } },
  ]);
  const outer = compileType(
    d.struct('x.v1.Outer', () => [
      { name: 'kind', type: d.string },
      { name: 'z', type: d.string, number: 9, go: { pointer: true } },
      { name: 'inner', type: inner, number: 1, go: { inline: true } },
    ]),
    identity,
  );
  const object = objectOf('{"kind":"K","a":"1","b":"2","z":"3"}', outer);
  const bytes = encodeProtobuf(outer, object);
  assert.is(bytes.toString('hex'), '0a060a01311201324a0133');
  assert.is(JSON.stringify(decodeProtobuf(outer, bytes)), '{"z":"3","b":"2","a":"1"}');
});

protobuf('an absent message decodes to what JSON without members does', () => {
  assert.is(JSON.stringify(decodeProtobuf(widget, new Uint8Array())), JSON.stringify(objectOf('{}')));
  assert.is(JSON.stringify(decodeProtobuf(scalars, new Uint8Array())), JSON.stringify(objectOf('{}', scalars)));
});

protobuf('packed numbers, unknown fields and groups are read', () => {
  const type = single(d.list(d.int32));
  assert.equal(decodeProtobuf(type, Buffer.from('0a0301020308041200', 'hex')), { f: [1, 2, 3, 4] });
  assert.equal(decodeProtobuf(type, Buffer.from('1b2308012c1c0805', 'hex')), { f: [5] });
  assert.equal(decodeProtobuf(type, Buffer.from('12036162631d000000002100000000000000000801', 'hex')), { f: [1] });
});

const hostile: readonly [name: string, hex: string][] = [
  ['a tag that is cut off', '80'],
  ['a length beyond the end', '0aff01'],
  ['a length beyond everything', '0affffffffffffffff7f'],
  ['a negative length', '0affffffffffffffffff01'],
  ['a varint that does not end', '08ffffffffffffffffffffff01'],
  ['the wrong wire type', '0801'],
  ['field number zero', '0200'],
  ['an unknown wire type', '16'],
  ['the end of a group that did not begin', '14'],
  ['a group that does not end', '13'],
  ['a nested message longer than the outer one', '12040a0a0a0a'],
  ['a fixed number that is cut off', '2100'],
];
for (const [name, hex] of hostile) {
  protobuf(`refuses ${name}`, () => {
    const inner = d.struct('x.v1.Inner', () => [{ name: 'text', type: d.string, number: 1 }]);
    const type = compileType(
      d.struct('x.v1.Hostile', () => [
        { name: 'text', type: d.string, number: 1 },
        { name: 'inner', type: inner, number: 2, go: { pointer: true } },
      ]),
      identity,
    );
    assert.throws(
      () => decodeProtobuf(type, Buffer.from(hex, 'hex')),
      (error: unknown) => error instanceof ProtobufError,
    );
  });
}

const texts: readonly [name: string, hex: string, message: string][] = [
  ['a length of 62 bits', '0a808080808080808040', 'unexpected EOF'],
  ['the largest length', '0affffffffffffffff7f', 'proto: negative length found during unmarshaling'],
  ['a length without a sign', '0affffffffffffffffff01', 'proto: negative length found during unmarshaling'],
  ['a varint of eleven bytes', '0affffffffffffffffffff01', 'proto: integer overflow'],
  ['the end of a group under a known number', '0c', 'proto: Words: wiretype end group for non-group'],
  ['the end of a group under number zero', '04', 'proto: Words: wiretype end group for non-group'],
  ['number zero', '0200', 'proto: Words: illegal tag 0 (wire type 2)'],
  ['a number that is negative in 32 bits', '8280808040', 'proto: Words: illegal tag -2147483648 (wire type 17179869186)'],
  ['a number as text', '0801', 'proto: wrong wireType = 0 for field RestartPolicy'],
  ['a number as metadata', '1001', 'proto: wrong wireType = 0 for field ObjectMeta'],
  ['a number as an inline message', '1801', 'proto: wrong wireType = 0 for field Inner'],
  ['a number as an entry of a map', '2001', 'proto: wrong wireType = 0 for field UID'],
  ['the end of a group in an entry of a map', '22011c', 'proto: unexpected end of group'],
];
for (const [name, hex, message] of texts) {
  protobuf(`${name} is refused in the words of 1.32`, () => {
    assert.throws(
      () => decodeProtobuf(words(), Buffer.from(hex, 'hex')),
      (error: unknown) => error instanceof ProtobufError && error.message === message,
    );
  });
}

function words() {
  const inner = d.struct('x.v1.Inner', () => [{ name: 'b', type: d.string, number: 1 }]);
  const metadata = d.struct('x.v1.ObjectMeta', () => [
    { name: 'name', type: d.string, number: 1 },
    { name: 'labels', type: d.map(d.string), number: 2 },
    { name: 'of', type: inner, number: 3, go: { pointer: true } },
    { name: 'names', type: d.list(d.string), number: 4 },
  ]);
  return compileType(
    d.struct('x.v1.Words', () => [
      { name: 'restartPolicy', type: d.string, number: 1 },
      { name: 'metadata', type: metadata, number: 2 },
      { name: 'inner', type: inner, number: 3, go: { inline: true } },
      { name: 'uid', type: d.map(d.string), number: 4 },
    ]),
    identity,
  );
}

protobuf('each byte that belongs to no character is replaced', () =>
  assert.equal(decodeProtobuf(single(d.string), Buffer.from('0a03e28278', 'hex')), { f: '\ufffd\ufffdx' }),
);

const odd: readonly [name: string, type: d.Type, hex: string, value: unknown][] = [
  ['nanoseconds beyond a second', d.time, '0a08 0801 1080a8d6b907', '1970-01-01T00:00:03Z'],
  ['nanoseconds before the second', d.time, '0a0d 0801 10ffffffffffffffffff01', '1970-01-01T00:00:00Z'],
  ['nanoseconds before the second, of a micro time', d.microTime, '0a0d 0801 10ffffffffffffffffff01', '1970-01-01T00:00:00.999999Z'],
  ['a number of 33 bits of int-or-string', d.intOrString, '0a08 0800 10d080808020', 80],
  ['an empty int-or-string', d.intOrString, '0a00', 0],
  ['an empty quantity', d.quantity, '0a00', '0'],
  ['an unknown field of a quantity', d.quantity, '0a05 0a0131 1001', '1'],
];
for (const [name, type, hex, value] of odd)
  protobuf(`reads ${name}`, () =>
    assert.equal(decodeProtobuf(single(type, { go: { pointer: true } }), Buffer.from(hex.replaceAll(' ', ''), 'hex')), { f: value }),
  );

const wrong: readonly [name: string, type: d.Type, hex: string, message: RegExp][] = [
  ['seconds that are a text', d.time, '0a020a00', /^proto: wrong wireType = 2 for field Seconds$/],
  ['seconds of a fixed size', d.time, '0a09090000000000000000', /^proto: wrong wireType = 1 for field Seconds$/],
  ['nanoseconds that are a text', d.microTime, '0a021200', /^proto: wrong wireType = 2 for field Nanos$/],
  ['a duration that is a text', d.duration, '0a020a00', /^proto: wrong wireType = 2 for field Duration$/],
  ['a quantity that is a number', d.quantity, '0a020805', /^proto: wrong wireType = 0 for field String$/],
  ['a quantity with space around it', d.quantity, '0a040a022031', /^quantities must match/],
  ['a kind of int-or-string that is none', d.intOrString, '0a0408071050', /^impossible IntOrString.Type$/],
  ['a text of int-or-string that is a number', d.intOrString, '0a0408011805', /^proto: wrong wireType = 0 for field StrVal$/],
  ['number zero in a time', d.time, '0a0200 00', /^proto: Timestamp: illegal tag 0 \(wire type 0\)$/],
  ['raw JSON that is no UTF-8', d.rawExtension, '0a030a01ff', /^invalid character 'ÿ' looking for beginning of value$/],
];
for (const [name, type, hex, message] of wrong)
  protobuf(`refuses ${name}`, () =>
    assert.throws(() => decodeProtobuf(single(type), Buffer.from(hex.replaceAll(' ', ''), 'hex')), message),
  );

protobuf('parts of one message join', () => {
  const parts = ['0a0161', '1206 0a016b 120176', '1a03 0a0163', '220178'].map((part) => part.replaceAll(' ', ''));
  const bytes = parts.map((part) => `12${(part.length / 2).toString(16).padStart(2, '0')}${part}`).join('');
  const read = { metadata: { name: 'a', labels: { k: 'v' }, of: { b: 'c' }, names: ['x'] } };
  assert.equal(decodeProtobuf(words(), Buffer.from(bytes, 'hex')), read);
  assert.equal(decodeProtobuf(words(), Buffer.from(`${bytes}12030a0162`, 'hex')), { metadata: { ...read.metadata, name: 'b' } });
});

protobuf('many parts of one message take no more than their bytes', () => {
  const labels = Array.from({ length: 20_000 }, (_, i) => `label-${i}`).map((key) =>
    Buffer.concat([Buffer.from([0x12, key.length + 2, 0x0a, key.length]), Buffer.from(key)]),
  );
  const first = Buffer.concat(labels);
  const bytes = Buffer.concat([Buffer.from([0x12]), varint(first.length), first, Buffer.alloc(400_000, Buffer.from([0x12, 0]))]);
  const { metadata } = decodeProtobuf(words(), bytes) as { metadata: { labels: object } };
  assert.is(Object.keys(metadata.labels).length, 20_000);
});

protobuf('a field number has 32 bits, whatever stands beyond', () => {
  assert.equal(decodeProtobuf(single(d.string), Buffer.from('8a8080808001' + '0161', 'hex')), { f: 'a' });
  assert.equal(decodeProtobuf(single(d.map(d.string)), Buffer.from('0a06080161' + '150162', 'hex')), { f: { a: 'b' } });
});

protobuf('messages within themselves end', () => {
  const tree: d.StructType = d.struct('x.v1.Tree', () => [{ name: 'left', type: tree, number: 1, go: { pointer: true } }]);
  const type = compileType(tree, identity);
  let bytes = Buffer.alloc(0);
  for (let depth = 0; depth < 2_000; depth++) bytes = Buffer.concat([Buffer.from([0x0a]), varint(bytes.length), bytes]);
  assert.throws(() => decodeProtobuf(type, bytes), /exceeded max depth/);
  assert.throws(() => decodeProtobuf(single(d.string), Buffer.alloc(100_000, 0x1b)), /unexpected EOF/);
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

protobuf('a large integer that is read exactly is written as a double', () => {
  const type = single(d.double);
  assert.equal(decodeProtobuf(type, encodeProtobuf(type, { f: parseJson('9223372036854775807').value })), { f: 2 ** 63 });
});

protobuf('sets of the object itself stay texts where that is wanted', () => {
  const entry = d.struct('x.v1.Entry', () => [{ name: 'fieldsV1', type: d.fieldsV1, number: 1, go: { pointer: true } }]);
  const metadata = d.struct('x.v1.Metadata', () => [{ name: 'managedFields', type: d.list(entry), number: 1 }]);
  const type = compileType(
    d.struct('x.v1.Whole', () => [
      { name: 'metadata', type: metadata, number: 1 },
      { name: 'template', type: d.struct('x.v1.Template', () => [{ name: 'metadata', type: metadata, number: 1 }]), number: 2 },
    ]),
    identity,
  );
  const own = { metadata: { managedFields: [{ fieldsV1: new WrittenJson('{"f:a": {}}') }] } };
  const bytes = encodeProtobuf(type, { ...own, template: own });
  const read = { managedFields: [{ fieldsV1: { 'f:a': {} } }] };
  assert.equal(decodeProtobuf(type, bytes), { metadata: read, template: { metadata: read } });
  assert.equal(decodeProtobuf(type, bytes, { keepsSets: true }), { ...own, template: { metadata: read } });
});

protobuf('raw JSON that is none, and quantities that are none, are refused', () => {
  assert.throws(() => decodeProtobuf(single(d.rawExtension), Buffer.from('0a040a027b7b', 'hex')), /invalid character/);
  assert.throws(() => decodeProtobuf(single(d.quantity), Buffer.from('0a030a0178', 'hex')), /quantities must match/);
});

protobuf('any bytes give an object or an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        decodeProtobuf(widget, bytes);
        unwrapEnvelope(bytes);
      } catch (error) {
        assert.ok(error instanceof ProtobufError, String(error));
      }
    }),
    { numRuns: 1_000 },
  );
});

protobuf('an envelope names version and kind', () => {
  const bytes = wrapEnvelope('apps/v1', 'Deployment', Buffer.from([1, 2, 3]));
  assert.is(bytes.toString('hex'), '6b3873000a150a07617070732f7631120a4465706c6f796d656e7412030102031a002200');
  const { apiVersion, kind, raw, contentType } = unwrapEnvelope(bytes);
  assert.equal([apiVersion, kind, [...raw], contentType], ['apps/v1', 'Deployment', [1, 2, 3], '']);
});

const envelopes: readonly [name: string, hex: string, message: string][] = [
  ['nothing', '', 'empty data'],
  ['other bytes', '7b7d', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
  ['the prefix alone', '6b387300', 'empty body'],
  ['an envelope that is cut off', '6b3873000a0f0a02', 'unexpected EOF'],
  ['a number as a type', '6b3873000801', 'proto: wrong wireType = 0 for field TypeMeta'],
  ['a number as a version', '6b3873000a020801', 'proto: wrong wireType = 0 for field APIVersion'],
  ['a fixed number as a kind', '6b3873000a051500000000', 'proto: wrong wireType = 5 for field Kind'],
  ['a number as the object', '6b3873001001', 'proto: wrong wireType = 0 for field Raw'],
  ['a group as an encoding', '6b3873001b1c', 'proto: wrong wireType = 3 for field ContentEncoding'],
  ['a number as a type of content', '6b3873002001', 'proto: wrong wireType = 0 for field ContentType'],
  ['field number zero in an envelope', '6b3873000200', 'proto: Unknown: illegal tag 0 (wire type 2)'],
  ['field number zero in a type', '6b3873000a020000', 'proto: TypeMeta: illegal tag 0 (wire type 0)'],
];
for (const [name, hex, message] of envelopes) {
  protobuf(`refuses ${name}`, () => {
    assert.throws(
      () => unwrapEnvelope(Buffer.from(hex, 'hex')),
      (error: unknown) => error instanceof ProtobufError && error.message === message,
    );
  });
}

protobuf('an envelope without a type is read', () => {
  assert.equal(unwrapEnvelope(Buffer.from('6b3873000a001200', 'hex')).kind, '');
});

protobuf('a version that is none counts as left out', () => {
  const { apiVersion, kind } = unwrapEnvelope(wrapEnvelope('a/b/c', 'K', Buffer.alloc(0)));
  assert.equal([apiVersion, kind], ['', 'K']);
});

protobuf.run();

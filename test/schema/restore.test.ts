import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as d from '../../runtime/contract/descriptor.ts';
import { compileType, DecodeError } from '../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import { restore } from '../../runtime/schema/restore.ts';
import { identity, widget } from './types.ts';

const restoring = suite('restore');

const Schema: d.StructType = d.struct('x.v1.Schema', () => [
  { name: 'type', type: d.string },
  { name: 'minLength', type: d.int64, go: { pointer: true } },
  { name: 'items', type: d.union('structOrList', () => Schema), go: { pointer: true } },
  { name: 'additionalProperties', type: d.union('structOrBoolean', () => Schema), go: { pointer: true } },
  { name: 'dependencies', type: d.map(d.union('structOrNames', () => Schema)) },
]);
const named = d.struct('x.v1.Named', () => [
  { name: 'protocol', type: d.named('v1.Protocol', d.string) },
  { name: 'schema', type: Schema, go: { pointer: true } },
  { name: 'port', type: d.intOrString, go: { pointer: true } },
]);
const types = { widget, named: compileType(named, identity) };

const restored: readonly [name: string, type: keyof typeof types, from: string, to?: string][] = [
  [
    'what fits stays',
    'widget',
    '{"metadata":{"name":"a","labels":{"a":"b"}},"spec":{"paused":true,"containers":[{"name":"c"}],"data":{"a":[1]}}}',
  ],
  ['null stays, in lists and maps too', 'widget', '{"spec":{"replicas":null,"rules":[null],"selector":{"a":null}}}'],
  ['unknown members stay', 'widget', '{"foo":1,"spec":{"bar":"x"}}'],
  ['a whole double is an integer', 'widget', '{"spec":{"replicas":2.0}}', '{"spec":{"replicas":2}}'],
  ['surplus bits are cut off', 'widget', '{"spec":{"replicas":2147483648}}', '{"spec":{"replicas":-2147483648}}'],
  ['surplus bits of a double too', 'widget', '{"spec":{"replicas":1e15}}', '{"spec":{"replicas":-1530494976}}'],
  ['64 bits keep their digits', 'widget', '{"metadata":{"generation":9007199254740993}}'],
  [
    'beyond 64 bits there is the smallest',
    'widget',
    '{"metadata":{"generation":1e30}}',
    '{"metadata":{"generation":-9223372036854775808}}',
  ],
  ['an integer is a double', 'widget', '{"spec":{"weight":9007199254740993}}', '{"spec":{"weight":9007199254740992}}'],
  ['bytes are cut off too', 'widget', '{"spec":{"secret":[104,null,361]}}', '{"spec":{"secret":[104,null,105]}}'],
  ['raw JSON gets numbers by their value', 'widget', '{"spec":{"data":{"a":[2.0,1.50]}}}', '{"spec":{"data":{"a":[2,1.5]}}}'],
  ['a text in place of elements is none', 'named', '{"schema":{"items":"x"}}'],
];
for (const [name, type, from, to = from] of restored)
  restoring(name, () => assert.is(JSON.stringify(restore(types[type], parseJson(from).value)), to));

const QUANTITIES = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const refused: readonly [name: string, type: keyof typeof types, text: string, message: string][] = [
  ['a struct of a text', 'widget', '{"metadata":"x"}', 'cannot restore struct from: string'],
  ['a struct of a list', 'widget', '{"metadata":[null]}', 'cannot restore struct from: slice'],
  ['a struct of an integer', 'widget', '{"metadata":7}', 'cannot restore struct from: int64'],
  ['a struct of a double', 'widget', '{"metadata":1.5}', 'cannot restore struct from: float64'],
  ['a struct of a boolean, in a list', 'widget', '{"spec":{"containers":[true]}}', 'cannot restore struct from: bool'],
  ['a map of a list', 'widget', '{"metadata":{"labels":[]}}', 'cannot restore map from slice'],
  ['a list of a map', 'widget', '{"spec":{"containers":{}}}', 'cannot restore slice from map'],
  ['a text of an integer', 'widget', '{"metadata":{"name":7}}', 'cannot convert int64 to string'],
  ['a text of a type of its own', 'named', '{"protocol":7}', 'cannot convert int64 to v1.Protocol'],
  ['a text of a double', 'widget', '{"metadata":{"name":1.5}}', 'unrecognized type: string'],
  ['a text of a list, in a map', 'named', '{"protocol":[]}', 'unrecognized type: string'],
  ['a boolean of an integer', 'widget', '{"spec":{"paused":1}}', 'unrecognized type: bool'],
  ['an integer of a text', 'widget', '{"spec":{"replicas":"3"}}', 'unrecognized type: int32'],
  ['an integer of a fraction', 'widget', '{"metadata":{"generation":1.5}}', 'cannot convert float64 to int64'],
  ['a double of a boolean', 'widget', '{"spec":{"weight":true}}', 'unrecognized type: float64'],
  ['bytes of a text that is none', 'widget', '{"spec":{"secret":"a..b"}}', 'error decoding from json: illegal base64 data at input byte 1'],
  ['bytes of an integer', 'widget', '{"spec":{"blobs":{"a":1}}}', 'cannot restore slice from int64'],
  ['bytes of texts', 'widget', '{"spec":{"secret":["a"]}}', 'unrecognized type: uint8'],
  ['a quantity', 'widget', '{"spec":{"size":[{}]}}', QUANTITIES],
  ['a time of a number', 'widget', '{"metadata":{"creationTimestamp":7}}', 'json: cannot unmarshal number into Go value of type string'],
  [
    'a number that is too large for an integer or a text',
    'named',
    '{"port":2147483648}',
    'json: cannot unmarshal number 2147483648 into Go value of type int32',
  ],
  ['a schema or a boolean', 'named', '{"schema":{"additionalProperties":"x"}}', 'boolean or JSON schema expected'],
  [
    'a schema within a schema names its own members',
    'named',
    '{"schema":{"items":{"minLength":"x"}}}',
    'json: cannot unmarshal string into Go struct field Schema.minLength of type int64',
  ],
  ['names that are none', 'named', '{"schema":{"dependencies":{"a":[1]}}}', 'json: cannot unmarshal number into Go value of type string'],
  ['the first by the order of the type', 'widget', '{"spec":{"paused":1},"metadata":{"labels":[],"name":{}}}', 'unrecognized type: string'],
];
for (const [name, type, text, message] of refused)
  restoring(`refuses ${name}`, () =>
    assert.throws(
      () => restore(types[type], parseJson(text).value),
      (error: unknown) => error instanceof DecodeError && error.message === message,
    ),
  );

restoring.run();

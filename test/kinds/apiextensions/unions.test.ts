/** Members of schemas that have two forms, as JSON and in protobuf; and definitions of v1beta1. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { JSONSchemaProps } from '../../../generated/apiextensions/v1/descriptors.ts';
import { conversion } from '../../../runtime/kinds/apiextensions/custom-resource-definition-v1beta1.ts';
import { compileType, decode } from '../../../runtime/schema/codec/codec.ts';
import { decodeProtobuf, encodeProtobuf } from '../../../runtime/schema/protobuf/codec.ts';
import { identity, object } from '../context.ts';

const test = suite('unions of schemas');
const type = compileType(JSONSchemaProps, identity);
const decoded = (input: object) => decode(type, input, { defaults: false });

/** input, what becomes of it; absent: the same */
const rows: [string, object, object?][] = [
  ['a schema of elements', { items: { type: 'string' } }],
  ['schemas of elements', { items: [{ type: 'string' }, {}] }],
  ['no schemas of elements', { items: [] }, {}],
  ['true', { additionalProperties: true }],
  ['false', { additionalProperties: false }],
  ['a schema of further members', { additionalProperties: { type: 'array', items: { type: 'integer' } } }],
  ['names and schemas', { dependencies: { a: ['b', 'c'], d: { required: ['e'] } } }],
  ['values', { default: { a: [1, null] }, enum: ['a', 1, null], example: false }],
  ['unknown members within', { items: { type: 'string', foo: 1 } }, { items: { type: 'string' } }],
];
for (const [name, input, expected = input] of rows)
  test(name, () => {
    const { object: read, unknownFields } = decoded(input);
    assert.equal(JSON.parse(JSON.stringify(read)), expected);
    assert.equal(unknownFields, []);
    assert.equal(decodeProtobuf(type, encodeProtobuf(type, read)), read);
  });

/** Go reads them on their own, and then says where they stand in the whole. */
const refused: [string, object, string][] = [
  ['a text for true', { additionalProperties: 'x' }, 'boolean or JSON schema expected'],
  [
    'a wrong member within',
    { items: { minLength: 'x' } },
    'json: cannot unmarshal string into Go struct field JSONSchemaProps.items of type int64',
  ],
  [
    'a wrong name',
    { dependencies: { a: [1] } },
    'json: cannot unmarshal number into Go struct field JSONSchemaProps.dependencies of type string',
  ],
];
for (const [name, input, message] of refused)
  test(`refused: ${name}`, () =>
    assert.throws(
      () => decoded(input),
      (error: Error) => error.message === message,
    ));

test('messages hold the one or the other form', () => {
  const bytes = (input: object) => encodeProtobuf(type, decoded(input).object).toString('hex');
  assert.match(bytes({ additionalProperties: true }), /f201020801/);
  assert.match(bytes({ additionalProperties: false }), /f201020800/);
  assert.match(bytes({ default: { a: 1 } }), new RegExp(`42090a07${Buffer.from('{"a":1}').toString('hex')}`));
  assert.match(bytes({ dependencies: { a: ['b'] } }), /8202080a0161120312016/);
});

test('neither form', () => {
  assert.throws(() => decoded({ additionalProperties: 'x' }), /boolean or JSON schema expected/);
});

const version = { name: 'v1', served: true, storage: true };
const column = { name: 'A', type: 'string' };
const common = { group: 'g', names: { plural: 'p', kind: 'K' }, scope: 'Namespaced' };
const validation = { openAPIV3Schema: { type: 'object' } };

test('what all versions share stands beside them in v1beta1', () => {
  const older = {
    ...common,
    version: 'v1',
    validation,
    versions: [version],
    additionalPrinterColumns: [{ ...column, JSONPath: '.a' }],
    conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'u' }, conversionReviewVersions: ['v1'] },
    preserveUnknownFields: false,
  };
  const newer = {
    ...common,
    versions: [{ ...version, schema: validation, additionalPrinterColumns: [{ ...column, jsonPath: '.a' }] }],
    conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'u' }, conversionReviewVersions: ['v1'] } },
  };
  const of = (spec: object) => object('v', 'CustomResourceDefinition', { spec: structuredClone(spec) });
  assert.equal(conversion.toHub(of(older)).spec, newer);
  assert.equal(conversion.fromHub(of(newer)).spec, older);
  const { versions: _, ...single } = older;
  assert.equal(conversion.toHub(of(single)).spec, newer);
});

test.run();

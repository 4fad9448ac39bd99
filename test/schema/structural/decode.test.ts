/** Objects of structural types: what is dropped, completed and refused, and what is written. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CompiledStruct,
  DecodeError,
  type DecodeOptions,
  decode,
  type StructuralSchema,
  strictErrors,
} from '../../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { EMBEDDED, INT_OR_STRING, INTEGER, KEEPS, keyed, kindOf, kindOfSpec, list, map, object, set, TEXT } from './types.ts';

interface Row {
  readonly spec: StructuralSchema;
  /** JSON of the spec as it is sent */
  readonly given: string;
  /** JSON of the spec in the end; undefined: there is none */
  readonly made: string | undefined;
  readonly unknown?: readonly string[];
}

const DEFAULTS: DecodeOptions = { defaults: true };
const test = suite('decoding structural types');

function decoded(kind: CompiledStruct, text: string, options = DEFAULTS): { readonly text: string; readonly unknownFields: string[] } {
  const { value } = parseJson(text);
  const before = JSON.stringify(value);
  const { object: made, unknownFields } = decode(kind, value, options);
  if (options.reuses !== true) assert.is(JSON.stringify(value), before, 'the input is changed');
  return { text: JSON.stringify(made), unknownFields };
}

function row(name: string, { spec, given, made, unknown = [] }: Row): void {
  const kind = kindOfSpec(spec);
  const text = `{"metadata":{},"spec":${given}}`;
  const want = made === undefined ? '{"metadata":{}}' : `{"metadata":{},"spec":${made}}`;
  for (const reuses of [false, true])
    test(`${name}${reuses ? ', of its input' : ''}`, () => {
      assert.equal(decoded(kind, text, { defaults: true, reuses }), { text: want, unknownFields: unknown });
      assert.equal(decoded(kind, want, { defaults: true, reuses }), { text: want, unknownFields: [] }, 'again');
    });
}

row('members are sorted by name, at every level', {
  spec: object({ b: TEXT, a: object({ z: TEXT, y: TEXT }), c: map(TEXT), d: { ...KEEPS } }),
  given: '{"d":{"q":1,"p":[{"s":1,"r":2}]},"c":{"l":"1","k":"2"},"b":"x","a":{"z":"1","y":"2"}}',
  made: '{"a":{"y":"2","z":"1"},"b":"x","c":{"k":"2","l":"1"},"d":{"p":[{"r":2,"s":1}],"q":1}}',
});
row('no zero value is written, none is left out', {
  spec: object({ text: TEXT, count: INTEGER, list: list(TEXT), map: map(TEXT), part: object({ a: TEXT }), flag: { type: 'boolean' } }),
  given: '{"text":"","count":0,"list":[],"map":{},"part":{},"flag":false}',
  made: '{"count":0,"flag":false,"list":[],"map":{},"part":{},"text":""}',
});
row('values of a wrong type stay', {
  spec: object({ text: TEXT, count: INTEGER, list: list(TEXT), map: map(TEXT) }),
  given: '{"count":"many","list":"a","map":[1],"text":5}',
  made: '{"count":"many","list":"a","map":[1],"text":5}',
});
row('a spec of a wrong type stays', { spec: object({ a: TEXT }), given: '"text"', made: '"text"' });
row('members of what should be none are unknown', {
  spec: object({ text: TEXT, list: list(TEXT) }),
  given: '{"list":{"a":1},"text":{"b":[{"c":1}]}}',
  made: '{"list":{},"text":{}}',
  unknown: ['spec.list.a', 'spec.text.b'],
});
row('members of objects in a list of texts are unknown', {
  spec: object({ list: list(TEXT) }),
  given: '{"list":["a",{"b":1},[{"c":1}]]}',
  made: '{"list":["a",{},[{}]]}',
  unknown: ['spec.list[1].b', 'spec.list[2][0].c'],
});
row('numbers have the form that Go gives them', {
  spec: object({ a: INTEGER, b: { type: 'number' }, c: INTEGER, d: { ...KEEPS } }),
  given: '{"a":2.0,"b":1e3,"c":9007199254740993,"d":[1.50,9007199254740993]}',
  made: '{"a":2,"b":1000,"c":9007199254740993,"d":[1.5,9007199254740993]}',
});

row('undeclared members go', {
  spec: object({ a: TEXT, parts: list(object({ b: TEXT })) }),
  given: '{"z":1,"a":"x","parts":[{"b":"1"},{"c":"2"}],"y":{"w":1}}',
  made: '{"a":"x","parts":[{"b":"1"},{}]}',
  unknown: ['spec.parts[1].c', 'spec.y', 'spec.z'],
});
row('an object without properties has no members', { spec: { type: 'object' }, given: '{"a":1}', made: '{}', unknown: ['spec.a'] });
row('undeclared members stay where they are preserved', {
  spec: object({ a: object({ b: TEXT }) }, KEEPS),
  given: '{"z":{"y":[{"x":1}]},"a":{"b":"1","c":"2"}}',
  made: '{"a":{"b":"1"},"z":{"y":[{"x":1}]}}',
  unknown: ['spec.a.c'],
});
row('without properties, everything stays where it is preserved', {
  spec: { type: 'object', ...KEEPS },
  given: '{"b":{"a":null},"a":[null]}',
  made: '{"a":[null],"b":{"a":null}}',
});
row('members of preserved lists stay, but those of declared members go', {
  spec: list(object({ a: object({ b: TEXT }) }), KEEPS),
  given: '[{"z":1,"a":{"b":"1","c":1}}]',
  made: '[{"a":{"b":"1"},"z":1}]',
  unknown: ['spec[0].a.c'],
});
row('a value of any type is kept where it is preserved', {
  spec: { ...KEEPS },
  given: '[[{"b":1,"a":2}],"x",null]',
  made: '[[{"a":2,"b":1}],"x",null]',
});
row('a value without any type loses its members', {
  spec: object({ any: {} }),
  given: '{"any":{"a":1}}',
  made: '{"any":{}}',
  unknown: ['spec.any.a'],
});
row('a value of several types is what it is', {
  spec: object({
    any: { properties: { a: TEXT }, items: object({ b: TEXT }) },
    list: list({ properties: { a: TEXT }, items: { items: TEXT } }),
  }),
  given: '{"any":[{"b":"1","c":"2"}],"list":[{"a":"1","z":"2"},[["x"]],5]}',
  made: '{"any":[{"b":"1"}],"list":[{"a":"1"},[["x"]],5]}',
  unknown: ['spec.any[0].c', 'spec.list[0].z'],
});
for (const value of ['5', '"50%"', 'true'])
  row(`an int or string may be ${value}`, { spec: object({ port: INT_OR_STRING }), given: `{"port":${value}}`, made: `{"port":${value}}` });
row('values of maps have their structure', {
  spec: object({ map: map(object({ a: TEXT })), deep: map(map(list(object({ b: TEXT })))) }),
  given: '{"map":{"k":{"a":"1","b":"2"}},"deep":{"l":{"m":[{"b":"1","c":"2"}]}}}',
  made: '{"deep":{"l":{"m":[{"b":"1"}]}},"map":{"k":{"a":"1"}}}',
  unknown: ['spec.deep.l.m[0].c', 'spec.map.k.b'],
});
row('values of maps of anything keep their keys alone', {
  spec: object({ map: map(true) }),
  given: '{"map":{"a":1,"b":{"c":1},"d":null}}',
  made: '{"map":{"a":1,"b":{},"d":null}}',
  unknown: ['spec.map.b.c'],
});
row('other members beside properties have their structure', {
  spec: object({ a: TEXT }, { additionalProperties: object({ b: TEXT }) }),
  given: '{"a":"x","k":{"b":"1","c":"2"}}',
  made: '{"a":"x","k":{"b":"1"}}',
  unknown: ['spec.k.c'],
});
row('sets, keyed lists and lists of them are decoded as lists are', {
  spec: object({ sets: list(set(TEXT)), keyed: map(keyed(object({ name: TEXT }), ['name'])) }),
  given: '{"sets":[["b","a"],["a"]],"keyed":{"k":[{"name":"x","y":1}]}}',
  made: '{"keyed":{"k":[{"name":"x"}]},"sets":[["b","a"],["a"]]}',
  unknown: ['spec.keyed.k[0].y'],
});
row('names that every object has are names like any other', {
  spec: object({ constructor: TEXT, map: map(TEXT) }),
  given: '{"constructor":"a","toString":1,"map":{"__proto__":"b","valueOf":"c"}}',
  made: '{"constructor":"a","map":{"__proto__":"b","valueOf":"c"}}',
  unknown: ['spec.toString'],
});

row('null goes where it is no value', {
  spec: object({ a: TEXT, b: object({ c: TEXT }) }),
  given: '{"a":null,"b":{"c":null}}',
  made: '{"b":{}}',
});
row('null stays where it is one', {
  spec: object({ a: { ...TEXT, nullable: true }, b: object({}, { nullable: true }), c: map({ ...TEXT, nullable: true }) }),
  given: '{"a":null,"b":null,"c":{"k":null}}',
  made: '{"a":null,"b":null,"c":{"k":null}}',
});
row('a spec that is null goes', { spec: object({ a: TEXT }), given: 'null', made: undefined });
row('null goes as a value of a map, and stays in a list', {
  spec: object({ map: map(TEXT), list: list(TEXT) }),
  given: '{"list":[null,"a"],"map":{"k":null,"l":"x"}}',
  made: '{"list":[null,"a"],"map":{"l":"x"}}',
});
row('null becomes the default of a member', {
  spec: object({ a: { ...TEXT, default: 'A' }, b: { ...TEXT, nullable: true, default: 'B' } }),
  given: '{"a":null,"b":null}',
  made: '{"a":"A","b":null}',
});
row('null becomes the default of an element and of a value', {
  spec: object({
    list: list({ ...TEXT, default: 'L' }),
    map: map({ ...TEXT, default: 'M' }),
    nulls: list({ ...TEXT, default: 'N', nullable: true }),
  }),
  given: '{"list":[null,"a"],"map":{"k":null},"nulls":[null]}',
  made: '{"list":["L","a"],"map":{"k":"M"},"nulls":[null]}',
});

row('defaults are set where members are absent', {
  spec: object({ a: { ...TEXT, default: 'A' }, b: { ...INTEGER, default: 0 }, c: { ...TEXT, default: null } }),
  given: '{}',
  made: '{"a":"A","b":0}',
});
row('what is there is not replaced, whatever it is', {
  spec: object({ a: { ...TEXT, default: 'A' } }),
  given: '{"a":""}',
  made: '{"a":""}',
});
row('defaults stand in their place', {
  spec: object({ a: TEXT, b: { ...TEXT, default: 'B' }, c: TEXT }),
  given: '{"c":"x","a":"y"}',
  made: '{"a":"y","b":"B","c":"x"}',
});
row('defaults below a default, a list and a map', {
  spec: object({
    part: object({ a: { ...TEXT, default: 'A' }, deep: object({ b: { ...TEXT, default: 'B' } }, { default: {} }) }, { default: {} }),
    list: list(object({ a: { ...TEXT, default: 'L' } })),
    map: map(object({ a: { ...TEXT, default: 'M' } })),
  }),
  given: '{"list":[{}],"map":{"k":{}}}',
  made: '{"list":[{"a":"L"}],"map":{"k":{"a":"M"}},"part":{"a":"A","deep":{"b":"B"}}}',
});
row('no default below what is absent', { spec: object({ part: object({ a: { ...TEXT, default: 'A' } }) }), given: '{}', made: '{}' });
row('defaults of a value of any type', {
  spec: object({ any: { default: { b: 1, a: [2] }, ...KEEPS }, port: { ...INT_OR_STRING, default: '50%' } }),
  given: '{}',
  made: '{"any":{"a":[2],"b":1},"port":"50%"}',
});

row('an embedded resource has apiVersion, kind and metadata', {
  spec: object({ template: object({ spec: object({ a: TEXT }) }, EMBEDDED) }),
  given:
    '{"template":{"kind":"K","apiVersion":"v1","metadata":{"name":"n","labels":{"l":"1","k":"2"},"creationTimestamp":null,"uid":"","foo":1},"spec":{"a":"1","b":"2"},"z":1}}',
  made: '{"template":{"apiVersion":"v1","kind":"K","metadata":{"labels":{"k":"2","l":"1"},"name":"n"},"spec":{"a":"1"}}}',
  unknown: ['spec.template.spec.b', 'spec.template.z', 'spec.template.metadata.foo'],
});
row('embedded resources that preserve, in a list and in a map', {
  spec: object({ list: list({ type: 'object', ...EMBEDDED, ...KEEPS }), map: map({ type: 'object', ...EMBEDDED, ...KEEPS }) }),
  given: '{"list":[{"z":1,"metadata":{"foo":1}}],"map":{"k":{"z":1,"kind":"K","metadata":{"bar":1}}}}',
  made: '{"list":[{"metadata":{},"z":1}],"map":{"k":{"kind":"K","metadata":{},"z":1}}}',
  unknown: ['spec.list[0].metadata.foo', 'spec.map[k].metadata.bar'],
});
row('nothing is added to an embedded resource', { spec: { type: 'object', ...EMBEDDED, ...KEEPS }, given: '{}', made: '{}' });
row('what is declared of embedded metadata drops nothing of them, and has defaults', {
  spec: object({ metadata: object({ namespace: { ...TEXT, default: 'd' } }), kind: { ...TEXT, default: 'K' } }, EMBEDDED),
  given: '{"metadata":{"name":"n","labels":{"a":"b"}}}',
  made: '{"kind":"K","metadata":{"labels":{"a":"b"},"name":"n","namespace":"d"}}',
});
row('metadata of an embedded resource that are null', {
  spec: object({ free: { type: 'object', ...EMBEDDED, ...KEEPS }, declared: object({ metadata: { type: 'object' } }, EMBEDDED) }),
  given: '{"declared":{"metadata":null},"free":{"metadata":null}}',
  made: '{"declared":{},"free":{"metadata":{}}}',
});

const ROOT = object({ spec: object({ a: TEXT }), metadata: object({ name: TEXT }) });
const roots: readonly [name: string, schema: StructuralSchema | undefined, given: string, made: string, unknown: readonly string[]][] = [
  ['has metadata, whatever was sent', ROOT, '{"kind":"K"}', '{"kind":"K","metadata":{}}', []],
  ['has metadata where they were null', ROOT, '{"metadata":null}', '{"metadata":{}}', []],
  [
    'keeps what metadata have, sorted',
    ROOT,
    '{"spec":{"a":"x"},"metadata":{"uid":"u","name":"n","generation":2.0,"ownerReferences":[{"uid":"u","kind":"K","name":"n","apiVersion":"v1"}]},"kind":"K","apiVersion":"v1"}',
    '{"apiVersion":"v1","kind":"K","metadata":{"generation":2,"name":"n","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"u"}],"uid":"u"},"spec":{"a":"x"}}',
    [],
  ],
  [
    'tells of its own metadata first, and of embedded ones last',
    object({ spec: object({ part: { type: 'object', ...EMBEDDED, ...KEEPS } }) }),
    '{"zz":1,"spec":{"part":{"metadata":{"x":1}},"b":1},"metadata":{"zoo":1,"foo":1,"ownerReferences":[{"bar":1}]}}',
    '{"metadata":{"ownerReferences":[{"apiVersion":"","kind":"","name":"","uid":""}]},"spec":{"part":{"metadata":{}}}}',
    ['metadata.foo', 'metadata.ownerReferences[0].bar', 'metadata.zoo', 'spec.b', 'zz', 'spec.part.metadata.x'],
  ],
  [
    'may preserve everything',
    { type: 'object', ...KEEPS },
    '{"z":{"y":1},"metadata":{"foo":1}}',
    '{"metadata":{},"z":{"y":1}}',
    ['metadata.foo'],
  ],
  ['of no schema has metadata alone', undefined, '{"spec":{"a":1},"kind":"K"}', '{"kind":"K","metadata":{}}', ['spec']],
];
for (const [name, schema, given, made, unknown] of roots)
  test(`an object ${name}`, () => assert.equal(decoded(kindOf(schema), given), { text: made, unknownFields: unknown }));

test('without defaults null of a member that has one stays', () => {
  const kind = kindOfSpec(object({ a: { ...TEXT, default: 'A' }, b: TEXT, c: { ...TEXT, default: 'C' } }));
  const { text } = decoded(kind, '{"metadata":{},"spec":{"b":null,"a":null}}', { defaults: false });
  assert.is(text, '{"metadata":{},"spec":{"a":null}}');
});
test('an object has no part of a default', () => {
  const kind = kindOfSpec(object({ a: { type: 'object', ...KEEPS, default: { b: [1] } } }));
  const [one, other] = [0, 1].map(() => decode(kind, { spec: {} }, DEFAULTS).object.spec as { a: { b: unknown } });
  assert.equal(one, other);
  assert.is.not(one?.a, other?.a);
  assert.is.not(one?.a.b, other?.a.b);
});
test('members of a known object are not read again', () => {
  const kind = kindOf(object({ spec: object({ a: TEXT }), status: object({ a: TEXT }) }));
  const known = decode(kind, { spec: { a: 'x' }, status: { a: 'y' } }, DEFAULTS).object;
  const { object: made } = decode(kind, { ...known, status: { a: 'z', b: 1 } }, { defaults: true, known });
  assert.equal(made, { metadata: {}, spec: { a: 'x' }, status: { a: 'z' } });
  assert.is.not(made.spec, known.spec);
});
test('an input that is as it should be is the object', () => {
  const kind = kindOfSpec(object({ a: TEXT, b: list(TEXT), c: map(TEXT) }));
  const input = { apiVersion: 'v1', kind: 'K', spec: { a: 'x', b: ['y'], c: { k: 'z' } } };
  assert.is(decode(kind, input, { defaults: true, reuses: true }).object.spec, input.spec);
});

const embedded = object({
  spec: object({ part: { type: 'object', ...EMBEDDED, ...KEEPS }, parts: map({ type: 'object', ...EMBEDDED, ...KEEPS }) }),
});
const refused: readonly [name: string, given: string, message: string][] = [
  ['metadata of a wrong type', '{"metadata":5}', 'json: cannot unmarshal number into Go value of type v1.ObjectMeta'],
  [
    'a label of a wrong type',
    '{"metadata":{"labels":{"k":1}}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
  ],
  ['an embedded kind', '{"spec":{"part":{"kind":5}}}', 'spec.part.kind: Invalid value: 5: must be a string'],
  [
    'an embedded apiVersion that is null',
    '{"spec":{"part":{"apiVersion":null}}}',
    'spec.part.apiVersion: Invalid value: "null": must be a string',
  ],
  [
    'embedded metadata',
    '{"spec":{"parts":{"k":{"metadata":{"name":[1]}}}}}',
    'spec.parts[k].metadata: Invalid value: map[string]interface {}{"name":[]interface {}{1}}: json: cannot unmarshal array into Go struct field ObjectMeta.name of type string',
  ],
  ['a number beyond the doubles', '{"spec":{"part":{"a":1e999}}}', 'json: cannot unmarshal number 1e999 into Go value of type float64'],
];
for (const [name, given, message] of refused)
  test(`refused: ${name}`, () => {
    assert.throws(
      () => decoded(kindOf(embedded), given),
      (error: unknown) => error instanceof DecodeError && error.message === message,
    );
  });
test('values deeper than the stack are refused', () => {
  const text = `{"spec":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`;
  const kind = kindOfSpec({ type: 'object', ...KEEPS });
  const stacked = () => decoded(kind, text);
  try {
    stacked();
  } catch (error) {
    assert.ok(error instanceof DecodeError && error.message === 'exceeded max depth', String(error));
  }
});

const metadataDefaults: readonly [name: string, metadata: StructuralSchema, given: string, made: string][] = [
  [
    'of members',
    object({ name: { ...TEXT, default: 'n' }, foo: { ...TEXT, default: 'f' } }),
    '{"metadata":{"labels":{"a":"b"}}}',
    '{"labels":{"a":"b"},"name":"n"}',
  ],
  ['as a whole', { type: 'object', default: { name: 'n', foo: 'f' } }, '{}', '{"name":"n"}'],
  [
    'as a whole and of members',
    { ...object({ name: { ...TEXT, default: 'n' } }), default: { labels: { a: 'b' } } },
    '{}',
    '{"labels":{"a":"b"},"name":"n"}',
  ],
  ['that are wrong', { type: 'object', default: { name: 'n', labels: 5 } }, '{}', '{"name":"n"}'],
];
for (const [name, metadata, given, made] of metadataDefaults)
  test(`embedded metadata have defaults ${name}, and of these only what metadata can have`, () => {
    const part = { ...object({ metadata }), ...EMBEDDED };
    assert.equal(decoded(kindOfSpec(object({ part })), `{"spec":{"part":${given}}}`), {
      text: `{"metadata":{},"spec":{"part":{"metadata":${made}}}}`,
      unknownFields: [],
    });
  });

const stored: readonly [name: string, given: string, made: string, unknown: readonly string[]][] = [
  [
    'members of metadata that cannot be read',
    '{"metadata":{"name":"n","labels":5,"foo":1}}',
    '{"metadata":{"name":"n"}}',
    ['metadata.foo'],
  ],
  [
    'apiVersion and kind that are no texts',
    '{"spec":{"part":{"apiVersion":5,"kind":6,"a":1}}}',
    '{"metadata":{},"spec":{"part":{"a":1}}}',
    [],
  ],
  [
    'nothing of embedded metadata that are no object',
    '{"spec":{"part":{"metadata":[42]}}}',
    '{"metadata":{},"spec":{"part":{"metadata":[42]}}}',
    [],
  ],
];
for (const [name, given, made, unknown] of stored)
  test(`read from the store, it loses ${name}`, () => {
    assert.equal(decoded(kindOf(embedded), given, { defaults: true, dropsInvalidMetadata: true }), { text: made, unknownFields: unknown });
  });
test('metadata from the store that are no object are refused', () => {
  assert.throws(
    () => decoded(kindOf(embedded), '{"metadata":[1]}', { defaults: true, dropsInvalidMetadata: true }),
    /^invalid metadata: expected object, got \[\]interface \{\}$/,
  );
});

test('unknown members are sorted by their bytes in UTF-8', () => {
  const { unknownFields } = decode(kindOfSpec(object({ a: TEXT })), { spec: { '\u{1f600}': 1, '\uff71': 2 } }, DEFAULTS);
  assert.equal(unknownFields, ['spec.\uff71', 'spec.\u{1f600}']);
});

test('many unknown members below a long name do not fill the memory', () => {
  const name = 'n'.repeat(10_000);
  const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`x${index}`, 1]));
  const { unknownFields } = decode(kindOfSpec(object({ [name]: object({ a: TEXT }) })), { spec: { [name]: members } }, DEFAULTS);
  assert.ok(unknownFields.length >= 100);
  assert.ok(unknownFields.reduce((sum, path) => sum + path.length, 0) < 2 * 1024 * 1024);
});

test('duplicates are told of first, wherever they stand', () => {
  const kind = kindOfSpec(object({ a: TEXT, free: { ...KEEPS } }));
  const parsed = parseJson('{"spec":{"z":1,"a":"1","free":{"b":1,"b":2},"a":"2"}}');
  const { unknownFields } = decode(kind, parsed.value, DEFAULTS);
  assert.equal(strictErrors(parsed, kind, unknownFields), [
    'duplicate field "spec.free.b"',
    'duplicate field "spec.a"',
    'unknown field "spec.z"',
  ]);
});

test.run();

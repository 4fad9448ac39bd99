/** Schemas hold what an update brings against what was there: elements of lists of type map are found by their keys. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CustomSchema } from '../../runtime/structural-schema/custom-schema.ts';
import { SchemaCheck } from '../../runtime/structural-schema/schema-check.ts';

const test = suite('schema checks');

const LIST: CustomSchema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name', 'port'],
  items: { type: 'object', properties: { name: { type: 'string' }, port: { type: 'integer' }, size: { type: 'integer', maximum: 9 } } },
};

const rows: readonly {
  readonly name: string;
  readonly value: readonly unknown[];
  readonly old: unknown;
  readonly told: readonly string[];
}[] = [
  {
    name: 'what was wrong before is not told of where it has moved',
    value: [{ name: 'new' }, { name: 'a', port: 1, size: 10 }],
    old: [{ name: 'a', port: 1, size: 10 }],
    told: [],
  },
  {
    name: 'another value of a key is another element',
    value: [{ name: 'a', port: 2, size: 10 }],
    old: [{ name: 'a', port: 1, size: 10 }],
    told: ['[0].size'],
  },
  {
    name: 'a key that is missing is none that is null',
    value: [{ name: 'a', size: 10 }],
    old: [
      { name: 'a', port: null, size: 10 },
      { name: 'a', size: 11 },
    ],
    told: ['[0].size'],
  },
  {
    name: 'of old elements with the same keys the first counts',
    value: [{ name: 'a', port: 1, size: 10 }],
    old: ['a', { name: 'a', port: 1, size: 10 }, { name: 'a', port: 1, size: 11 }],
    told: [],
  },
  { name: 'elements that are no objects were never there', value: ['a'], old: ['a'], told: ['[0]'] },
  { name: 'what was no list had no elements', value: [{ name: 'a', size: 10 }], old: { name: 'a', size: 10 }, told: ['[0].size'] },
];

for (const { name, value, old, told } of rows)
  test(name, () => {
    // the list itself has changed, so its elements are looked at
    const findings = new SchemaCheck(LIST).findings([...value, { name: 'last' }], old);
    assert.equal(
      findings.map(({ field }) => field),
      told,
    );
  });

const AROUND: CustomSchema = {
  type: 'object',
  maxProperties: 1,
  properties: {
    list: LIST,
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    plain: { type: 'array', items: { type: 'string' } },
  },
  additionalProperties: false,
};
const element = (name: string) => ({ name, port: 1 });
for (const [name, value, old, told] of [
  [
    'elements with keys may change places',
    { plain: [], list: [element('a'), element('b')] },
    { plain: [], list: [element('b'), element('a')] },
    [],
  ],
  ['elements without keys may not', { plain: ['a', 'b'], list: [] }, { plain: ['b', 'a'], list: [] }, ['']],
  ['an element that has lost a key is another one', { plain: [], list: [{ name: 'a' }] }, { plain: [], list: [{ name: 'a' }] }, ['']],
  ['nobody follows what the schema does not name', { plain: [], free: { any: 1 } }, { plain: [], free: { any: 1 } }, ['']],
  ['nothing in it is as it was', { plain: [], free: {} }, { plain: [], free: {} }, []],
] as const)
  test(name, () => {
    assert.equal(
      new SchemaCheck(AROUND).findings(value, old).map(({ field }) => field),
      told,
    );
  });

test('members are forbidden where no others may be', () => {
  const found = (value: object) => new SchemaCheck(CLOSED).findings(value, undefined).map(({ field, message }) => `${field}: ${message}`);
  const CLOSED: CustomSchema = {
    properties: { map: { type: 'object', additionalProperties: false }, both: { properties: { a: {} }, additionalProperties: false } },
  };
  assert.equal(found({ map: { b: 1, c: 2 }, both: { a: 1 } }), [
    'map: Invalid value: "b": map.b in body is a forbidden property',
    'map: Invalid value: "c": map.c in body is a forbidden property',
  ]);
  assert.equal(found({ map: {}, both: { a: 1, b: 1 } }), ['both: Invalid value: "b": both.b in body is a forbidden property']);
});

const SHORT: CustomSchema = { properties: { text: { maxLength: 3 } } };
const LONG_TEXT = { text: 'too long', other: 'a' };
for (const [name, alternatives, told] of [
  ['allOf', { allOf: [SHORT] }, ['text', '']],
  ['anyOf', { anyOf: [SHORT] }, ['', 'text']],
  ['oneOf', { oneOf: [SHORT] }, ['', 'text']],
  ['not', { not: { properties: { text: { minLength: 3 } } } }, ['']],
] as const) {
  const schema: CustomSchema = { type: 'object', properties: { text: { type: 'string' }, other: { type: 'string' } }, ...alternatives };
  const findings = (value: object) => new SchemaCheck(schema).findings(value, LONG_TEXT).map(({ field }) => field);
  test(`what an update leaves as it was is told of by ${name}, unless all of the value stays`, () => {
    assert.equal(findings({ ...LONG_TEXT, other: 'b' }), told);
    assert.equal(findings({ ...LONG_TEXT }), []);
  });
}

test('an old list is looked through once', () => {
  const length = 2_000;
  let looks = 0;
  const elements = Array.from({ length }, (_, index) => ({ name: `n${index}`, port: index }));
  const old = new Proxy(elements, {
    get(target, member, receiver) {
      if (typeof member === 'string' && /^\d+$/.test(member)) looks++;
      return Reflect.get(target, member, receiver);
    },
  });
  assert.equal(new SchemaCheck(LIST).findings(structuredClone(elements), old), []);
  assert.ok(looks >= length && looks <= 4 * length, `${looks} looks at ${length} elements`);
});

test.run();

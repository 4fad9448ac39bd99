/** Applies and updates of objects of structural types, whose schemas say at any depth how lists and maps are owned. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createdFields } from '../../runtime/apply/created-fields.ts';
import { intentErrors } from '../../runtime/apply/intent.ts';
import { ElementError } from '../../runtime/apply/list-elements.ts';
import { shapeOf } from '../../runtime/apply/object-shape.ts';
import type { StructuralSchema } from '../../runtime/schema/codec/codec.ts';
import { EMBEDDED, INT_OR_STRING, INTEGER, KEEPS, keyed, kindOfSpec, list, map, object, set, TEXT } from '../schema/structural/types.ts';
import { Owned } from './types.ts';

type Step =
  | { readonly apply: string; readonly spec: unknown; readonly force?: true; readonly conflicts?: readonly string[] }
  | { readonly update: string; readonly spec: unknown };

interface Row {
  readonly schema: StructuralSchema;
  readonly steps: readonly Step[];
  /** of the object in the end */
  readonly spec?: unknown;
  /** `f:spec` of each owner by apply in the end; `NAME by update` of the others */
  readonly owners?: Readonly<Record<string, object>>;
}

const test = suite('ownership in structural types');
const widget = (spec: unknown) => ({ kind: 'Widget', apiVersion: 'v1', metadata: { name: 'w' }, spec });
const LEAF = {};

function row(name: string, { schema, steps, spec, owners }: Row): void {
  test(name, () => {
    const owned = new Owned(kindOfSpec(schema));
    for (const step of steps) {
      if ('update' in step) owned.update(step.update, widget(step.spec));
      else assert.equal(owned.apply(step.apply, widget(step.spec), step.force === true), step.conflicts ?? []);
    }
    if (spec !== undefined) assert.equal((owned.object as { spec: unknown }).spec, spec);
    if (owners === undefined) return;
    const found = [...owned.managers.values()].map(({ name: manager, operation, fields }) => [
      operation === 'Apply' ? manager : `${manager} by update`,
      fields['f:spec'] ?? {},
    ]);
    assert.equal(Object.fromEntries(found), owners);
  });
}

const ITEM = object({ name: TEXT, value: TEXT, port: { ...INTEGER, default: 80 } });

row('a set in a map is owned element by element', {
  schema: object({ sets: map(set(TEXT)) }),
  steps: [
    { apply: 'a', spec: { sets: { k: ['x', 'y'] } } },
    { apply: 'b', spec: { sets: { k: ['z', 'y'] } } },
    { apply: 'a', spec: { sets: { k: ['x'] } } },
  ],
  spec: { sets: { k: ['x', 'z', 'y'] } },
  owners: {
    a: { 'f:sets': { 'f:k': { '.': LEAF, 'v:"x"': LEAF } } },
    b: { 'f:sets': { 'f:k': { '.': LEAF, 'v:"y"': LEAF, 'v:"z"': LEAF } } },
  },
});
row('a keyed list in a map is owned member by member', {
  schema: object({ groups: map(keyed(ITEM, ['name'])) }),
  steps: [
    { apply: 'a', spec: { groups: { k: [{ name: 'i', value: 'v' }] } } },
    { apply: 'b', spec: { groups: { k: [{ name: 'i', port: 1 }, { name: 'j' }] } }, force: true },
    { apply: 'b', spec: { groups: { k: [{ name: 'i', value: 'w' }] } }, conflicts: ['a: .spec.groups.k[name="i"].value'] },
    { apply: 'a', spec: {} },
  ],
  spec: {
    groups: {
      k: [
        { name: 'i', port: 1 },
        { name: 'j', port: 80 },
      ],
    },
  },
});
row('a keyed list in a keyed list, by several keys of which one has a default', {
  schema: object({ outer: keyed(object({ id: INTEGER, inner: keyed(ITEM, ['port', 'name']) }), ['id']) }),
  steps: [
    { apply: 'a', spec: { outer: [{ id: 1, inner: [{ name: 'i', value: 'v' }] }] } },
    {
      apply: 'b',
      spec: { outer: [{ id: 1, inner: [{ name: 'i', port: 80, value: 'w' }] }] },
      conflicts: ['a: .spec.outer[id=1].inner[name="i",port=80].value'],
    },
  ],
  owners: {
    a: {
      'f:outer': {
        'k:{"id":1}': {
          '.': LEAF,
          'f:id': LEAF,
          'f:inner': { 'k:{"name":"i","port":80}': { '.': LEAF, 'f:name': LEAF, 'f:value': LEAF } },
        },
      },
    },
  },
});
row('two members of one structure with different semantics', {
  schema: object({ one: list(ITEM), each: keyed(ITEM, ['name']) }),
  steps: [
    { apply: 'a', spec: { one: [{ name: 'i' }], each: [{ name: 'i' }] } },
    { apply: 'b', spec: { one: [{ name: 'j' }], each: [{ name: 'j' }] }, conflicts: ['a: .spec.one'] },
  ],
});
row('a list of sets has one owner', {
  schema: object({ sets: list(set(TEXT)) }),
  steps: [
    { apply: 'a', spec: { sets: [['x']] } },
    { apply: 'b', spec: { sets: [['y']] }, conflicts: ['a: .spec.sets'] },
  ],
  owners: { a: { 'f:sets': LEAF } },
});
row('atomic maps and objects have one owner, wherever they stand', {
  schema: object({
    maps: map(map(TEXT, { 'x-kubernetes-map-type': 'atomic' })),
    list: keyed(object({ name: TEXT, whole: object({ a: TEXT, b: TEXT }, { 'x-kubernetes-map-type': 'atomic' }) }), ['name']),
  }),
  steps: [
    { apply: 'a', spec: { maps: { k: { x: '1' } }, list: [{ name: 'i', whole: { a: '1' } }] } },
    {
      apply: 'b',
      spec: { maps: { k: { y: '1' }, l: { y: '1' } }, list: [{ name: 'i', whole: { b: '1' } }] },
      conflicts: ['a: .spec.list[name="i"].whole', 'a: .spec.maps.k'],
    },
  ],
});
row('maps of structures are owned member by member', {
  schema: object({ parts: map(ITEM) }),
  steps: [
    { apply: 'a', spec: { parts: { k: { name: 'x' } } } },
    { apply: 'b', spec: { parts: { k: { value: 'y' } } } },
    { apply: 'a', spec: { parts: {} } },
  ],
  spec: { parts: { k: { port: 80, value: 'y' } } },
  owners: { a: { 'f:parts': LEAF }, b: { 'f:parts': { 'f:k': { '.': LEAF, 'f:value': LEAF } } } },
});
row('preserved members are owned one by one, their lists as a whole', {
  schema: object({ a: TEXT, deep: object({ b: TEXT }) }, KEEPS),
  steps: [
    { apply: 'a', spec: { free: { x: 1, l: [1] }, deep: { c: { d: 1 } } } },
    { apply: 'b', spec: { free: { y: 1, l: [2] } }, conflicts: ['a: .spec.free.l'] },
    { apply: 'b', spec: { a: 'x', free: { y: 1 } } },
  ],
  spec: { a: 'x', deep: {}, free: { l: [1], x: 1, y: 1 } },
});
row('what owns a preserved member owns it like a key of a map', {
  schema: object({ a: object({ b: TEXT }) }, KEEPS),
  steps: [{ apply: 'a', spec: { a: { b: 'x' }, free: { c: { d: [1] } }, none: null } }],
  owners: { a: { 'f:a': { 'f:b': LEAF }, 'f:free': { '.': LEAF, 'f:c': { '.': LEAF, 'f:d': LEAF } }, 'f:none': LEAF } },
});
row('what an updater has made owns what it holds', {
  schema: object({ a: TEXT, sets: map(set(TEXT)), any: { properties: { b: TEXT }, ...KEEPS } }),
  steps: [{ update: 'u', spec: { a: 'x', sets: { k: ['1'] }, any: { b: 'y', free: { c: 1 } } } }],
  owners: {
    'u by update': {
      '.': LEAF,
      'f:a': LEAF,
      'f:any': { '.': LEAF, 'f:b': LEAF, 'f:free': { '.': LEAF, 'f:c': LEAF } },
      'f:sets': { '.': LEAF, 'f:k': { '.': LEAF, 'v:"1"': LEAF } },
    },
  },
});
row('null is a value where it may be one', {
  schema: object({ a: { ...TEXT, nullable: true }, b: TEXT }),
  steps: [
    { apply: 'a', spec: { a: null, b: null } },
    { apply: 'b', spec: { a: 'x' }, conflicts: ['a: .spec.a'] },
    { apply: 'b', spec: { b: 'x' }, conflicts: ['a: .spec.b'] },
  ],
  spec: { a: null },
  owners: { a: { 'f:a': LEAF, 'f:b': LEAF } },
});
row('an integer or a text is one value', {
  schema: object({ port: INT_OR_STRING }),
  steps: [
    { apply: 'a', spec: { port: 80 } },
    { apply: 'b', spec: { port: '80%' }, conflicts: ['a: .spec.port'] },
    { apply: 'b', spec: { port: '80%' }, force: true },
  ],
  spec: { port: '80%' },
  owners: { b: { 'f:port': LEAF } },
});
row('a value of any type is owned as what it is', {
  schema: object({ any: { properties: { a: TEXT, b: TEXT }, items: TEXT, 'x-kubernetes-list-type': 'set', ...KEEPS } }),
  steps: [
    { apply: 'a', spec: { any: { a: 'x' } } },
    { apply: 'b', spec: { any: { b: 'y', c: { d: 1 } } } },
    { apply: 'b', spec: { any: ['x', 'y'] } },
    { apply: 'c', spec: { any: ['z'] } },
  ],
  spec: { any: ['x', 'y', 'z'] },
  owners: { b: { 'f:any': { 'v:"x"': LEAF, 'v:"y"': LEAF } }, c: { 'f:any': { 'v:"z"': LEAF } } },
});
row('metadata of an embedded resource are owned as all metadata', {
  schema: object({ template: object({ spec: object({ a: TEXT }) }, EMBEDDED) }),
  steps: [
    { apply: 'a', spec: { template: { kind: 'K', metadata: { labels: { k: '1' }, finalizers: ['x'] } } } },
    { apply: 'b', spec: { template: { metadata: { labels: { l: '1' }, finalizers: ['y'] }, spec: { a: 'x' } } } },
    { apply: 'b', spec: { template: { metadata: { labels: { k: '2' } } } }, conflicts: ['a: .spec.template.metadata.labels.k'] },
  ],
  spec: { template: { kind: 'K', metadata: { finalizers: ['x', 'y'], labels: { k: '1', l: '1' } }, spec: { a: 'x' } } },
});
row('names that every object has are names like any other', {
  schema: object({ constructor: TEXT, toString: TEXT }, KEEPS),
  steps: [
    { update: 'u', spec: {} },
    { apply: 'a', spec: { constructor: 'x', valueOf: 1 } },
    { apply: 'b', spec: { constructor: 'y' }, conflicts: ['a: .spec.constructor'] },
  ],
  owners: { 'u by update': LEAF, a: { 'f:constructor': LEAF, 'f:valueOf': LEAF } },
});

row('what is wrong for an integer or a text is owned as what it is, until it is validated', {
  schema: object({ port: INT_OR_STRING }),
  steps: [
    { apply: 'a', spec: { port: 1 } },
    { apply: 'a', spec: { port: { a: [1] } } },
  ],
  owners: { a: { 'f:port': { 'f:a': LEAF } } },
});

const INTENT = object({
  text: TEXT,
  count: INTEGER,
  flag: { type: 'boolean' },
  sets: map(list(set(TEXT))),
  items: list(object({ names: keyed(ITEM, ['name']) })),
  whole: object({ a: TEXT }, { 'x-kubernetes-map-type': 'atomic' }),
  free: { type: 'object' },
  port: INT_OR_STRING,
  day: { type: 'string', format: 'date' },
  any: { properties: { a: TEXT } },
  kept: object({ deep: object({ a: TEXT }) }, KEEPS),
  template: { type: 'object', ...EMBEDDED },
});
const intents: readonly [name: string, spec: unknown, errors: readonly string[]][] = [
  ['null of any type', { text: null, sets: null, whole: null, template: null }, []],
  ['a spec of another type', 'text', ['.spec: expected map, got &{text}']],
  [
    'an undeclared member',
    { z: 1, whole: { b: 1 } },
    ['.spec.z: field not declared in schema', '.spec.whole.b: field not declared in schema'],
  ],
  [
    'a scalar of another type',
    { text: 1, count: 'x', flag: 1 },
    [
      '.spec.text: expected string, got &value.valueUnstructured{Value:1}',
      '.spec.count: expected numeric (int or float), got string',
      '.spec.flag: expected boolean, got &{1}',
    ],
  ],
  ['an object for a text', { text: {} }, ['.spec.text: expected string, got &value.valueUnstructured{Value:map[string]interface {}{}}']],
  [
    'values that are shown by the type that they should have',
    { text: [{ a: 1.5, b: [null, true] }], count: { a: 1 }, flag: [{ b: 1.5, a: null }] },
    [
      '.spec.text: expected string, got &value.valueUnstructured{Value:[]interface {}{map[string]interface {}{"a":1.5, "b":[]interface {}{interface {}(nil), true}}}}',
      '.spec.count: expected numeric (int or float), got map[string]interface {}',
      '.spec.flag: expected boolean, got &{[map[a:<nil> b:1.5]]}',
    ],
  ],
  [
    'a list for a number, and a text for a list',
    { count: [1], items: 'x' },
    ['.spec.count: expected numeric (int or float), got []interface {}', '.spec.items: expected list, got &{x}'],
  ],
  ['a truth value for a number', { count: true }, ['.spec.count: expected numeric (int or float), got bool']],
  ['anything in an object without properties', { free: { a: { b: [1] } } }, []],
  ['anything for an integer or a text', { port: [{ a: 1 }] }, []],
  ['any scalar for a text of a format', { day: 1 }, []],
  ['an object for a text of a format', { day: {} }, ['.spec.day: expected any scalar, got &{map[]}']],
  ['a list for a text of a format', { day: [] }, ['.spec.day: expected any scalar, got &{[]}']],
  ['a value of any type', { any: [1, { b: 1 }] }, []],
  ['an object of any type', { any: { b: 1 } }, ['.spec.any.b: field not declared in schema']],
  ['what is preserved, at any depth below', { kept: { x: 1, deep: { y: 1 } } }, []],
  [
    'an element that stands twice in a set, however deep',
    { sets: { k: [['x', 'x']] } },
    ['.spec.sets.k[0]: duplicate entries for key [="x"]'],
  ],
  [
    'an element without its key',
    { items: [{ names: [{ value: 'x' }] }] },
    [
      '.spec.items[0].names: element 0: associative list with keys has an element that omits key field "name" (and doesn\'t have default value)',
    ],
  ],
  [
    'an element without its key, behind which nothing is looked at',
    { items: [{ names: [{ name: 'a', value: 1 }, {}, { name: 1 }] }] },
    [
      '.spec.items[0].names[name="a"].value: expected string, got &value.valueUnstructured{Value:1}',
      '.spec.items[0].names: element 1: associative list with keys has an element that omits key field "name" (and doesn\'t have default value)',
    ],
  ],
  [
    'an object for a key',
    { items: [{ names: [{ name: { a: 1 } }] }] },
    ['.spec.items[0].names[name=a=1].name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1}}'],
  ],
  [
    'a list for a key, and a key of unprintable characters',
    { items: [{ names: [{ name: ['x', 1.5, null] }, { name: '\u0000', value: 1 }] }] },
    [
      '.spec.items[0].names[name=["x",1.5,null]].name: expected string, got &value.valueUnstructured{Value:[]interface {}{"x", 1.5, interface {}(nil)}}',
      '.spec.items[0].names[name="\\x00"].value: expected string, got &value.valueUnstructured{Value:1}',
    ],
  ],
  [
    'an element that stands twice in a keyed list',
    { items: [{ names: [{ name: 'a' }, { name: 'a' }] }] },
    ['.spec.items[0].names: duplicate entries for key [name="a"]'],
  ],
  [
    'metadata of an embedded resource',
    { template: { kind: 1, metadata: { labels: { a: 1 }, foo: 1 } } },
    [
      '.spec.template.kind: expected string, got &value.valueUnstructured{Value:1}',
      '.spec.template.metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}',
      '.spec.template.metadata.foo: field not declared in schema',
    ],
  ],
];
for (const [name, spec, errors] of intents)
  test(`an intent has ${name}`, () => assert.equal(intentErrors(kindOfSpec(INTENT), widget(spec)), errors));

test('nobody can own anything of an object with a list where its schema has a text of a format', () => {
  const type = kindOfSpec(object({ day: { type: 'string', format: 'date' }, days: map({ type: 'string', format: 'date' }) }));
  const day = '2026-01-01';
  for (const wrong of [{ day: [] }, { day: [{}] }, { days: { a: [day] } }]) {
    const owned = new Owned(type);
    const version = { apiVersion: 'v1', type, shape: shapeOf(type), resets: {} };
    assert.throws(
      () => createdFields(version, {}, widget(wrong)),
      (error: unknown) => error instanceof ElementError,
    );
    owned.update('a', widget({ day, days: { a: day } }));
    assert.throws(
      () => owned.update('a', widget({ day, days: { a: day }, ...wrong })),
      (error: unknown) => error instanceof ElementError,
    );
  }
});

test.run();

/** Schemas of definitions as structural types. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ObjectMeta } from '../../../generated/meta/v1/descriptors.ts';
import type { StructType, Type } from '../../../runtime/contract/descriptor.ts';
import { type StructuralSchema, structuralType } from '../../../runtime/schema/codec/codec.ts';
import { EMBEDDED, INT_OR_STRING, KEEPS, keyed, list, map, object, set, TEXT } from './types.ts';

/** As plain data, without the names of structs; metadata are told of as there. */
function shown(type: Type): unknown {
  switch (type.kind) {
    case 'list':
      return { ...type, element: shown(type.element) };
    case 'map':
      return { ...type, value: shown(type.value) };
    case 'any':
      return { ...type, ...(type.object && { object: shown(type.object) }), ...(type.list && { list: shown(type.list) }) };
    case 'struct': {
      const { name: _name, fields, metadata, others, ...rest } = type;
      const members = Object.fromEntries(fields.map((field) => [field.name, shown(field.type)]));
      return { ...rest, fields: members, ...(metadata === ObjectMeta && { metadata: true }), ...(others && { others: shown(others) }) };
    }
    default:
      return type;
  }
}

const TEXT_TYPE = { kind: 'scalar', scalar: 'string' };
const ANYTHING = { kind: 'any', nullable: true };
const rows: readonly [name: string, schema: StructuralSchema, type: object][] = [
  ['a text of bytes', { type: 'string', format: 'byte' }, TEXT_TYPE],
  [
    'a text of another format, which may be applied as any scalar',
    { type: 'string', format: 'date-time' },
    { kind: 'scalar', scalar: 'intOrString' },
  ],
  ['a boolean', { type: 'boolean' }, { kind: 'scalar', scalar: 'boolean' }],
  ['an integer', { type: 'integer' }, { kind: 'scalar', scalar: 'int64' }],
  ['an integer of 32 bits', { type: 'integer', format: 'int32' }, { kind: 'scalar', scalar: 'int32' }],
  ['a number', { type: 'number', format: 'float' }, { kind: 'scalar', scalar: 'double' }],
  ['an integer or a text, which may be applied as anything', INT_OR_STRING, { kind: 'any' }],
  ['that may be null, with a default', { ...TEXT, nullable: true, default: 'a' }, { ...TEXT_TYPE, nullable: true, default: 'a' }],
  ['with no default', { ...TEXT, nullable: false, default: null }, TEXT_TYPE],
  ['an object', object({ a: TEXT }), { kind: 'struct', fields: { a: TEXT_TYPE } }],
  ['an object without properties', { type: 'object' }, { kind: 'struct', fields: {} }],
  ['an object that keeps what it does not know', { type: 'object', ...KEEPS }, { kind: 'struct', preservesUnknown: true, fields: {} }],
  [
    'an object of an API',
    { type: 'object', ...EMBEDDED, ...KEEPS },
    { kind: 'struct', preservesUnknown: true, fields: {}, metadata: true },
  ],
  [
    'an atomic object',
    object({ a: TEXT }, { 'x-kubernetes-map-type': 'atomic' }),
    { kind: 'struct', mapType: 'atomic', fields: { a: TEXT_TYPE } },
  ],
  ['a granular object', object({ a: TEXT }, { 'x-kubernetes-map-type': 'granular' }), { kind: 'struct', fields: { a: TEXT_TYPE } }],
  ['a map', map(TEXT), { kind: 'map', value: TEXT_TYPE }],
  ['an atomic map', map(TEXT, { 'x-kubernetes-map-type': 'atomic' }), { kind: 'map', value: TEXT_TYPE, mapType: 'atomic' }],
  ['a map of anything', map(true), { kind: 'map', value: ANYTHING }],
  [
    'properties and others',
    object({ a: TEXT }, { additionalProperties: TEXT }),
    { kind: 'struct', fields: { a: TEXT_TYPE }, others: TEXT_TYPE },
  ],
  ['an object of an API with others', map(TEXT, EMBEDDED), { kind: 'struct', fields: {}, others: TEXT_TYPE, metadata: true }],
  ['a list', list(TEXT), { kind: 'list', element: TEXT_TYPE }],
  ['a list of anything', { type: 'array' }, { kind: 'list', element: ANYTHING }],
  ['an atomic list', list(TEXT, { 'x-kubernetes-list-type': 'atomic' }), { kind: 'list', element: TEXT_TYPE }],
  [
    'a keyed list of sets in a map',
    map(keyed(object({ name: TEXT, set: set(TEXT) }), ['name'])),
    {
      kind: 'map',
      value: {
        kind: 'list',
        element: { kind: 'struct', fields: { name: TEXT_TYPE, set: { kind: 'list', element: TEXT_TYPE, listType: 'set' } } },
        listType: 'map',
        listMapKeys: ['name'],
      },
    },
  ],
  ['a list of sets', list(set(TEXT)), { kind: 'list', element: { kind: 'list', element: TEXT_TYPE, listType: 'set' } }],
  ['no type', {}, { kind: 'any' }],
  [
    'no type, and everything kept',
    { ...KEEPS, nullable: true, default: {} },
    { kind: 'any', preservesUnknown: true, nullable: true, default: {} },
  ],
  [
    'no type, with properties and items',
    { properties: { a: TEXT }, items: TEXT },
    { kind: 'any', object: { kind: 'struct', fields: { a: TEXT_TYPE } }, list: { kind: 'list', element: TEXT_TYPE } },
  ],
  ['no type, with values', { additionalProperties: TEXT }, { kind: 'any', object: { kind: 'map', value: TEXT_TYPE } }],
];

const test = suite('structural types of schemas');
for (const [name, schema, type] of rows)
  test(name, () => {
    const root = structuralType('x.v1.Y', object({ spec: schema }), ObjectMeta);
    assert.equal(shown(root.fields[0]?.type as Type), type);
  });
test('a kind is an object of an API, whatever its schema says', () => {
  for (const schema of [undefined, object({}), { type: 'object' }]) {
    const root = structuralType('x.v1.Y', schema, ObjectMeta);
    assert.equal([root.kind, root.name, root.metadata, root.go, root.fields], ['struct', 'x.v1.Y', ObjectMeta, undefined, []]);
  }
});
test('a kind may keep what it does not know', () => {
  assert.is(structuralType('x.v1.Y', { type: 'object', ...KEEPS }, ObjectMeta).preservesUnknown, true);
});
test('a kind may keep everything, whatever its parts say', () => {
  const schema = object({
    spec: object({ a: list(object({ b: map(TEXT) })), c: { 'x-kubernetes-int-or-string': true } }),
    free: {},
    items: { type: 'array' },
  });
  const kept = { nullable: true, preservesUnknown: true };
  const text = { ...TEXT_TYPE, ...kept };
  const element = { kind: 'struct', ...kept, fields: { b: { kind: 'map', value: text, ...kept } } };
  assert.equal(shown(structuralType('x.v1.Y', schema, ObjectMeta, true)), {
    kind: 'struct',
    ...kept,
    metadata: true,
    fields: {
      spec: { kind: 'struct', ...kept, fields: { a: { kind: 'list', element, ...kept }, c: { kind: 'any', ...kept } } },
      free: { kind: 'any', ...kept },
      items: { kind: 'list', element: { kind: 'any', ...kept }, ...kept },
    },
  });
});
test('schemas are read when somebody asks for what they are of, once', () => {
  let reads = 0;
  const part: StructuralSchema = {
    type: 'object',
    get properties() {
      reads++;
      return { a: TEXT };
    },
  };
  const root = structuralType('x.v1.Y', object({ spec: object({ part }) }), ObjectMeta);
  const spec = root.fields[0]?.type as StructType;
  const before = reads;
  assert.is(before, 0);
  assert.is(spec.fields, spec.fields);
  assert.is(spec.fields[0]?.name, 'part');
});
test.run();

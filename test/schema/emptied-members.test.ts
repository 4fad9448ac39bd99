import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as d from '../../runtime/contract/descriptor.ts';
import { compileType, decode } from '../../runtime/schema/codec/codec.ts';
import { losesEmpty, withEmptied, withoutEmptyBytes } from '../../runtime/schema/emptied-members.ts';
import { identity } from './types.ts';

const Part = d.struct('x.v1.Part', () => [
  { name: 'names', type: d.list(d.string), go: { always: true } },
  { name: 'labels', type: d.map(d.string), go: { always: true } },
  { name: 'extra', type: d.list(d.string) },
  { name: 'notes', type: d.map(d.string) },
]);
const Keyed = d.struct('x.v1.Keyed', () => [
  { name: 'name', type: d.string, go: { always: true } },
  { name: 'extra', type: d.list(d.string) },
  { name: 'parts', type: d.list(Part) },
]);
const type = compileType(
  d.struct('x.v1.Whole', () => [
    { name: 'part', type: Part },
    { name: 'parts', type: d.list(Part) },
    { name: 'byName', type: d.map(Part) },
    { name: 'keyed', type: d.keyedList(Keyed, ['name']) },
    { name: 'time', type: d.time },
    { name: 'files', type: d.map(d.bytes) },
    { name: 'file', type: d.bytes },
  ]),
  identity,
);

const test = suite('emptied members');

const rows: readonly [name: string, input: object, paths: unknown[] | undefined][] = [
  ['none', { part: { names: ['a'], labels: { a: 'b' }, extra: [] } }, undefined],
  ['null is none', { part: { names: null }, time: '0001-01-01T00:00:00Z' }, undefined],
  [
    'a list and a map',
    { part: { labels: {}, names: [] } },
    [
      ['part', 'names'],
      ['part', 'labels'],
    ],
  ],
  [
    'in lists and maps',
    { parts: [{}, { names: [] }], byName: { a: { labels: {} } } },
    [
      ['parts', 1, 'names'],
      ['byName', 'a', 'labels'],
    ],
  ],
  [
    'left out in a list that is compared as a whole',
    { parts: [{ names: ['a'], labels: { a: 'b' }, extra: [], notes: {} }] },
    [
      ['parts', 0, 'extra'],
      ['parts', 0, 'notes'],
    ],
  ],
  ['left out in a list that is compared by its elements', { keyed: [{ name: 'a', extra: [], parts: [] }] }, undefined],
  [
    'left out in a list within such an element',
    { keyed: [{ name: 'a', extra: [], parts: [{ names: ['a'], labels: { a: 'b' }, extra: [] }] }] },
    [['keyed', 0, 'parts', 0, 'extra']],
  ],
];
for (const [name, input, paths] of rows)
  test(name, () => {
    const { object, emptied } = decode(type, input, { defaults: false });
    assert.equal(emptied, paths);
    const sent = withEmptied(object, type, emptied ?? [], true);
    assert.equal(decode(type, sent, { defaults: false }), { object, unknownFields: [], emptied });
  });

test('what a default has filled since stays', () => {
  const { object, emptied = [] } = decode(type, { part: { names: [], labels: {} } }, { defaults: false });
  const filled = { ...object, part: { ...(object.part as object), names: ['a'] } };
  assert.equal(withEmptied(filled, type, emptied), { ...filled, part: { names: ['a'], labels: {} } });
});

test('they are in a copy, and the rest is shared', () => {
  const { object, emptied = [] } = decode(type, { part: { names: [], labels: { a: 'b' } }, parts: [{}] }, { defaults: false });
  const sent = withEmptied(object, type, emptied) as typeof object & { part: { names: unknown; labels: unknown } };
  assert.equal(sent.part.names, []);
  assert.is((object.part as { names: unknown }).names, null);
  assert.is(sent.parts, object.parts);
  assert.is(sent.part.labels, (object.part as { labels: unknown }).labels);
});

test('those that the type leaves out are there only where they are asked for', () => {
  const { object, emptied = [] } = decode(type, { parts: [{ names: ['a'], labels: { a: 'b' }, extra: [] }] }, { defaults: false });
  const part = { names: ['a'], labels: { a: 'b' } };
  assert.equal((withEmptied(object, type, emptied) as typeof object).parts, [part]);
  assert.equal((withEmptied(object, type, emptied, true) as typeof object).parts, [{ ...part, extra: [] }]);
});

const lost: readonly [name: string, sent: object, made: object, loses: boolean][] = [
  ['an empty list that is left out', { keyed: [{ name: 'a', extra: [] }] }, { keyed: [{ name: 'a' }] }, true],
  ['an empty map in a map', { byName: { a: { notes: {} } } }, { byName: { a: {} } }, true],
  ['an empty list that is written as null', { part: { names: [] } }, { part: { names: null } }, true],
  ['an empty map of a part that is left out', { part: { labels: {} } }, {}, true],
  ['an empty list that a default has filled', { part: { names: [] } }, { part: { names: ['a'] } }, false],
  ['bytes that are null in a map', { files: { a: null } }, { files: { a: '' } }, true],
  ['empty bytes in a map', { files: { a: '' } }, { files: { a: '' } }, false],
  ['bytes that are null', { file: null }, {}, false],
  ['an empty part', { part: {} }, { part: {} }, false],
  ['what is not empty', { parts: [{ names: ['a'] }], time: null }, { parts: [{ names: ['a'] }] }, false],
  ['what the type does not know', { other: [] }, {}, false],
];
for (const [name, sent, made, loses] of lost)
  test(`a value ${loses ? 'loses' : 'keeps'} ${name}`, () => assert.is(losesEmpty(type, sent, made), loses));

test('a value without empty bytes has null in place of them, in whatever holds them', () => {
  const value = { part: { names: [''] }, files: { a: '', b: 'YQ==' }, file: '', other: '' };
  const expected = { part: { names: [''] }, files: { a: null, b: 'YQ==' }, file: null, other: '' };
  assert.equal(withoutEmptyBytes(type, value), expected);
});

test('a long list takes linear time', () => {
  const count = 200_000;
  const { object, emptied = [] } = decode(type, { parts: Array.from({ length: count }, () => ({ names: [] })) }, { defaults: false });
  const { parts } = withEmptied(object, type, emptied) as unknown as { parts: { names: unknown }[] };
  assert.is(parts.length, count);
  assert.ok(parts.every(({ names }) => Array.isArray(names)));
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as d from '../../runtime/contract/descriptor.ts';
import { asWritten } from '../../runtime/schema/as-written.ts';

const part = d.struct('x.toy.v1.Part', () => [
  { name: 'tags', type: d.list(d.string) },
  { name: 'size', type: d.quantity },
]);
const inner = d.struct('x.toy.v1.Inner', () => [{ name: 'labels', type: d.map(d.string) }]);
const toy = d.struct('x.toy.v1.Toy', () => [
  { name: 'name', type: d.string },
  { name: 'inner', type: inner, go: { inline: true } },
  { name: 'parts', type: d.list(part) },
  { name: 'room', type: d.map(d.quantity) },
]);

const rows: readonly (readonly [name: string, value: object, written: unknown, expected: object])[] = [
  ['what is the same stays', { name: 'a' }, { name: 'a' }, { name: 'a' }],
  ['empty lists and maps are there again', {}, { parts: [], labels: {}, room: {} }, { labels: {}, parts: [], room: {} }],
  ['null is absent', {}, { parts: null, room: null }, {}],
  [
    'elements of lists',
    { parts: [{ size: '100m' }, {}] },
    { parts: [{ size: '0.1' }, { tags: [] }] },
    { parts: [{ size: '0.1' }, { tags: [] }] },
  ],
  ['a list that has become another one stays', { parts: [{}] }, { parts: [{ tags: [] }, {}] }, { parts: [{}] }],
  [
    'quantities are spelled as they were',
    { room: { cpu: '1', memory: '1Gi' } },
    { room: { cpu: 1, memory: '1024Mi' } },
    { room: { cpu: '1', memory: '1024Mi' } },
  ],
  ['a quantity that was rounded', { room: { cpu: '1m' } }, { room: { cpu: '0.0005' } }, { room: { cpu: '0.0005' } }],
  ['a quantity that has become another one stays', { room: { cpu: '2' } }, { room: { cpu: '1' } }, { room: { cpu: '2' } }],
  ['a quantity that was not written', { parts: [{ size: '0' }] }, { parts: [{}] }, { parts: [{}] }],
  ['an entry that was added stays', { room: { cpu: '1', gpu: '2' } }, { room: { cpu: '1.0' } }, { room: { cpu: '1.0', gpu: '2' } }],
  ['a member of another type stays', { parts: [{}] }, { parts: 'x' }, { parts: [{}] }],
];

const test = suite('objects as they were written');
for (const [name, value, written, expected] of rows)
  test(name, () => {
    const before = structuredClone(value);
    assert.equal(asWritten(toy, value, written), expected);
    assert.equal(value, before);
  });
test.run();

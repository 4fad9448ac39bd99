import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { intentErrors } from '../../runtime/apply/intent.ts';
import { shapeOf } from '../../runtime/apply/object-shape.ts';
import { hasWellFormedLists } from '../../runtime/apply/well-formed-lists.ts';
import { loadKind } from '../kinds/kind.ts';
import { keyed, kindOfSpec, list, map, object, set, TEXT } from '../schema/structural/types.ts';

const test = suite('lists whose elements can be told apart');

const POD = (await loadKind('v1', 'Pod')).compiled;
const CUSTOM = kindOfSpec(
  object({
    parts: keyed(object({ name: TEXT, inner: set(TEXT) }), ['name']),
    byName: map(set(TEXT)),
    many: list(keyed(object({ name: TEXT }), ['name'])),
  }),
);
const container = (name: string, others: object = {}) => ({ name, image: 'i', ...others });
const rows: readonly [name: string, type: typeof POD, object: object, isFine: boolean][] = [
  ['none', POD, { metadata: {} }, true],
  ['different names', POD, { spec: { containers: [container('a'), container('b')] } }, true],
  ['the same name twice', POD, { spec: { containers: [container('a'), container('a')] } }, false],
  ['twice within one', POD, { spec: { containers: [container('a', { env: [{ name: 'E' }, { name: 'E' }] })] } }, false],
  [
    'a port of two protocols',
    POD,
    { spec: { containers: [container('a', { ports: [{ containerPort: 1 }, { containerPort: 1, protocol: 'UDP' }] })] } },
    true,
  ],
  [
    'a port twice, by its default',
    POD,
    { spec: { containers: [container('a', { ports: [{ containerPort: 1 }, { containerPort: 1, protocol: 'TCP' }] })] } },
    false,
  ],
  ['a set', POD, { metadata: { finalizers: ['a', 'b'] } }, true],
  ['a set with an element twice', POD, { metadata: { finalizers: ['a', 'a'] } }, false],
  ['atomic lists', POD, { spec: { containers: [container('a', { args: ['x', 'x'] })] } }, true],
  ['custom', CUSTOM, { spec: { parts: [{ name: 'a', inner: ['x'] }], byName: { a: ['x'], b: ['x'] } } }, true],
  ['custom, twice in an entry', CUSTOM, { spec: { byName: { a: ['x', 'x'] } } }, false],
  ['custom, twice in an element', CUSTOM, { spec: { parts: [{ name: 'a', inner: ['x', 'x'] }] } }, false],
  ['custom, without a key', CUSTOM, { spec: { parts: [{ inner: [] }] } }, false],
];
for (const [name, type, value, isFine] of rows)
  test(name, () => {
    assert.is(hasWellFormedLists(shapeOf(type), value), isFine);
    assert.is(intentErrors(type, value).length === 0, isFine, 'an apply says otherwise');
  });

// what stands in what has one owner is not told apart
test('a list in an atomic list is not looked at', () => {
  assert.is(hasWellFormedLists(shapeOf(CUSTOM), { spec: { many: [[{ name: 'a' }, { name: 'a' }]] } }), true);
});
test.run();

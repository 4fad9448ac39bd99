import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { list, map, string, struct } from '../../runtime/contract/descriptor.ts';
import { copyValue } from '../../runtime/schema/copy.ts';
import { dropAnnotations, droppedAnnotations } from '../../runtime/schema/dropped-annotations.ts';

const meta = struct('x.v1.Meta', () => [{ name: 'annotations', type: map(string) }]);
const template = struct('x.v1.Template', () => [{ name: 'metadata', type: meta, droppedAnnotations: ['a.${labelDomain}/old'] }]);
const toy = struct('x.v1.Toy', () => [
  { name: 'metadata', type: meta },
  { name: 'template', type: template },
  { name: 'more', type: list(template) },
  { name: 'byName', type: map(template) },
]);
const dropped = droppedAnnotations(toy, (text) => text.replace('${labelDomain}', 'b'));
const old = { metadata: { annotations: { 'a.b/old': '1' } } };
const both = { metadata: { name: 'n', annotations: { 'a.b/old': '1', 'a.b/new': '2' } } };
const left = { metadata: { name: 'n', annotations: { 'a.b/new': '2' } } };

const test = suite('dropped annotations');

test('are found in what a type holds', () => {
  assert.equal(
    dropped.map(({ path }) => path.join('.')),
    ['template.metadata', 'more.*.metadata', 'byName.*.metadata'],
  );
  assert.equal(dropped[0]?.keys, ['a.b/old']);
});

const rows: [string, object, object][] = [
  ['go from a member', { template: both }, { template: left }],
  ['go with the last annotation', { template: old }, { template: { metadata: {} } }],
  [
    'go from elements and values',
    { more: [left, both], byName: { c: both, d: null } },
    { more: [left, left], byName: { c: left, d: null } },
  ],
  ['stay where nothing names them', old, old],
  [
    'are none',
    { template: {}, more: [null, { metadata: { annotations: null } }] },
    { template: {}, more: [null, { metadata: { annotations: null } }] },
  ],
];
for (const [name, given, expected] of rows)
  test(name, () => {
    const object = { ...given };
    const before = copyValue(given);
    dropAnnotations(dropped, object);
    assert.equal(object, expected);
    assert.equal(given, before, 'what others have is as it was');
  });

test('what keeps all stays the same value', () => {
  const object = { template: left, more: [left] };
  const { template: was, more } = object;
  dropAnnotations(dropped, object);
  assert.is(object.template, was);
  assert.is(object.more, more);
});

test.run();

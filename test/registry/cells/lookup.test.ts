import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allAt, firstAt, lastAt } from '../../../runtime/registry/cells/lookup.ts';

const test = suite('values at paths');
const pod = {
  metadata: { name: 'p', labels: { 'example.com/a': 'x', constructor: 'y', length: '3', '0': 'z' } },
  spec: { containers: [{ name: 'a' }, { name: 'b', image: 'i' }, { name: 'c', image: 'j' }], empty: [] },
  status: {
    conditions: [
      { type: 'Ready', status: 'False', reason: null },
      { type: 'Old', status: 'True' },
      { type: 'Ready', status: 'True' },
    ],
    count: 0,
  },
};

const rows: [path: string, all: unknown[]][] = [
  ['.metadata.name', ['p']],
  ['.status.count', [0]],
  ['.metadata.missing.name', []],
  ['.metadata.name.length', []],
  [".metadata.labels['example.com/a']", ['x']],
  ['.metadata.labels.constructor', ['y']],
  ['.metadata.labels.length', ['3']],
  ['.metadata.labels.0', ['z']],
  ['.metadata.toString', []],
  ['.spec.containers.length', []],
  ['.spec.containers.0', []],
  ['.spec.containers[0].name', ['a']],
  ['.spec.containers[-1].name', ['c']],
  ['.spec.containers[3].name', []],
  ['.spec.containers[*].image', ['i', 'j']],
  ['.spec.empty[*]', []],
  ['.metadata.labels[*]', ['z', 'x', 'y', '3']],
  ['.status.conditions[?(@.type=="Ready")].status', ['False', 'True']],
  ['.status.conditions[?(@.type=="Ready" && @.status=="True")].type', ['Ready']],
  ['.status.conditions[?(@.type!="Ready")].type', ['Old']],
  ['.status.conditions[?(@.reason)].type', []],
  ['.status.conditions[?(@.reason==null)].type', ['Ready', 'Old', 'Ready']],
  ['.status.count[?(@.a)]', []],
  ['.spec.containers[?(@.image)].name', ['b', 'c']],
];
for (const [path, all] of rows)
  test(path, () => {
    assert.equal(allAt(path)(pod), all);
    assert.equal(firstAt(path)(pod), all[0]);
    assert.equal(lastAt(path)(pod), all.at(-1));
  });

test('a lookup knows nothing of the value before', () => {
  const [all, last] = [allAt('.a[*]'), lastAt('.a[*]')];
  const first = all({ a: [1, 2] });
  assert.equal([first, all({ a: [3] }), first, all({})], [[1, 2], [3], [1, 2], []]);
  assert.equal([last({ a: [1, 2] }), last({})], [2, undefined]);
});

for (const value of [undefined, null, 'text', 7, true, [], {}])
  test(`of ${JSON.stringify(value)} there is only itself`, () => {
    assert.equal(firstAt('@')(value), value ?? undefined);
    for (const path of ['.a', '.a.b.c', '[0]', '.a[*].b', '[?(@.a=="b")]', '.length', '.constructor'])
      assert.is(firstAt(path)(value), undefined, path);
  });

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DependentsIndex } from '../../../runtime/controllers/garbage-collector/dependents.ts';

const test = suite('dependents');

interface Row {
  readonly name: string;
  readonly edges: readonly (readonly [dependent: string, blocking: boolean])[];
  readonly removed?: readonly string[];
  readonly dependents: readonly string[];
  readonly blocked: boolean;
}

const rows: readonly Row[] = [
  { name: 'nobody', edges: [], dependents: [], blocked: false },
  {
    name: 'blocking ones come first',
    edges: [
      ['a', false],
      ['b', true],
    ],
    dependents: ['b', 'a'],
    blocked: true,
  },
  {
    name: 'twice is once',
    edges: [
      ['a', true],
      ['a', true],
    ],
    dependents: ['a'],
    blocked: true,
  },
  {
    name: 'an edge that blocks no longer',
    edges: [
      ['a', true],
      ['a', false],
    ],
    dependents: ['a'],
    blocked: false,
  },
  {
    name: 'an edge that begins to block',
    edges: [
      ['a', false],
      ['a', true],
    ],
    dependents: ['a'],
    blocked: true,
  },
  { name: 'the last one leaves', edges: [['a', true]], removed: ['a'], dependents: [], blocked: false },
  {
    name: 'one of two leaves',
    edges: [
      ['a', true],
      ['b', false],
    ],
    removed: ['a'],
    dependents: ['b'],
    blocked: false,
  },
  { name: 'one leaves that never came', edges: [['a', true]], removed: ['b'], dependents: ['a'], blocked: true },
];
for (const { name, edges, removed = [], dependents, blocked } of rows)
  test(name, () => {
    const index = new DependentsIndex();
    for (const [dependent, blocking] of edges) index.set('owner', dependent, blocking);
    for (const dependent of removed) index.remove('owner', dependent);
    assert.equal([...index.of('owner')], dependents);
    assert.is(index.hasBlocking('owner'), blocked);
    assert.is(index.has('owner'), dependents.length > 0);
    assert.is(index.size, dependents.length > 0 ? 1 : 0);
  });

test.run();

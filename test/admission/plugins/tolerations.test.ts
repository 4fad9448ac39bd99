import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Toleration } from '../../../generated/core/v1/types.ts';
import { covers, mergedTolerations } from '../../../runtime/admission/plugins/tolerations.ts';

const test = suite('sets of tolerations');
const equal: Toleration = { key: 'a', operator: 'Equal', value: 'v', effect: 'NoSchedule' };
const all: Toleration = { operator: 'Exists' };

const ROWS: readonly (readonly [name: string, wide: Toleration, narrow: Toleration, covers: boolean])[] = [
  ['the same', equal, { ...equal }, true],
  ['everything', all, equal, true],
  ['any value', { key: 'a', operator: 'Exists', effect: 'NoSchedule' }, equal, true],
  ['any effect', { key: 'a', operator: 'Equal', value: 'v' }, equal, true],
  ['another key', { key: 'b', operator: 'Exists' }, equal, false],
  ['another effect', { key: 'a', operator: 'Exists', effect: 'NoExecute' }, equal, false],
  ['another value', { ...equal, value: 'w' }, equal, false],
  ['no key, of one that means no every key', { operator: 'Equal', value: 'v' }, equal, false],
  ['no value, of one that means any', { key: 'a', operator: 'Equal' }, { key: 'a', operator: 'Exists' }, false],
  ['no operator is Equal', { key: 'a', value: 'v', effect: 'NoSchedule' }, equal, true],
  [
    'a shorter time',
    { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 },
    { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 },
    false,
  ],
  [
    'a longer time',
    { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 },
    { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 },
    true,
  ],
  [
    'the same time',
    { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 },
    { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 },
    true,
  ],
  [
    'no end, of one that ends',
    { operator: 'Exists', effect: 'NoExecute' },
    { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 },
    true,
  ],
  [
    'a time, of one without',
    { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 },
    { key: 'a', operator: 'Exists', effect: 'NoExecute' },
    false,
  ],
];
for (const [name, wide, narrow, expected] of ROWS) test(name, () => assert.is(covers(wide, narrow), expected));

test('what another one says is left out, of equal ones the second', () => {
  assert.equal(mergedTolerations([equal, { ...equal, value: 'w' }], [{ ...equal }, { key: 'a', operator: 'Exists' }]), [
    { key: 'a', operator: 'Exists' },
  ]);
  assert.equal(mergedTolerations([equal], [{ ...equal }]), [equal]);
});

test.run();

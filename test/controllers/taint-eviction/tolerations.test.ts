/** How long pods tolerate taints. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { executingTaints, type Toleration, tolerated } from '../../../runtime/controllers/taint-eviction/tolerations.ts';
import { rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';

const FOR_EVER = Number.POSITIVE_INFINITY;
const A = { key: 'a', value: 'v' };
const B = { key: 'b' };
const exists = (key: string, seconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  ...(seconds !== undefined && { tolerationSeconds: seconds }),
});

const test = suite('tolerations');
const rows: [name: string, taints: { key: string; value?: string }[], tolerations: Toleration[], milliseconds: number][] = [
  ['no taints', [], [], FOR_EVER],
  ['a taint that nobody tolerates', [A], [], 0],
  ['one of two', [A, B], [exists('a')], 0],
  ['for ever', [A], [exists('a')], FOR_EVER],
  ['for a time', [A], [exists('a', 30)], 30_000],
  ['no time at all', [A], [exists('a', 0)], 0],
  ['less than no time', [A], [exists('a', -5)], 0],
  ['longer than numbers are exact', [A], [{ ...exists('a'), tolerationSeconds: rawNumber('9223372036854775807') }], 2 ** 63 * 1_000],
  ['the least of two taints', [A, B], [exists('b', 20), exists('a', 30)], 20_000],
  ['for ever and a time', [A, B], [exists('b', 20), exists('a')], 20_000],
  ['the first that matches', [A], [exists('a', 30), exists('a', 10)], 30_000],
  ['the same value', [A], [{ key: 'a', operator: 'Equal', value: 'v' }], FOR_EVER],
  ['the same value by default', [A], [{ key: 'a', value: 'v' }], FOR_EVER],
  ['another value', [A], [{ key: 'a', value: 'w' }], 0],
  ['no value', [B], [{ key: 'b' }], FOR_EVER],
  ['every key', [A, B], [{ operator: 'Exists' }], FOR_EVER],
  ['the effect', [A], [{ ...exists('a'), effect: 'NoExecute' }], FOR_EVER],
  ['another effect', [A], [{ ...exists('a'), effect: 'NoSchedule' }], 0],
];
for (const [name, taints, tolerations, milliseconds] of rows) test(name, () => assert.is(tolerated(taints, tolerations), milliseconds));

test('only taints that make pods go count', () => {
  const taints = [
    { key: 'a', effect: 'NoSchedule' },
    { key: 'b', effect: 'NoExecute' },
  ];
  const node = { kind: 'Node', apiVersion: 'v1', metadata: {} };
  assert.equal(
    executingTaints({ ...node, spec: { taints } }).map(({ key }) => key),
    ['b'],
  );
  assert.equal(executingTaints(node), []);
});
test.run();

/** When pods on tainted nodes go, by a clock of the test's own. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WaitingPods } from '../../../runtime/controllers/taint-eviction/waiting-pods.ts';

/** `taint`, `untaint`, `lose`, `cancel`, `retry`, or milliseconds for which the pod is tolerated from then on. */
type What = 'taint' | 'untaint' | 'lose' | 'cancel' | 'retry' | number;
type Step = readonly [at: number, what: What, waits?: number];

const test = suite('pods on tainted nodes');
const rows: [name: string, steps: Step[], waiting: boolean][] = [
  [
    'not tolerated',
    [
      [0, 'taint'],
      [5, 0, 0],
    ],
    false,
  ],
  [
    'tolerated for a time',
    [
      [0, 'taint'],
      [5, 300, 300],
    ],
    true,
  ],
  [
    'the time is over',
    [
      [0, 'taint'],
      [5, 300, 300],
      [305, 300, 0],
    ],
    false,
  ],
  [
    'a look in between does not put it off',
    [
      [0, 'taint'],
      [5, 300, 300],
      [105, 300, 200],
    ],
    true,
  ],
  [
    'a longer time does not, either',
    [
      [0, 'taint'],
      [5, 300, 300],
      [105, 900, 200],
    ],
    true,
  ],
  [
    'a shorter time counts',
    [
      [0, 'taint'],
      [5, 300, 300],
      [105, 50, 50],
    ],
    true,
  ],
  [
    'another taint that is not tolerated',
    [
      [0, 'taint'],
      [5, 300, 300],
      [6, 'taint'],
      [7, 0, 0],
    ],
    false,
  ],
  [
    'another taint on a tainted node',
    [
      [0, 'taint'],
      [5, 300, 300],
      [100, 'taint'],
      [105, 300, 200],
    ],
    true,
  ],
  [
    'the taint goes and comes back',
    [
      [0, 'taint'],
      [5, 300, 300],
      [100, 'untaint'],
      [101, 'taint'],
      [105, 300, 300],
    ],
    true,
  ],
  [
    'it is tolerated for ever, and then no longer',
    [
      [0, 'taint'],
      [5, 300, 300],
      [100, 'cancel'],
      [105, 300, 300],
    ],
    true,
  ],
  [
    'the node goes and comes back with a taint',
    [
      [0, 'taint'],
      [5, 300, 300],
      [100, 'lose'],
      [101, 'taint'],
      [105, 300, 200],
    ],
    true,
  ],
  [
    'the node goes and comes back without taints',
    [
      [0, 'taint'],
      [5, 300, 300],
      [100, 'lose'],
      [101, 'untaint'],
    ],
    false,
  ],
  [
    'it could not be deleted',
    [
      [0, 'taint'],
      [5, 0, 0],
      [6, 'retry'],
      [11, 300, 0],
    ],
    false,
  ],
];
function apply(pods: WaitingPods, at: number, what: What): number | undefined {
  if (what === 'taint') pods.taint('n', `${at}`);
  else if (what === 'untaint') pods.untaint('n');
  else if (what === 'lose') pods.lose('n');
  else if (what === 'cancel') pods.cancel('n', 'p');
  else if (what === 'retry') pods.retry('n', 'p', at);
  else return pods.judge('n', 'p', what, at);
  return undefined;
}
for (const [name, steps, waiting] of rows)
  test(name, () => {
    const pods = new WaitingPods();
    for (const [at, what, waits] of steps) assert.is(apply(pods, at, what), waits, `at ${at}`);
    assert.equal(pods.pods('n'), waiting ? ['p'] : []);
  });

test('pods are looked at when taints are new, not when a node says the same again', () => {
  const pods = new WaitingPods();
  const isNew = ['a', 'a', 'a b', 'a b', 'a'].map((taints) => pods.taint('n', taints));
  assert.equal(isNew, [true, false, true, false, true]);
  pods.untaint('n');
  assert.ok(pods.taint('n', 'a'));
});

test('who waited is told of when the node is untainted, and cancelled once', () => {
  const pods = new WaitingPods();
  pods.taint('n', 't');
  for (const pod of ['a', 'b', 'c']) pods.judge('n', pod, 10, 0);
  assert.equal([pods.cancel('n', 'b'), pods.cancel('n', 'b'), pods.cancel('other', 'a')], [true, false, false]);
  assert.equal(pods.untaint('n'), ['a', 'c']);
  assert.equal([pods.any, pods.isTainted('n'), pods.untaint('n')], [false, false, []]);
});

test('a node that has gone is remembered while pods of it wait', () => {
  const pods = new WaitingPods();
  pods.taint('n', 't');
  pods.judge('n', 'a', 10, 0);
  pods.lose('n');
  assert.equal(
    [pods.any, pods.isTainted('n'), pods.left('n', 'a', 4), pods.left('n', 'a', 11), pods.left('n', 'b', 4)],
    [true, false, 6, 0, undefined],
  );
  assert.ok(pods.cancel('n', 'a'));
  assert.is(pods.any, false);
  pods.taint('n', 't');
  pods.lose('n');
  assert.is(pods.any, false);
});

test('no pod goes before the least time that it was given since it began to wait, and none later', () => {
  const step = fc.record({ wait: fc.nat(100), tolerated: fc.integer({ min: 1, max: 500 }), untaints: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
      const pods = new WaitingPods();
      let now = 0;
      let due = Number.POSITIVE_INFINITY;
      for (const { wait, tolerated, untaints } of steps) {
        now += wait;
        if (untaints) {
          pods.untaint('n');
          due = Number.POSITIVE_INFINITY;
        }
        pods.taint('n', 't');
        due = Math.min(due, now + tolerated);
        assert.is(pods.judge('n', 'p', tolerated, now), Math.max(0, due - now));
        if (due <= now) due = Number.POSITIVE_INFINITY;
      }
    }),
  );
});

test.run();

/** When a node counts as lost: what is a sign of life, and how long one lasts. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { NodeHealth } from '../../../runtime/controllers/node-lifecycle/node-health.ts';

const USUAL = 40_000;
const STARTUP = 60_000;
/** When this process began to look, by its own clock. */
const BEGAN = 1_000_000;

/** A node whose condition Ready has a status, and a heartbeat that is told from others by its second. */
function node(status?: string, second = 0, reason = 'R'): ApiObject {
  const ready = { type: 'Ready', status, reason, lastHeartbeatTime: `2020-01-01T00:00:${String(second).padStart(2, '0')}Z` };
  return { kind: 'Node', apiVersion: 'v1', metadata: { name: 'x' }, status: { conditions: status === undefined ? [] : [ready] } };
}

/** @param after milliseconds since the beginning */
type Event = readonly [after: number, what: ApiObject | { readonly renewTime?: string }];

function healthAfter(first: ApiObject, events: readonly Event[], age = 0): NodeHealth {
  const health = new NodeHealth(first, { usual: USUAL, startup: STARTUP }, BEGAN, age);
  for (const [after, what] of events)
    if ('metadata' in what) health.observe(what as ApiObject, BEGAN + after);
    else health.renew(what.renewTime as string | undefined, BEGAN + after);
  return health;
}

const test = suite('signs of life of nodes');

const rows: [name: string, first: ApiObject, events: Event[], lostAfter: number, age?: number][] = [
  ['one that says nothing more', node('True'), [], USUAL],
  ['one that is not ready, either', node('False'), [], USUAL],
  ['one that never said anything', node(), [], STARTUP],
  ['one that was made long ago and never said anything', node(), [], STARTUP - 50_000, 50_000],
  ['one whose clock was ahead when it was made', node(), [], STARTUP, -5_000],
  ['a later heartbeat', node('True'), [[30_000, node('True', 1)]], 30_000 + USUAL],
  ['an earlier heartbeat: clocks of nodes do not count', node('True', 9), [[30_000, node('True', 1)]], 30_000 + USUAL],
  ['a change without a heartbeat', node('True'), [[30_000, node('False')]], USUAL],
  ['the first condition', node(), [[50_000, node('True')]], 50_000 + USUAL],
  ['a condition that is gone', node('True'), [[30_000, node()]], 30_000 + STARTUP],
  ['a lease that was there', node('True'), [[30_000, { renewTime: '2020-01-01T00:00:00.000000Z' }]], 30_000 + USUAL],
  ['a lease that nobody renewed', node('True'), [[30_000, {}]], 30_000 + USUAL],
  [
    'a lease that is renewed',
    node(),
    [
      [1_000, { renewTime: '2020-01-01T00:00:00.000000Z' }],
      [30_000, { renewTime: '2020-01-01T00:00:00.500000Z' }],
    ],
    30_000 + STARTUP,
  ],
  [
    'a lease that is written without being renewed',
    node('True'),
    [
      [1_000, { renewTime: '2020-01-01T00:00:09.000000Z' }],
      [30_000, { renewTime: '2020-01-01T00:00:09.000000Z' }],
      [31_000, { renewTime: '2020-01-01T00:00:00.000000Z' }],
      [32_000, {}],
    ],
    1_000 + USUAL,
  ],
];
for (const [name, first, events, lostAfter, age] of rows)
  test(name, () => {
    const health = healthAfter(first, events, age);
    assert.not(health.isLost(BEGAN + lostAfter), 'it is lost too early');
    assert.ok(health.isLost(BEGAN + lostAfter + 1), 'it is not lost');
  });

test('what this controller writes of a silent node is no sign, and the node is not lost again', () => {
  for (const [first, written] of [
    [node(), node('Unknown', 0, 'NodeStatusNeverUpdated')],
    [node('True', 3), node('Unknown', 3, 'NodeStatusUnknown')],
  ] as const) {
    const health = healthAfter(first, [[70_000, written]]);
    assert.is(health.status, 'Unknown');
    assert.not(health.isLost(BEGAN + 1e9));
    // Its agent overwrites that without a heartbeat: it is as silent as before.
    health.observe({ ...written, status: { conditions: [{ ...written.status.conditions[0], status: 'True' }] } }, BEGAN + 71_000);
    assert.ok(health.isLost(BEGAN + 71_000));
  }
});

test('time in which nobody could be heard does not count, and makes no node seen later than now', () => {
  const health = healthAfter(node('True'), []);
  health.excuse(30_000, BEGAN + 50_000);
  assert.not(health.isLost(BEGAN + 30_000 + USUAL));
  assert.ok(health.isLost(BEGAN + 30_000 + USUAL + 1));
  health.excuse(1e9, BEGAN + 60_000);
  assert.ok(health.isLost(BEGAN + 60_000 + USUAL + 1));
});

test('time in a state begins with its transition, and anew with everything else', () => {
  const health = healthAfter(node('True'), [
    [10_000, node('False', 1)],
    [20_000, node('False', 2)],
  ]);
  assert.is(health.unchangedFor(BEGAN + 25_000), 15_000);
  health.beginAnew(BEGAN + 30_000);
  assert.is(health.unchangedFor(BEGAN + 31_000), 1_000);
  assert.not(health.isLost(BEGAN + 30_000 + USUAL));
});

test('a node is never lost within its grace period after a heartbeat, and always after it', () => {
  const step = fc.record({ wait: fc.nat(50_000), beats: fc.boolean(), status: fc.constantFrom('True', 'False') });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.nat(100_000), (steps, silence) => {
      const health = healthAfter(node('True'), []);
      let now = BEGAN;
      let seen = BEGAN;
      let beat = 0;
      for (const { wait, beats, status } of steps) {
        now += wait;
        if (beats) {
          seen = now;
          beat = (beat + 1) % 60;
        }
        health.observe(node(status, beat), now);
      }
      assert.is(health.isLost(now + silence), now + silence - seen > USUAL);
    }),
  );
});

test.run();

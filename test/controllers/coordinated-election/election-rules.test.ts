/** Steps of elections as 1.32 makes them; times are seconds from the moment of the step. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LeaseSpec } from '../../../generated/coordination/v1/types.ts';
import {
  type Candidate,
  electionStep,
  isCandidateOver,
  microTime,
} from '../../../runtime/controllers/coordinated-election/election-rules.ts';

const test = suite('rules of elections among candidates');

const NOW = Date.UTC(2026, 0, 1);
const OLDEST = 'OldestEmulationVersion';
const MINUTE = 60;
const at = (seconds: number): string => microTime(NOW + seconds * 1_000);

interface Said {
  readonly emulates?: string;
  readonly binary?: string;
  /** seconds */
  readonly asked?: number;
  readonly answered?: number | 'never';
  readonly strategy?: string;
  /** seconds */
  readonly created?: number;
}

function candidate(name: string, said: Said = {}): Candidate {
  const { emulates = '1.32.0', binary = '1.32.0', asked, answered = 0, strategy = OLDEST, created = 0 } = said;
  return {
    name,
    created: new Date(NOW + created * 1_000).toISOString(),
    spec: {
      leaseName: 'l',
      ...(emulates !== '' && { emulationVersion: emulates }),
      binaryVersion: binary,
      strategy,
      ...(asked !== undefined && { pingTime: at(asked) }),
      ...(answered !== 'never' && { renewTime: at(answered) }),
    },
  };
}

/** @param renewed seconds */
const lease = (holderIdentity: string | undefined, renewed = 0, more: LeaseSpec = {}): LeaseSpec => ({
  ...(holderIdentity !== undefined && { holderIdentity }),
  leaseDurationSeconds: 10,
  renewTime: at(renewed),
  strategy: OLDEST,
  ...more,
});

/** What becomes of it, in short. */
function outcome(of: LeaseSpec | undefined, candidates: readonly Candidate[]): string {
  const { asked, lease: spec, again, problem } = electionStep(of, candidates, NOW);
  const { holderIdentity = 'nobody', preferredHolder } = spec ?? {};
  return [
    asked.length > 0 && `asks ${asked.map(({ name }) => name)}`,
    spec !== undefined && `${holderIdentity} holds it`,
    preferredHolder !== undefined && `${preferredHolder} is preferred`,
    spec !== undefined && spec.strategy !== OLDEST && `by ${spec.strategy}`,
    problem,
    again && 'looks again',
  ]
    .filter(Boolean)
    .join('; ');
}

const better = candidate('better', { emulates: '1.31.0', binary: '1.31.0' });
const worse = candidate('worse');

const rows: readonly (readonly [string, LeaseSpec | undefined, readonly Candidate[], string])[] = [
  ['no candidate and no lease', undefined, [], ''],
  ['no candidate: the lease is none of ours', lease('x', -MINUTE), [], ''],
  ['candidates that have said nothing for half an hour are none', undefined, [candidate('a', { answered: -31 * MINUTE })], ''],
  ['one that has never said anything is none', undefined, [candidate('a', { answered: 'never' })], ''],
  ['no lease', undefined, [worse], 'worse holds it; looks again'],
  ['the holder is the best one', lease('worse'), [worse], 'looks again'],
  ['a better one is preferred', lease('worse'), [worse, better], 'worse holds it; better is preferred; looks again'],
  ['it is preferred already', lease('worse', 0, { preferredHolder: 'better' }), [worse, better], 'looks again'],
  ['the holder is no candidate', lease('x'), [worse], 'x holds it; worse is preferred; looks again'],
  ['the lease is over', lease('x', -11), [worse], 'worse holds it; looks again'],
  ['the lease is over at its last moment not yet', lease('x', -10), [worse], 'x holds it; worse is preferred; looks again'],
  ['the lease of the best one is over: it may renew it', lease('worse', -11), [worse], 'looks again'],
  ['the lease was given up', lease('', 0, { preferredHolder: 'better' }), [worse, better], 'better holds it; looks again'],
  ['the lease has no holder', lease(undefined), [worse], 'worse holds it; looks again'],
  ['a lease without duration is over', { holderIdentity: 'x', renewTime: at(0) }, [worse], 'worse holds it; looks again'],
  ['a lease without strategy gets one', lease('worse', -11, { strategy: '' }), [worse], 'worse holds it; looks again'],
  ['a candidate is asked first', undefined, [candidate('a', { answered: -10 })], 'asks a; looks again'],
  ['who has just said something is not', undefined, [worse, candidate('a', { answered: -10 })], 'asks a; looks again'],
  ['it has time for its answer', undefined, [candidate('a', { asked: -4, answered: -MINUTE })], 'looks again'],
  ['though others have answered', undefined, [worse, candidate('a', { asked: -4, answered: -MINUTE })], 'looks again'],
  [
    'who has not answered is passed over',
    undefined,
    [candidate('a', { emulates: '1.30.0', asked: -10, answered: -20 }), candidate('b', { asked: -0.001 })],
    'b holds it; looks again',
  ],
  ['nobody has answered', undefined, [candidate('a', { asked: -MINUTE, answered: -2 * MINUTE })], 'no candidate answers'],
  ['an answer of long ago is asked for again', undefined, [candidate('a', { asked: -MINUTE, answered: -50 })], 'asks a; looks again'],
  ['an answer of the moment of the question waits', undefined, [candidate('a', { asked: 0, answered: 0 })], ''],
  [
    'a candidate of fifteen minutes is asked though all is well',
    lease('a'),
    [candidate('a', { answered: -16 * MINUTE })],
    'asks a; looks again',
  ],
  ['one of less is not', lease('a'), [candidate('a', { answered: -14 * MINUTE })], 'looks again'],
  [
    "somebody else's strategy: the lease without a holder",
    undefined,
    [candidate('a', { strategy: 'e.com/s' })],
    'nobody holds it; by e.com/s; looks again',
  ],
  [
    "somebody else's strategy: the holder stays",
    lease('x', -MINUTE),
    [candidate('a', { strategy: 'e.com/s' })],
    'x holds it; by e.com/s; looks again',
  ],
  ["somebody else's strategy: nothing to do", lease('x'), [candidate('a', { strategy: 'e.com/s' })], 'looks again'],
  [
    'the newest program says how to choose',
    undefined,
    [candidate('old', { binary: '1.31.0', emulates: '1.31.0', strategy: 'e.com/s' }), worse],
    'old holds it; looks again',
  ],
  [
    'programs of one version that do not agree',
    undefined,
    [candidate('a', { strategy: 'e.com/s' }), worse],
    'candidates of one version do not agree on a strategy: "a" wants e.com/s, "worse" wants OldestEmulationVersion',
  ],
  [
    'the same while somebody holds the lease: it may change',
    lease('a'),
    [candidate('a', { strategy: 'e.com/s' }), worse],
    'candidates of one version do not agree on a strategy: "a" wants e.com/s, "worse" wants OldestEmulationVersion; looks again',
  ],
  ['no versions', undefined, [candidate('a', { emulates: '' })], 'no candidate has versions that can be compared'],
  ['one without versions does not count', undefined, [candidate('a', { emulates: '' }), worse], 'worse holds it; looks again'],
  [
    'the oldest emulated version',
    undefined,
    [candidate('a', { emulates: '1.31.0' }), candidate('b', { emulates: '1.30.0' }), worse],
    'b holds it; looks again',
  ],
  [
    'of these the oldest program',
    undefined,
    [candidate('a', { emulates: '1.30.0' }), candidate('b', { emulates: '1.30.0', binary: '1.31.0' })],
    'b holds it; looks again',
  ],
  [
    'of these the one that is there longest',
    undefined,
    [candidate('a', { created: -10 }), candidate('b', { created: -20 }), candidate('c', { created: -5 })],
    'b holds it; looks again',
  ],
  [
    'versions are compared by numbers',
    undefined,
    [candidate('a', { emulates: '1.9.0', binary: '1.9.0' }), candidate('b', { emulates: '1.10.0', binary: '1.10.0' })],
    'a holds it; looks again',
  ],
];
for (const [name, of, candidates, expected] of rows) test(name, () => assert.is(outcome(of, candidates), expected));

test('a new holder has the lease for five seconds, and nothing of the term before', () => {
  const old = lease('x', -MINUTE, { acquireTime: at(-90), leaseTransitions: 3, preferredHolder: 'worse' });
  assert.equal(electionStep(old, [worse], NOW).lease, {
    holderIdentity: 'worse',
    leaseDurationSeconds: 5,
    renewTime: '2026-01-01T00:00:00.000000Z',
    leaseTransitions: 3,
    strategy: OLDEST,
  });
});

test('who is preferred changes nothing else', () => {
  const old = lease('worse', -1, { acquireTime: at(-90), leaseTransitions: 3 });
  assert.equal(electionStep(old, [worse, better], NOW).lease, { ...old, preferredHolder: 'better' });
});

test('a candidate is over after half an hour without an answer', () => {
  const { spec } = candidate('a', { answered: -30 * MINUTE });
  assert.equal([isCandidateOver(spec, NOW), isCandidateOver(spec, NOW + 1)], [false, true]);
});

test.run();

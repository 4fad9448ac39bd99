/** Exceptions excuse what they name until their end, and tell when they are of no use. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { checkPolicy, type PolicyOutcome } from '../../../codegen/policy/check-policy.ts';
import { messagesOf, outcomeOf, policyToys, specOf, stateOf } from './states.ts';

const FOUND = { code: 'CP115', elements: ['toys/v1 ToySpec.colour value Green'], reason: 'Nobody ever had green toys.', until: '1.34' };

const withExceptions = (exceptions: unknown): Promise<PolicyOutcome> =>
  outcomeOf((f) => {
    specOf(f).colour.enum.pop();
    f.raw['schemas/policy-exceptions.yaml'] = typeof exceptions === 'string' ? exceptions : stringify(exceptions);
  });

const exceptions = suite('exceptions');
const VIOLATION = 'CP115 toys/v1 ToySpec.colour value Green: one of the values -> none of them';
const rows: [name: string, exceptions: unknown, messages: string[], excused: number][] = [
  ['none', [], [VIOLATION], 0],
  ['one that is meant', [FOUND], [], 1],
  ['one for all values of a field', [{ ...FOUND, elements: ['toys/v1 ToySpec.colour value *'] }], [], 1],
  [
    'one that has ended',
    [{ ...FOUND, until: '1.33' }],
    [
      'CP002 exception CP115 of toys/v1 ToySpec.colour value Green: until 1.33 -> toys/v1 ToySpec.colour value Green has it in 1.33',
      VIOLATION,
    ],
    0,
  ],
  ['one that has ended and one that has not', [{ ...FOUND, until: '1.33' }, FOUND], [], 1],
  [
    'one of another element',
    [{ ...FOUND, elements: ['toys/v1 ToySpec.colour value Red'] }],
    ['CP003 exception CP115 of toys/v1 ToySpec.colour value Red: an exception -> there is no such finding', VIOLATION],
    0,
  ],
  [
    'one of another code',
    [{ ...FOUND, code: 'CP110' }],
    ['CP003 exception CP110 of toys/v1 ToySpec.colour value Green: an exception -> there is no such finding', VIOLATION],
    0,
  ],
  [
    'one element of several that is of no use',
    [{ ...FOUND, elements: [...FOUND.elements, 'toys/v1 ToySpec.gone'] }],
    ['CP003 exception CP115 of toys/v1 ToySpec.gone: an exception -> there is no such finding'],
    1,
  ],
];
for (const [name, stated, messages, excused] of rows)
  exceptions(name, async () => {
    const outcome = await withExceptions(stated);
    assert.equal(messagesOf(outcome).sort(), messages.sort());
    assert.is(outcome.excused.length, excused);
  });

for (const [name, stated] of [
  ['without a reason', [{ ...FOUND, reason: undefined }]],
  ['without an end', [{ ...FOUND, until: undefined }]],
  ['with an end that is no release', [{ ...FOUND, until: 'never' }]],
  ['of all elements', [{ ...FOUND, elements: ['*'] }]],
  ['that are no list', { a: 1 }],
] as const)
  exceptions(`${name} excuse nothing`, async () => {
    const { findings, excused } = await withExceptions(stated);
    assert.equal([...new Set(findings.map(({ code }) => code))].sort(), ['CP001', 'CP115']);
    assert.equal(excused, []);
  });

exceptions('that excuse nothing against a state between releases may be for an earlier change', async () => {
  const state = await stateOf((f) => {
    policyToys(f);
    f.raw['schemas/policy-exceptions.yaml'] = stringify([FOUND, { ...FOUND, until: '1.32' }]);
  });
  const { findings, unused } = checkPolicy(state, state, { knowsRelease: false });
  assert.equal(unused, ['CP115 of toys/v1 ToySpec.colour value Green']);
  // That of 1.32 has ended before.
  assert.equal(
    findings.map(({ code }) => code),
    ['CP003'],
  );
});

exceptions('of what lasts must last as long', async () => {
  const lasting = await outcomeOf(
    (f) => {
      f.raw['schemas/policy-exceptions.yaml'] = stringify([
        { code: 'CP405', elements: ['toys/v1beta1'], reason: 'It was on from the beginning.', until: '1.33' },
      ]);
    },
    (f) => (f.openapi['toys/v1beta1']['x-cluster-group-version'].enabledByDefault = true),
  );
  assert.equal(lasting.findings.map(({ code }) => code).sort(), ['CP002', 'CP405']);
});
exceptions.run();

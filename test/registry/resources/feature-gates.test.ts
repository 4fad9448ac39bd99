import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chooseGates, describeGates } from '../../../runtime/registry/resources/feature-gates.ts';

const test = suite('feature gates');
const gates = {
  Young: [{ release: '1.30', stage: 'Alpha', default: false }],
  Grown: [
    { release: '1.9', stage: 'Alpha', default: false },
    { release: '1.31', stage: 'Beta', default: true },
  ],
  Old: [
    { release: '1.9', stage: 'Beta', default: true },
    { release: '1.30', stage: 'GA', default: true, locked: true },
  ],
  Ending: [{ release: '1.29', stage: 'Deprecated', default: false }],
  Ended: [
    { release: '1.29', stage: 'Deprecated', default: false },
    { release: '1.32', stage: 'Deprecated', default: false, locked: true },
  ],
  Settled: [{ release: '1.28', stage: 'GA', default: true }],
  Gone: [
    { release: '1.19', stage: 'Alpha', default: false },
    { release: '1.21', stage: 'Beta', default: true },
    { release: '1.24', stage: 'GA', default: true, locked: true },
    { release: '1.26', stage: 'Removed', default: true },
  ],
  GivenUp: [
    { release: '1.19', stage: 'Alpha', default: false },
    { release: '1.22', stage: 'Removed', default: false },
  ],
  Future: [{ release: '1.33', stage: 'Alpha', default: false }],
} as const;
const chosen = (config: Record<string, string>, release = '1.32') =>
  chooseGates(gates, new Map(Object.entries(config)), { release, current: '1.32' });
const on = (config: Record<string, string>, gate: string, release?: string): boolean => chosen(config, release).isEnabled(gate);

for (const [name, config, gate, want] of [
  ['alpha is off', {}, 'Young', false],
  ['beta is on', {}, 'Grown', true],
  ['turned on', { Young: 'true' }, 'Young', true],
  ['turned on, of the component', { 'kube:Young': 'true' }, 'Young', true],
  ['turned off', { Grown: 'false' }, 'Grown', false],
  ['turned on by a number', { Young: '1' }, 'Young', true],
  ['turned off by a letter', { Grown: 'F' }, 'Grown', false],
  ['all alpha', { AllAlpha: 'true' }, 'Young', true],
  ['all alpha of the component', { 'kube:AllAlpha': 'true' }, 'Young', true],
  ['all beta', { AllBeta: 'false' }, 'Grown', false],
  ['all beta leaves what is GA', { AllBeta: 'false' }, 'Settled', true],
  ['one wins over all', { AllAlpha: 'true', Young: 'false' }, 'Young', false],
  ['one wins over all that come later', { Young: 'false', AllAlpha: 'true' }, 'Young', false],
  ['a locked gate may be given its value', { Old: 'true' }, 'Old', true],
  ['a GA gate that is not locked may be turned off', { Settled: 'false' }, 'Settled', false],
  ['a deprecated gate may be turned on', { Ending: 'true' }, 'Ending', true],
  ['unknown gates are off', {}, 'Nope', false],
  ['what was behind a gate that is gone is there', {}, 'Gone', true],
  ['what was given up together with its gate is not', {}, 'GivenUp', false],
  ['all alpha leaves what is gone', { AllAlpha: 'true' }, 'GivenUp', false],
] as const) {
  test(name, () => assert.is(on(config, gate), want));
}

for (const [release, want] of [
  ['1.28', true],
  ['1.29', false],
] as const)
  test(`what a deprecated gate brings back is there until the gate is: ${release}`, () => assert.is(on({}, 'Ending', release), want));
test('a gate that is not there yet is off', () => assert.is(on({}, 'Young', '1.29'), false));

for (const [name, config, problem] of [
  ['a locked gate turned off', { Old: 'false' }, 'cannot set feature gate Old to false, feature is locked to true'],
  ['a locked deprecated gate turned on', { Ended: 'true' }, 'cannot set feature gate Ended to true, feature is locked to false'],
  ['an unknown gate', { Nope: 'true' }, 'unrecognized feature gate: Nope'],
  ['a gate that is gone', { Gone: 'true' }, 'unrecognized feature gate: Gone'],
  ['a name that objects have', { constructor: 'true' }, 'unrecognized feature gate: constructor'],
  ['a gate of a later release', { Future: 'true' }, 'unrecognized feature gate: Future'],
  ['no truth value', { Young: 'maybe' }, 'invalid value of Young=maybe: true or false is expected'],
  ['no truth value for all', { AllAlpha: 'maybe' }, 'invalid value of AllAlpha=maybe: true or false is expected'],
  ['no value', { Young: '' }, 'missing bool value for Young'],
  ['a gate of another component', { 'wardle:Young': 'true' }, 'component not registered: wardle'],
  [
    'several',
    { Old: 'false', Young: 'true', Nope: 'true' },
    '[cannot set feature gate Old to false, feature is locked to true, unrecognized feature gate: Nope]',
  ],
] as const) {
  test(`${name} is refused`, () =>
    assert.throws(
      () => chosen(config),
      (error: Error) => error.message === `--feature-gates: ${problem}`,
    ));
}

for (const [name, config, warnings] of [
  ['alpha and beta', { Young: 'true', Grown: 'false', AllAlpha: 'true', AllBeta: 'true' }, []],
  ['GA', { Settled: 'false' }, ['Setting GA feature gate Settled=false. It will be removed in a future release.']],
  ['locked', { Old: 'true' }, ['Setting GA feature gate Old=true. It will be removed in a future release. It is non-operational.']],
  ['deprecated', { Ending: 'true' }, ['Setting deprecated feature gate Ending=true. It will be removed in a future release.']],
  [
    'deprecated and locked',
    { 'kube:Ended': '0' },
    ['Setting deprecated feature gate Ended=false. It will be removed in a future release. It is non-operational.'],
  ],
] as const)
  test(`warnings of what is ${name}`, () => assert.equal(chosen(config).warnings, warnings));

for (const [name, config, gate, want] of [
  ['a gate is off where it is alpha', {}, 'Grown', false],
  ['a gate that is locked later may be turned', { Old: 'false' }, 'Old', false],
  ['what came later is off', {}, 'Young', false],
  ['all alpha is what is alpha then', { AllAlpha: 'true' }, 'Grown', true],
  ['all beta is what is beta then', { AllBeta: 'false' }, 'Old', false],
] as const) {
  test(`in an earlier release ${name}`, () => assert.is(on(config, gate, '1.20'), want));
}
test('in an earlier release a gate that is GA later gives no warning', () => assert.equal(chosen({ Old: 'true' }, '1.20').warnings, []));
test('in an earlier release a gate that came later is refused', () =>
  assert.throws(
    () => chosen({ Young: 'false' }, '1.20'),
    /^--feature-gates: cannot set feature gate Young to false, feature is PreAlpha at emulated version 1.20$/,
  ));
test('in an earlier release a gate of a release to come is unknown', () =>
  assert.throws(() => chosen({ Future: 'true' }, '1.20'), /unrecognized feature gate: Future/));

test('the help says of each gate its stage, its default and whether it has an effect', () => {
  assert.equal(describeGates(gates, '1.32'), [
    'kube:AllAlpha=true|false (ALPHA - default=false)',
    'kube:AllBeta=true|false (BETA - default=false)',
    'kube:Ended=true|false (DEPRECATED - default=false, non-operational)',
    'kube:Ending=true|false (DEPRECATED - default=false)',
    'kube:Grown=true|false (BETA - default=true)',
    'kube:Old=true|false (GA - default=true, non-operational)',
    'kube:Settled=true|false (GA - default=true)',
    'kube:Young=true|false (ALPHA - default=false)',
  ]);
  assert.equal(describeGates(gates, '1.20').slice(2), [
    'kube:GivenUp=true|false (ALPHA - default=false)',
    'kube:Gone=true|false (ALPHA - default=false)',
    'kube:Grown=true|false (ALPHA - default=false)',
    'kube:Old=true|false (BETA - default=true)',
  ]);
});

test.run();

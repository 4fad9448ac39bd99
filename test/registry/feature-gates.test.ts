import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { featureGate } from '../../runtime/registry/feature-gates.ts';

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
  Future: [{ release: '1.33', stage: 'Alpha', default: false }],
} as const;
const on = (config: Record<string, string>, gate: string, release = '1.32'): boolean =>
  featureGate(gates, new Map(Object.entries(config)), { release, current: '1.32' })(gate);

for (const [name, config, gate, want] of [
  ['alpha is off', {}, 'Young', false],
  ['beta is on', {}, 'Grown', true],
  ['turned on', { Young: 'true' }, 'Young', true],
  ['turned off', { Grown: 'false' }, 'Grown', false],
  ['all alpha', { AllAlpha: 'true' }, 'Young', true],
  ['one wins over all', { AllAlpha: 'true', Young: 'false' }, 'Young', false],
  ['a locked gate may be given its value', { Old: 'true' }, 'Old', true],
  ['unknown gates are off', {}, 'Nope', false],
] as const) {
  test(name, () => assert.is(on(config, gate), want));
}

for (const [name, config, problem] of [
  ['a locked gate turned', { Old: 'false' }, /Old is GA and cannot be turned off/],
  ['an unknown gate', { Nope: 'true' }, /no feature gate is named "Nope"/],
  ['a gate of a later release', { Future: 'true' }, /no feature gate is named "Future"/],
  ['no truth value', { Young: '1' }, /must be true or false/],
] as const) {
  test(name, () => assert.throws(() => on(config, 'Young'), problem));
}

for (const [name, config, gate, want] of [
  ['a gate is off where it is alpha', {}, 'Grown', false],
  ['a gate that is locked later may be turned', { Old: 'false' }, 'Old', false],
  ['what came later is off', {}, 'Young', false],
  ['all alpha is what is alpha then', { AllAlpha: 'true' }, 'Grown', true],
  ['all beta is what is beta then', { AllBeta: 'false' }, 'Old', false],
] as const) {
  test(`in an earlier release ${name}`, () => assert.is(on(config, gate, '1.20'), want));
}
test('in an earlier release a gate that came later is refused', () =>
  assert.throws(
    () => on({ Young: 'false' }, 'Young', '1.20'),
    /^--feature-gates: release 1.20 has no feature gate Young, which came with 1.30$/,
  ));
test('in an earlier release a gate of a release to come is unknown', () =>
  assert.throws(() => on({ Future: 'true' }, 'Young', '1.20'), /no feature gate is named "Future"/));

test.run();
